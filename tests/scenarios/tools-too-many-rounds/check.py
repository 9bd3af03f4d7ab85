import json

calls = json.load(open("report.json"))["results"][0]["tool_calls"]
assert len(calls) == 25, len(calls)
assert len({call["id"] for call in calls}) == 25, calls
