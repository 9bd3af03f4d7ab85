printf '{ "SEEN": "from %s" }' "$GIVEN"
