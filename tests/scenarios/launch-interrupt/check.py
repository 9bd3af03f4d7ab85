"""An interrupt stops the application too, also one that comes while it starts."""
import os
import pathlib
import signal
import socket
import subprocess
import time

PORT = int(os.environ["FREE_PORT"])


def listens():
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", PORT)) == 0


def interrupted(number, wait):
    child = subprocess.Popen([os.environ["ASSAY"], "run", "-o", "out.json"], stdout=subprocess.PIPE, text=True)
    wait()
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    assert child.returncode == 128 + number, (child.returncode, out)
    assert "SKIP" in out, out
    assert pathlib.Path("out.json").exists()


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


interrupted(signal.SIGTERM, lambda: (until(listens), time.sleep(0.5)))
assert not listens()

config = pathlib.Path("assay.config.yaml")
config.write_text("target: { endpoint: 'http://127.0.0.1:1/x' }\n"
                  "launch: { cmd: [sh, -c, 'echo $$ > pid; exec sleep 100'], ready: { stdout: never } }\n")
pid = pathlib.Path("pid")
interrupted(signal.SIGINT, lambda: until(lambda: pid.exists() and pid.read_text().endswith("\n")))
assert not pathlib.Path(f"/proc/{pid.read_text().strip()}").exists()
