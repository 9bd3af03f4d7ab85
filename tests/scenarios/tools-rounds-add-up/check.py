import json

turn = json.load(open("report.json"))["results"][0]["turns"][0]
assert turn["duration_ms"] >= 100, turn
