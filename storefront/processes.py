"""The shop's processes: one that holds the port and starts the workers, and the workers, which end with it."""

import ctypes
import multiprocessing
import os
import signal
import socket
import sys

from backend.errors import CannotStart

ADDRESS = "0.0.0.0"
EVENTS_WITHIN = 10.0
"""Seconds that a worker which is told to end lets events of pages finish. Starting a payment asks the gateway."""
REQUESTS_WITHIN = 5.0
"""Seconds after that for requests and background work."""
PR_SET_PDEATHSIG = 1


def hold_port(port: int) -> socket.socket | None:
    """Hold the port for this process and its workers, until all of them have ended.

    Each worker listens on the port with a socket of its own, which the system allows to any process of the same user:
    two shops could share one. So the port is also a name that one process has at a time. It exists on Linux only.

    Returns:
        What holds it; to be kept while the shop is open.

    Raises:
        CannotStart: the port is taken.
    """
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
    """Have this worker told to end (SIGTERM) when the process that started it ends without a word (SIGKILL).

    Linux only; elsewhere a worker outlives such an end, and has to be ended by hand.
    """
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it ended before it was asked for
        os.kill(os.getpid(), signal.SIGTERM)
