"""Callers that ask the same at the same time share one call. Its result is not stored: this is no cache."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class _Call(Generic[Result]):
    """One call, and how many callers wait for it."""

    __slots__ = ("task", "waiting")

    task: asyncio.Task[Result]

    def __init__(self) -> None:
        self.waiting = 0


class SingleFlight(Generic[Key, Result]):
    """Shares one running call among all callers with the same key.

    A caller that is cancelled does not disturb the others. When the last one is cancelled, so is the call; with
    `finishes` it goes on, for the sake of its side effects.
    """

    def __init__(self, *, finishes: bool = False) -> None:
        self._finishes = finishes
        self._running: dict[Key, _Call[Result]] = {}
        self._next: dict[Key, _Call[Result]] = {}

    async def share(self, key: Key, ask: Callable[[], Awaitable[Result]]) -> Result:
        """The result of the running call, or of a new one. The call may have begun before this one was asked for.

        Raises:
            Exception: what `ask` raised, for all callers that share the call.
        """
        return await self._wait(key, self._running.get(key) or self._next_call(key, ask))

    async def share_next(self, key: Key, ask: Callable[[], Awaitable[Result]]) -> Result:
        """The result of a call that begins after this moment, so it sees all that was written before.

        Callers that come while a call is running share the next one.

        Raises:
            Exception: what `ask` raised, for all callers that share the call.
        """
        return await self._wait(key, self._next_call(key, ask))

    async def idle(self) -> None:
        """Return when no call is running."""
        while calls := [*self._running.values(), *self._next.values()]:
            await asyncio.wait([call.task for call in calls])

    def _next_call(self, key: Key, ask: Callable[[], Awaitable[Result]]) -> _Call[Result]:
        """The next call, which has not begun."""
        call = self._next.get(key)
        if call is None or call.task.done():  # done: it was cancelled from outside before it began
            call = self._next[key] = _Call()
            call.task = asyncio.create_task(self._make(key, call, ask, self._running.get(key)))
        return call

    async def _make(
        self,
        key: Key,
        call: _Call[Result],
        ask: Callable[[], Awaitable[Result]],
        before: _Call[Result] | None,
    ) -> Result:
        if before is not None:
            await asyncio.wait((before.task,))
        self._running[key] = self._next.pop(key)
        try:
            return await ask()
        finally:
            # here and not in the callers: who asks once the result is there makes a new call
            self._forget(key, call)

    async def _wait(self, key: Key, call: _Call[Result]) -> Result:
        if self._finishes:
            return await asyncio.shield(call.task)
        call.waiting += 1
        try:
            return await asyncio.shield(call.task)
        finally:
            call.waiting -= 1
            if not (call.waiting or call.task.done()):
                self._forget(key, call)
                call.task.cancel()

    def _forget(self, key: Key, call: _Call[Result]) -> None:
        for calls in (self._running, self._next):
            if calls.get(key) is call:
                del calls[key]
