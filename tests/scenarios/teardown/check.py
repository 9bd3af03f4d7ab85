words = open("torn-down").read().split()
assert words == ["hook", "failing", "passing", "turn"], words
