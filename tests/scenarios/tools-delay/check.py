import json

slow = json.load(open("report.json"))["results"][1]
assert slow["id"] == "slow" and slow["turns"][0]["duration_ms"] >= 300, slow
call = slow["tool_calls"][0]
assert call["result_ts"] - call["start_ts"] >= 300, call
