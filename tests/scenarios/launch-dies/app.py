"""Answers twice and dies of the third request."""
import http.server
import json
import os
import sys

answered = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global answered
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answered += 1
        if answered == 3:
            print("Traceback: out of memory", file=sys.stderr, flush=True)
            os._exit(7)
        ids = {"threadId": asked["threadId"], "runId": asked["runId"]}
        events = [{"type": "RUN_STARTED", **ids}, {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "fine"},
                  {"type": "RUN_FINISHED", **ids}]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write("".join(f"data: {json.dumps(event)}\n\n" for event in events).encode())

    def log_message(self, *_):
        pass


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
