echo "$1" >>torn-down
[ "$1" != failing ]
