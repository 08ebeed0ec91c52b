"""`python -m storefront.serve` in a fork of a process that has already imported the app: see `tests.forks`."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

from storefront.server.granian_server import open_and_serve
from tests.forks import FORKS
from tests.log_guard import record_tokens

IMPORT_TIME_SETTINGS = ("OTEL_", "REDIS_", "REFLEX_", "STORE_LOCALE", "WORKERS")
"""The beginnings of the names of settings that are read when the app is imported."""


class ForkedShop:
    """A forked shop process with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, environment: dict[str, str], folder: Path, log: Path) -> None:
        """Start the process with this environment, in this folder; its output is appended to the log."""
        self._process = FORKS.Process(target=_serve_shop, args=(environment, folder, log))
        self._process.start()

    @property
    def pid(self) -> int:
        """Return the process id."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return the process's exit code, or None while it runs. If signal n ended it, the code is -n."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends. Return its exit code.

        Raises:
            TimeoutExpired: it did not end within `timeout` seconds.
        """
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("storefront.serve", timeout or 0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process."""
        self.send_signal(signal.SIGKILL)


def can_fork(environment: dict[str, str]) -> bool:
    """Return True if the imported app is the same that a new process with this environment would import."""
    return not any(name.startswith(IMPORT_TIME_SETTINGS) for name in environment)


def _serve_shop(environment: dict[str, str], folder: Path, log: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    record_tokens()
    with log.open("ab") as printed:
        os.dup2(printed.fileno(), sys.stdout.fileno())
        os.dup2(printed.fileno(), sys.stderr.fileno())
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # both are files
    multiprocessing.set_start_method("fork", force=True)  # its workers are forked, so they have the app, too
    open_and_serve()
