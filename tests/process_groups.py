"""The end of programs that tests start in their own session, with all processes that these programs have started."""

import os
import signal
import subprocess
from contextlib import suppress


def end_process_group(
    process: "subprocess.Popen[bytes]", timeout_s: float, request: signal.Signals = signal.SIGTERM
) -> None:
    """Ask a program to end if it still runs, wait, and kill the rest of its process group.

    Args:
        process: the program, started with `start_new_session`.
        timeout_s: time for the program to end by itself.
        request: the signal that asks the program to end.
    """
    process.send_signal(request)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout_s)
    with suppress(ProcessLookupError):  # the whole group has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
