import json

violations = json.load(open("report.json"))["results"][0]["turns"][0]["violations"]
assert [v["rule"] for v in violations] == ["args-not-json"], violations
