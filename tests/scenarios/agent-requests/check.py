"""The requests of a turn with a client-side tool and of the answer to an interrupt are those of @ag-ui/client 1.0.0:
the same keys in the same order, the same messages in the same order. Ids are ours, and so is what the third request
offers as tools: the reference client was called without any there."""
import http.server
import json
import os
import subprocess
import threading

ANSWERS = [
    [
        {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}},
        {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "Sure. "},
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
        {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "confirm", "parentMessageId": "m1"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"q":1}'},
        {"type": "TOOL_CALL_END", "toolCallId": "c1"},
        {"type": "REASONING_START", "messageId": "z1"},
        {"type": "REASONING_MESSAGE_START", "messageId": "z1", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "z1", "delta": "hm"},
        {"type": "REASONING_MESSAGE_END", "messageId": "z1"},
        {"type": "REASONING_END", "messageId": "z1"},
        {"type": "RUN_FINISHED"},
    ],
    [{"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": [{"id": "i1", "reason": "confirmation"}]}}],
    [
        {"type": "TEXT_MESSAGE_START", "messageId": "m2", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": "Done."},
        {"type": "TEXT_MESSAGE_END", "messageId": "m2"},
        {"type": "RUN_FINISHED"},
    ],
]
requests = []


class Agent(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        requests.append((dict(self.headers.items()), body))
        ids = {"threadId": body["threadId"], "runId": body["runId"]}
        events = [{"type": "RUN_STARTED"}, *ANSWERS[len(requests) - 1]]
        events = [event | ids if event["type"].startswith("RUN_") else event for event in events]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write("".join(f"data: {json.dumps(event)}\n\n" for event in events).encode())

    def log_message(self, *_):
        pass


def shape(value):
    """Keys in their order, lists, and texts that are no ids."""
    if isinstance(value, dict):
        return [(key, None if key in ("id", "threadId", "runId") else shape(item)) for key, item in value.items()]
    return [shape(item) for item in value] if isinstance(value, list) else value


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Agent)
threading.Thread(target=server.serve_forever, daemon=True).start()
env = os.environ | {"ECHO_URL": f"http://127.0.0.1:{server.server_port}/agent"}
run = subprocess.run([os.environ["ASSAY"], "run", "-v"], env=env, capture_output=True, text=True)
assert run.returncode == 0, run.stdout + run.stderr

reference = json.load(open("reference.json"))
assert len(requests) == 3, len(requests)
for headers, body in requests:
    sent = {name.lower(): value for name, value in headers.items()}
    assert sent["accept"] == reference["headers"]["accept"] and sent["content-type"] == reference["headers"]["content-type"], sent
    assert sent["x-tenant"] == "q" and "accept-encoding" not in sent, sent
reference["bodies"][2]["tools"] = reference["bodies"][0]["tools"]
for number, (expected, (_, body)) in enumerate(zip(reference["bodies"], requests), 1):
    assert shape(body) == shape(expected), f"request {number}:\n{json.dumps(body)}\nexpected:\n{json.dumps(expected)}"

bodies = [body for _, body in requests]
assert len({body["threadId"] for body in bodies}) == 1 and len({body["runId"] for body in bodies}) == 3, bodies
assert [m["id"] for m in bodies[2]["messages"]] == [m["id"] for m in bodies[1]["messages"]], "ids stay the same"
assert len({m["id"] for m in bodies[2]["messages"]}) == 4, "every message has its own"
