import json

turns = {r["id"]: len(r["turns"]) for r in json.load(open("report.json"))["results"]}
assert turns == {"turn": 1, "test": 2, "stops": 1, "late": 2}, turns
