"""Recorded once, played again without the agent: the same verdicts, the same bytes, no secret anywhere."""
import json
import os
import pathlib
import subprocess

ASSAY = os.environ["ASSAY"]
SECRETS = [b"secret/token+4711", b"c2VjcmV0L3Rva2VuKzQ3MTE", b"secret%2Ftoken%2B4711"]


def run(*args, **env):
    done = subprocess.run([ASSAY, "run", *args], capture_output=True, env={**os.environ, **env}, timeout=60)
    for secret in SECRETS:
        assert secret not in done.stdout + done.stderr, (args, secret)
    return done


def verdicts(report):
    report = json.loads(pathlib.Path(report).read_text())
    return [(r["name"], r["status"], r["turns"], [(c["type"], c["passed"]) for c in r["checks"]]) for r in report["results"]]


live = run("--record", "rec", "-o", "live.json", "-o", "live.html", "-o", "live.jsonl", "--debug")
assert live.returncode == 1, live
gone = {"AGENT_URL": "http://127.0.0.1:1/agents"}
first = run("--replay", "rec", "--json", "-o", "replay.json", **gone)
second = run("--replay", "rec", "--json", "--parallel", "8", **gone)
assert first.returncode == second.returncode == 1
assert first.stdout == second.stdout, (first.stdout, second.stdout)
assert [t["passed"] for t in json.loads(first.stdout)["tests"]] == [True, True, False]
assert pathlib.Path("hooks.log").read_text() == "run\nteardown\n", "a replay runs no command"

# What was seen live is what is played, but for secrets: those are gone from the tape.
for a, b in zip(verdicts("live.json"), verdicts("replay.json")):
    assert a == b, (a, b)

# Nothing but the files is needed, not even the variables of the environment.
bare = subprocess.run([ASSAY, "run", "--replay", "rec", "--json"], capture_output=True, timeout=60,
                      env={k: v for k, v in os.environ.items() if k not in ("TOKEN", "AGENT_URL")})
assert bare.stdout == first.stdout, (bare.stdout, bare.stderr)

for file in [*pathlib.Path("rec").rglob("*"), *pathlib.Path(".").glob("*.json*"), *pathlib.Path(".").glob("*.html")]:
    if file.is_file():
        for secret in SECRETS:
            assert secret not in file.read_bytes(), (file, secret)
assert not list(pathlib.Path("rec").rglob("*.tmp"))
