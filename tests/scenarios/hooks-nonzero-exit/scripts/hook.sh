echo "cannot reach the database" >&2
exit 3
