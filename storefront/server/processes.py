"""The shop's processes below the one that watches them (`storefront.server.supervisor`).

One that serves; or, with several workers, one that starts them, and the workers, which end with it.
"""

import multiprocessing
import socket
import sys
import time

from backend.core.errors import CannotStart
from storefront.server.supervisor import end_with

ADDRESS = "0.0.0.0"
EVENTS_WITHIN = 10.0
"""Seconds that a worker which is told to end lets events of pages finish. Starting a payment asks the gateway."""
REQUESTS_WITHIN = 5.0
"""Seconds after that for requests and background work."""
BETWEEN_LOOKS = 0.1


def hold_port(port: int, patience: float = 0) -> socket.socket | None:
    """Hold the port for this process and its workers, until all of them have ended.

    Each worker listens on the port with a socket of its own, which the system allows to any process of the same user:
    two shops could share one. So the port is also a name that one process has at a time. It exists on Linux only.

    Args:
        port: its number.
        patience: seconds to wait for those that still hold it: the workers of a process that was killed.

    Returns:
        What holds it; to be kept while the shop is open.

    Raises:
        CannotStart: the port is taken.
    """
    until = time.monotonic() + patience
    while True:
        try:
            return _hold(port)
        except CannotStart:
            if time.monotonic() >= until:
                raise
        time.sleep(BETWEEN_LOOKS)


def _hold(port: int) -> socket.socket | None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            raise _taken(port) from error
    if sys.platform != "linux":
        return None
    held = socket.socket(socket.AF_UNIX)
    try:
        held.bind(f"\0trompo-port-{port}")
    except OSError as error:
        held.close()
        raise _taken(port) from error
    return held


def _taken(port: int) -> CannotStart:
    return CannotStart(f"Trompo cannot start: port {port} is taken. Choose another with PORT=…")


def end_with_parent() -> None:
    """Have this worker of several told to end when the process that started it ends: see `end_with`."""
    if (parent := multiprocessing.parent_process()) is not None and parent.pid is not None:
        end_with(parent.pid)
