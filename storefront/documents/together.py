"""Answers that several requests share, without ever sharing one that is older than the request."""

from asyncio import Task, create_task, shield, wait
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Together(Generic[Answer]):
    """Lets those who ask the same at the same time read once.

    This is no cache (spec: Storefront view rules 5): nobody gets an answer whose reading began before the question.
    While one reading runs, all who come wait for the next one together. So a page is read once at a time, however many
    ask for it, and each sees everything that was written before.
    """

    def __init__(self) -> None:
        self._next: dict[Hashable, Task[Answer]] = {}
        self._running: dict[Hashable, Task[Answer]] = {}

    async def ask(self, question: Hashable, read: Callable[[], Awaitable[Answer]]) -> Answer:
        """What `read` gives.

        Raises:
            Exception: what `read` raised, for all who waited for it.
        """
        if question not in self._next:
            running = self._running.get(question)
            self._next[question] = create_task(self._read(question, read, running))
        return await shield(self._next[question])  # who goes away does not take the answer from the others

    async def _read(
        self, question: Hashable, read: Callable[[], Awaitable[Answer]], before: Task[Answer] | None
    ) -> Answer:
        if before is not None:
            await wait({before})
        task = self._running[question] = self._next.pop(question)
        try:
            return await read()
        finally:
            if self._running[question] is task:
                del self._running[question]
