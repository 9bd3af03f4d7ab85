echo '{ "NAME": "Ada", "COUNT": 2, "PERSON": { "last": "Lovelace" } }'
