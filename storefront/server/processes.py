"""The shop's processes: the main process and its workers, which end together with it."""

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
from dataclasses import dataclass

from backend.core.errors import CannotStart

ADDRESS = "0.0.0.0"
EVENTS_TIMEOUT_S = 10.0
"""Seconds that a stopping worker gives the events of pages to finish. Starting a payment calls the gateway."""
REQUESTS_TIMEOUT_S = 5.0
"""Seconds that a stopping worker gives requests and background work to finish, after the events of pages."""
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of the main process."""

    port: int
    workers: int
    log_format: str
    end_timeout_s: int
    """A worker that has not ended after this time is killed."""


def hold_port(port: int) -> socket.socket | None:
    """Reserve the port for this process and its workers, until all of them have ended.

    Each worker listens on the port with its own socket. The system allows that to every process of the same user,
    so two shops could share a port by mistake. To prevent it, the process also binds an abstract socket with the
    port in its name, which only one process can bind. Linux only.

    Returns:
        A socket that must stay open while the shop is open; None on other systems.

    Raises:
        CannotStart: the port is in use.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            raise port_in_use(port) from error
    if sys.platform != "linux":
        return None
    held = socket.socket(socket.AF_UNIX)
    try:
        held.bind(f"\0trompo-port-{port}")
    except OSError as error:
        held.close()
        raise port_in_use(port) from error
    return held


def port_in_use(port: int) -> CannotStart:
    """Return the error for a port that is in use."""
    return CannotStart(f"Trompo cannot start: port {port} is taken. Choose another with PORT=…")


def end_at_signals() -> None:
    """End this process immediately at SIGINT and SIGTERM.

    A worker installs its own handlers later, when its shop opens.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def end_with_parent() -> None:
    """Request that the system sends SIGTERM to this worker when the main process is killed.

    Linux only. On other systems, a worker continues to run and must be ended by hand.
    """
    parent = multiprocessing.parent_process()
    if sys.platform != "linux" or parent is None:
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent.pid:  # it ended before
        os.kill(os.getpid(), signal.SIGTERM)
