"""Event loops that tests reuse one after the other, so that connections to a server can outlive a test.

As with a new loop for each test, the test's tasks and timers are cancelled at its end, its asynchronous generators are
closed, and its threads have ended.
"""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TypeVarTuple
from weakref import WeakSet

Ts = TypeVarTuple("Ts")


class LastingLoop(asyncio.SelectorEventLoop):
    """An event loop that several tests use in turn: `close` keeps it for the next test, `end` really closes it.

    To be usable again, it resets attributes of `asyncio.BaseEventLoop`: see `tests/test_lasting_loops.py`.
    """

    def __init__(self, give_back: Callable[["LastingLoop"], None]) -> None:
        super().__init__()
        self._give_back = give_back
        self._timers: WeakSet[asyncio.TimerHandle] = WeakSet()

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Start a timer that `close` cancels. `call_later` calls this method, too."""
        timer = super().call_at(when, callback, *args, context=context)
        self._timers.add(timer)
        return timer

    async def shutdown_asyncgens(self) -> None:
        """Close the asynchronous generators of the test, and let the next test start others."""
        await super().shutdown_asyncgens()
        self._asyncgens_shutdown_called = False

    async def shutdown_default_executor(self, *arguments: float | None) -> None:
        """Wait for the threads of the test, and let the next test start others."""
        await super().shutdown_default_executor(*arguments)
        self._executor_shutdown_called = False
        self._default_executor = None

    def close(self) -> None:
        """Cancel the test's timers, and keep the loop for the next test."""
        for timer in self._timers:
            timer.cancel()
        self._give_back(self)

    def end(self) -> None:
        """Let connections that were just closed finish, and close the loop."""
        self.run_until_complete(asyncio.sleep(0))
        super().close()


class LastingLoops:
    """The event loops of a worker: one for its tests, and one for each fixture of a wider scope."""

    def __init__(self) -> None:
        self._free: list[LastingLoop] = []

    def open(self) -> asyncio.AbstractEventLoop:
        """Return a loop that an earlier test has closed, or a new one."""
        return self._free.pop() if self._free else LastingLoop(self._free.append)

    def close(self) -> None:
        """Close all loops."""
        for loop in self._free:
            loop.end()
        self._free.clear()
