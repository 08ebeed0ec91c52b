"""How a room speaks upward: it publishes what happened, and rooms above that care have subscribed.

Handlers run in the publisher's transaction, in the order of their subscription; an exception in one undoes everything.
A subscription is made where the handler is defined, when its module is imported (`backend.app` imports them all).
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

E = TypeVar("E")
Handler = Callable[[AsyncSession, E], Awaitable[None]]

_handlers: dict[type[Any], list[Handler[Any]]] = defaultdict(list)


def subscribe(kind: type[E]) -> Callable[[Handler[E]], Handler[E]]:
    """Decorate a handler so that it is told of every event of this kind."""

    def register(handler: Handler[E]) -> Handler[E]:
        _handlers[kind].append(handler)
        return handler

    return register


async def publish(session: AsyncSession, event: object) -> None:
    """Tell everyone who subscribed to this kind of event, inside the running transaction."""
    for handler in _handlers[type(event)]:
        await handler(session, event)
