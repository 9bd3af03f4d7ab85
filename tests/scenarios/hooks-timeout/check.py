# Nothing of the hook is left.
import os, pathlib, time

pids = [int(pid) for pid in pathlib.Path("pids").read_text().split()]
time.sleep(0.2)
left = [pid for pid in pids if os.path.exists(f"/proc/{pid}") and ") Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()]
assert not left, left
