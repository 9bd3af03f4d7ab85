import pathlib

assert not pathlib.Path("launched").exists()
