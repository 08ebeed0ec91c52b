"""The shop's processes: the main process and its workers, which end with it."""

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
from dataclasses import dataclass

from backend.core.errors import CannotStart

ADDRESS = "0.0.0.0"
EVENTS_WITHIN = 10.0
"""Seconds that a worker which is told to end lets events of pages finish. Starting a payment asks the gateway."""
REQUESTS_WITHIN = 5.0
"""Seconds after that for requests and background work."""
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings that the main process needs."""

    port: int
    workers: int
    log_format: str
    end_timeout_s: int
    """A worker that has not ended by then is killed."""


def hold_port(port: int) -> socket.socket | None:
    """Hold the port for this process and its workers, until all of them have ended.

    Each worker listens on the port with a socket of its own, which the system allows to any process of the same user:
    two shops could share one. So the port is also a name that one process has at a time. It exists on Linux only.

    Returns:
        A socket to keep open while the shop is open.

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


def end_at_signals() -> None:
    """Let SIGINT and SIGTERM end this process at once. A worker has its own handlers as soon as it opens the shop."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def end_with_parent() -> None:
    """Have this worker told to end (SIGTERM) when the main process is killed.

    Linux only; elsewhere a worker survives its main process and has to be ended by hand.
    """
    parent = multiprocessing.parent_process()
    if sys.platform != "linux" or parent is None:
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it ended before
        os.kill(os.getpid(), signal.SIGTERM)
