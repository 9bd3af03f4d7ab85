sleep 1000 &
echo $! >>pids
