"""The process that the shop is started as. It starts the process that serves, and the next one when that dies.

It imports nothing of the shop and no package, so it takes some 5 MiB; what serves is a child that imports the rest.
"""

import os
import signal
import sys
import time
from types import FrameType

LASTS = 5.5
"""Seconds. A process that was started again and dies within them would only die again."""
ENDS_WITHIN = 20.0
"""Seconds that a process may take to end once it was told to, unless it has said how long it may take."""
PR_SET_PDEATHSIG = 1


class Child:
    """What the process that serves knows of the one that watches it."""

    def __init__(self, said: int | None, *, is_again: bool) -> None:
        self.is_again = is_again
        """Whether it takes the place of one that died."""
        self._said = said

    def ends_within(self, seconds: float) -> None:
        """Say how long ending may take: after that it is killed."""
        if self._said is not None:
            os.write(self._said, b"%f\n" % seconds)


def end_with(parent: int) -> None:
    """Have this process told to end (SIGTERM) when its parent ends without a word (SIGKILL).

    Linux only; elsewhere it outlives such an end, and has to be ended by hand.
    """
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before it was asked for
        os.kill(os.getpid(), signal.SIGTERM)


def supervise() -> Child:
    """Return in a process that is to serve; the calling process watches it, ends with it and never returns.

    One that is killed or crashes is replaced, unless it has just replaced another. One that ends by itself, because
    of a wrong setting for example, has said why. Where the system does not fork, the calling process is to serve.
    """
    if not hasattr(os, "fork"):
        return Child(None, is_again=False)
    watch = _Watch()
    is_again = False
    while True:
        begun = time.monotonic()
        if (child := watch.start(is_again=is_again)) is not None:
            return child
        code = watch.until_it_ends()
        if watch.is_ending or code >= 0 or (is_again and time.monotonic() - begun < LASTS):
            sys.exit(code if code >= 0 else 128 - code)
        print(
            f"Trompo's process was ended by signal {-code}; another one takes its place.",
            file=sys.stderr,
            flush=True,
        )
        is_again = True


class _Watch:
    def __init__(self) -> None:
        self.is_ending = False
        self._child = 0
        self._hears, self._says = os.pipe()
        os.set_blocking(self._hears, False)

    def start(self, *, is_again: bool) -> Child | None:
        """Start a process. Gives, in that one, what it knows."""
        signals = (signal.SIGTERM, signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # none is lost between the fork and what follows it
        for number in signals:
            signal.signal(number, self._end)
        signal.signal(signal.SIGALRM, self._kill)
        parent = os.getpid()
        self._child = os.fork()
        if self._child:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return None
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        os.close(self._hears)
        end_with(parent)
        return Child(self._says, is_again=is_again)

    def until_it_ends(self) -> int:
        """Wait for its end. Gives its exit code; of one that a signal ended, the signal's number below zero."""
        code = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        signal.setitimer(signal.ITIMER_REAL, 0)
        return code

    def _end(self, _signal: int, _frame: FrameType | None) -> None:
        """Pass on that the shop is to end. Ctrl+C has told the child already: it does not mind hearing it twice."""
        if not self.is_ending:
            signal.setitimer(signal.ITIMER_REAL, self._may_take())
        self.is_ending = True
        os.kill(self._child, signal.SIGTERM)

    def _may_take(self) -> float:
        try:
            return float(os.read(self._hears, 1000).split()[-1])
        except (BlockingIOError, IndexError):
            return ENDS_WITHIN

    def _kill(self, _signal: int, _frame: FrameType | None) -> None:
        print("Trompo's process did not end in time and is killed.", file=sys.stderr, flush=True)
        os.kill(self._child, signal.SIGKILL)
