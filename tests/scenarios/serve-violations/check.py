import json

turns = [turn for result in json.load(open("report.json"))["results"] for turn in result["turns"]]
wrong = [turn["input"] for turn in turns if {v["rule"] for v in turn["violations"]} != {turn["input"]}]
assert not wrong, f"not exactly the rule asked for: {wrong}"
assert len(turns) == 42, len(turns)
