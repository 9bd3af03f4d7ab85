echo '{ "THREAD_ID": "th_123" }'
