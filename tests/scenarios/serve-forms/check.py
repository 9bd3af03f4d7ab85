import json

results = json.load(open("report.json"))["results"]
said = {r["id"]: [[c["name"], c["arguments"], c["result"]] for c in r["turns"][0]["tool_calls"]] + [r["turns"][0]["text"]] for r in results}
assert len(said) == 4 and all(s == said["explicit"] for s in said.values()), json.dumps(said, indent=1)
rules = {r["id"]: sorted({v["rule"] for v in r["turns"][0]["violations"]}) for r in results}
assert rules == {"explicit": [], "chunk": [], "snapshot": [], "old": ["deprecated-thinking"]}, rules
