"""The same question asked several times at once is asked once."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


@dataclass(slots=True)
class _Flight(Generic[Answer]):
    task: asyncio.Task[Answer]
    waiting: int = 0


class SingleFlight(Generic[Key, Answer]):
    """Calls with the same key share one answer while it is under way. Nothing is kept once it has arrived."""

    def __init__(self) -> None:
        self._flights: dict[Key, _Flight[Answer]] = {}

    async def share(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to the question under way, or to a new one.

        A caller that is cancelled leaves the others waiting; when the last one leaves, the question is
        dropped.
        """
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.create_task(self._fly(key, ask)))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._forget(key, flight.task)
                flight.task.cancel()

    async def _fly(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await ask()
        finally:
            # here and not in the callers: whoever asks once the answer is there asks anew
            self._forget(key, asyncio.current_task())

    def _forget(self, key: Key, task: asyncio.Task[Answer] | None) -> None:
        if key in self._flights and self._flights[key].task is task:
            del self._flights[key]
