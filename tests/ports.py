"""Ports and sockets for servers that tests start."""

import random
import socket

FROM, UP_TO = 15_000, 30_000
"""Below the ports that systems give to outgoing connections, which could take the place of a server that is down."""


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = random.randrange(FROM, UP_TO)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def listening_socket() -> socket.socket:
    """A socket that listens on a free port of this machine, for a server on asyncio.

    It names its protocol: without that, asyncio leaves Nagle's algorithm on, and many an answer takes 40 ms.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener
