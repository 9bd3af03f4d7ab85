"""The application is gone when the run is over."""
import os
import socket

with socket.socket() as client:
    assert client.connect_ex(("127.0.0.1", int(os.environ["FREE_PORT"]))) != 0, "somebody still listens"
