import json

report = json.load(open("stdout.actual"))
assert set(report) == {"tests", "passed", "failed", "total"}, report
for test in report["tests"]:
    assert set(test) <= {"name", "file", "passed", "duration", "error", "failures"} and test["duration"] >= 0, test
