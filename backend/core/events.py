"""Events: a package publishes what happened, and the packages that depend on it subscribe.

Handlers run in the publisher's transaction, in the order of their subscription; an exception in one rolls
everything back. A handler is subscribed when its module is imported; `backend.subscriptions` imports all of them.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

E = TypeVar("E")
Handler = Callable[[AsyncSession, E], Awaitable[None]]

_handlers: dict[type[Any], list[Handler[Any]]] = defaultdict(list)


def subscribe(kind: type[E]) -> Callable[[Handler[E]], Handler[E]]:
    """Return a decorator that calls its handler with every event of this class."""

    def register(handler: Handler[E]) -> Handler[E]:
        _handlers[kind].append(handler)
        return handler

    return register


async def publish(session: AsyncSession, event: object) -> None:
    """Call every handler that subscribed to the class of this event, inside the running transaction."""
    for handler in _handlers[type(event)]:
        await handler(session, event)
