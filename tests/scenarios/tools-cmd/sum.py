import json, sys

print(json.dumps({"total": sum(json.load(sys.stdin)["items"])}))
