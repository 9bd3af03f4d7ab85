# The failing turn is the last one: nobody was asked to pay.
import json

assert len(json.load(open("report.json"))["results"][0]["turns"]) == 2
