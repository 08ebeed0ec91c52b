"""Ports and sockets for servers that tests start."""

import random
import socket

MIN_PORT, MAX_PORT = 15_000, 30_000
"""Below the ports that systems give to outgoing connections: one of these could take the port of a stopped server."""


def find_free_port() -> int:
    """Return a port on which no process listens."""
    while True:
        port = random.randrange(MIN_PORT, MAX_PORT)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def open_listening_socket() -> socket.socket:
    """Open a socket that listens on a free port of this machine, for an asyncio server.

    The socket is created with the protocol TCP by name: otherwise asyncio does not turn Nagle's algorithm off, and many
    responses take 40 ms.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener
