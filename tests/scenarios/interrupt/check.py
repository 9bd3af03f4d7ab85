# Ctrl-C in the middle of 100 running cases.
import json, os, pathlib, signal, subprocess, time

for n in range(100):
    pathlib.Path(f"slow-{n}.test.yaml").write_text(
        f'name: slow {n}\nhooks:\n  - cmd: ["bash", "scripts/stay.sh"]\nturns:\n  - user: "slow"\n')
run = subprocess.Popen([os.environ["ASSAY"], "run", "--parallel", "200", "-o", "report.json"], stdout=subprocess.DEVNULL)
end = time.monotonic() + 30
while time.monotonic() < end and not (os.path.exists("pids") and len(open("pids").read().split()) == 100):
    time.sleep(0.05)
time.sleep(0.5)
start = time.monotonic()
run.send_signal(signal.SIGINT)
code, seconds = run.wait(30), time.monotonic() - start
assert code == 130, code
assert seconds < 3, seconds  # one second by contract; this runs in slow builds beside other scenarios
results = {r["id"]: r["status"] for r in json.load(open("report.json"))["results"]}
assert results["quick"] == "passed" and len(results) == 101, results
pids = open("pids").read().split()
alive = [p for p in pids if os.path.exists(f"/proc/{p}") and ") Z " not in open(f"/proc/{p}/stat").read()]
assert len(pids) == 100 and not alive, (len(pids), alive)
