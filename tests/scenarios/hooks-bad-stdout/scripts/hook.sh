echo "ready."
