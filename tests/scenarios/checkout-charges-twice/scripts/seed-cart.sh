echo '{ "CART_ID": "c-42" }'
