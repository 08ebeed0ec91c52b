"""Sharing of concurrent calls: callers with the same key share one call. Results are not stored."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class _Call(Generic[Result]):
    """One shared call and the number of callers that wait for it."""

    __slots__ = ("task", "waiting")

    task: asyncio.Task[Result]

    def __init__(self) -> None:
        self.waiting = 0


class SingleFlight(Generic[Key, Result]):
    """Shares one running call among all callers with the same key.

    A cancelled caller does not affect the others. If all callers are cancelled, the call is cancelled too. With
    `runs_to_end`, the call always runs to its end, because of its side effects.
    """

    def __init__(self, *, runs_to_end: bool = False) -> None:
        self._runs_to_end = runs_to_end
        self._running: dict[Key, _Call[Result]] = {}
        self._next: dict[Key, _Call[Result]] = {}

    async def share(self, key: Key, call_service: Callable[[], Awaitable[Result]]) -> Result:
        """Return the result of the running call with this key; start a call if none is running.

        A running call may have read its data before this method was called. Use `share_next` if the result must
        include earlier writes.

        Raises:
            Exception: the exception of `call_service`, for all callers that share the call.
        """
        return await self._wait(key, self._running.get(key) or self._next_call(key, call_service))

    async def share_next(self, key: Key, call_service: Callable[[], Awaitable[Result]]) -> Result:
        """Return the result of a call that begins after this moment, so that it sees all earlier writes.

        Callers that arrive while a call is running share the next call.

        Raises:
            Exception: the exception of `call_service`, for all callers that share the call.
        """
        return await self._wait(key, self._next_call(key, call_service))

    async def wait_until_idle(self) -> None:
        """Wait until no call is running."""
        while calls := [*self._running.values(), *self._next.values()]:
            await asyncio.wait([call.task for call in calls])

    def _next_call(self, key: Key, call_service: Callable[[], Awaitable[Result]]) -> _Call[Result]:
        """Return the call that has not begun yet; create it if necessary."""
        call = self._next.get(key)
        if call is None or call.task.done():  # done: it was cancelled before it began
            call = self._next[key] = _Call()
            call.task = asyncio.create_task(self._run_call(key, call, call_service, self._running.get(key)))
        return call

    async def _run_call(
        self,
        key: Key,
        call: _Call[Result],
        call_service: Callable[[], Awaitable[Result]],
        previous: _Call[Result] | None,
    ) -> Result:
        if previous is not None:
            await asyncio.wait((previous.task,))
        self._running[key] = self._next.pop(key)
        try:
            return await call_service()
        finally:
            # here and not in the callers, so that a request after the result starts a new call
            self._remove(key, call)

    async def _wait(self, key: Key, call: _Call[Result]) -> Result:
        if self._runs_to_end:
            return await asyncio.shield(call.task)
        call.waiting += 1
        try:
            return await asyncio.shield(call.task)
        finally:
            call.waiting -= 1
            if not (call.waiting or call.task.done()):
                self._remove(key, call)
                call.task.cancel()

    def _remove(self, key: Key, call: _Call[Result]) -> None:
        for calls in (self._running, self._next):
            if calls.get(key) is call:
                del calls[key]
