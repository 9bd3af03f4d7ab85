"""Nothing was launched: neither by --dry-run, nor where every case is skipped."""
import os
import pathlib
import subprocess

assert not pathlib.Path("launched").exists()
pathlib.Path("hello.test.yaml").write_text("name: hello\nskip: not today\nturns: [{user: hi}]\n")
assert subprocess.run([os.environ["ASSAY"], "run"]).returncode == 0
assert not pathlib.Path("launched").exists()
