# Ignores the polite signal and has a child.
trap '' TERM
sleep 1000 &
echo $$ $! >pids
wait
sleep 1000
