# In load order, whatever the finishing order; and at the same time, not one after another.
import json

report = json.load(open("report.json"))
assert [r["id"] for r in report["results"]] == [str(n) for n in range(8)]
assert report["summary"]["duration_ms"] < 2200, report["summary"]
