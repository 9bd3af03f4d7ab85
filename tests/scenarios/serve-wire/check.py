import json

turns = json.load(open("report.json"))["results"][0]["turns"]
broken = {turn["input"]: sorted(v["rule"] for v in turn["violations"]) for turn in turns if turn["violations"]}
assert broken == {
    "crlf": ["crlf-framing"],
    "cr": ["crlf-framing"],
    "open": ["unterminated-last-event"],
    "all": ["crlf-framing", "unterminated-last-event"],
}, broken
