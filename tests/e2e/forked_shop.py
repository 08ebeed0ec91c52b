"""`python -m storefront.serve` in a process that has imported the app already: see `tests.forks`."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

from storefront.server.granian_server import open_and_serve
from tests.forks import FORKS
from tests.log_guard import record_tokens

READ_AT_IMPORT = ("OTEL_", "REDIS_", "REFLEX_", "STORE_LOCALE", "WORKERS")
"""The beginnings of settings that importing the app reads."""


class ForkedShop:
    """Such a process. It can be asked and told what `subprocess.Popen` can."""

    def __init__(self, environment: dict[str, str], folder: Path, log: Path) -> None:
        """Start it with this environment, in this folder; what it prints is added to the log."""
        self._process = FORKS.Process(target=_serve, args=(environment, folder, log))
        self._process.start()

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit code, if it has ended; of one that a signal ended, the signal's number below zero."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Gives its exit code.

        Raises:
            TimeoutExpired: it did not end within that many seconds.
        """
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("storefront.serve", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it without a word."""
        self.send_signal(signal.SIGKILL)


def can_fork(environment: dict[str, str]) -> bool:
    """Whether the app that was imported is the one that this environment would import."""
    return not any(name.startswith(READ_AT_IMPORT) for name in environment)


def _serve(environment: dict[str, str], folder: Path, log: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    record_tokens()
    with log.open("ab") as printed:
        os.dup2(printed.fileno(), sys.stdout.fileno())
        os.dup2(printed.fileno(), sys.stderr.fileno())
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # both are files
    multiprocessing.set_start_method("fork", force=True)  # its workers have the app, too
    open_and_serve()
