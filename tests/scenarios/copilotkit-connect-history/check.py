# What is sent behind a connect is what was replayed, once.
import json, re

bodies = [json.loads(text) for text in re.findall(r'> (\{"method":.*)', open("stdout.actual").read())]
assert [body["method"] for body in bodies] == ["agent/run", "agent/connect", "agent/run"]
messages = bodies[2]["body"]["messages"]
assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant", "user"], messages
assert messages[1]["toolCalls"][0]["function"]["arguments"] == '{"what":"shoes"}', messages
assert messages[3]["content"] == "I found 3, in turn 1.", messages
