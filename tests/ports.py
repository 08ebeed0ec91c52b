"""Ports for servers that tests start, stop and start again."""

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
