report = open("report.json").read()
assert "tok-1234567890" not in report and "***" in report, report
