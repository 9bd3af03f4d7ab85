text = (open("stdout.actual").read() + open("stderr.actual").read()).lower()
assert "warning" in text, text
