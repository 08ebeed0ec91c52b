"""The same question asked several times at once is asked once. Nothing is kept once its answer is there: no cache."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class _Call(Generic[Answer]):
    """One call and those who wait for it."""

    __slots__ = ("task", "waiting")

    task: asyncio.Task[Answer]

    def __init__(self) -> None:
        self.waiting = 0


class SingleFlight(Generic[Key, Answer]):
    """Lets those who ask the same at the same time share one call. There is one call a key at a time.

    A caller that is cancelled leaves the others waiting. When the last one leaves, the call is cancelled and the next
    question is a new call; with `finishes`, it goes on, for the sake of what it does beside answering.
    """

    def __init__(self, *, finishes: bool = False) -> None:
        self._finishes = finishes
        self._running: dict[Key, _Call[Answer]] = {}
        self._next: dict[Key, _Call[Answer]] = {}

    async def share(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of the call under way, or of a new one. The call may have begun before this question.

        Raises:
            Exception: what `ask` raised, for all who waited for it.
        """
        return await self._wait(key, self._running.get(key) or self._coming(key, ask))

    async def share_next(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of a call that begins after this question: it sees all that was written before.

        Those who ask while a call is under way wait for the next one together.

        Raises:
            Exception: what `ask` raised, for all who waited for it.
        """
        return await self._wait(key, self._coming(key, ask))

    async def idle(self) -> None:
        """Return when no call is under way."""
        while calls := [*self._running.values(), *self._next.values()]:
            await asyncio.wait([call.task for call in calls])

    def _coming(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> _Call[Answer]:
        """The call that has not begun."""
        call = self._next.get(key)
        if call is None or call.task.done():  # done: it was cancelled from outside before it began
            call = self._next[key] = _Call()
            call.task = asyncio.create_task(self._make(key, call, ask, self._running.get(key)))
        return call

    async def _make(
        self,
        key: Key,
        call: _Call[Answer],
        ask: Callable[[], Awaitable[Answer]],
        before: _Call[Answer] | None,
    ) -> Answer:
        if before is not None:
            await asyncio.wait((before.task,))
        self._running[key] = self._next.pop(key)
        try:
            return await ask()
        finally:
            # here and not in those who wait: whoever asks once the answer is there asks anew
            self._forget(key, call)

    async def _wait(self, key: Key, call: _Call[Answer]) -> Answer:
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

    def _forget(self, key: Key, call: _Call[Answer]) -> None:
        for calls in (self._running, self._next):
            if calls.get(key) is call:
                del calls[key]
