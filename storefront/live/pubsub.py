"""Publishing of changed products: within this process, or over Redis to every replica."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Collection
from typing import TYPE_CHECKING, Any, Protocol

from redis.asyncio import Redis
from redis.exceptions import RedisError

from backend.core.errors import OutsideFailure
from backend.edge.health.readiness import CHECK_TIMEOUT_S

if TYPE_CHECKING:
    from redis.asyncio.client import PubSub as Subscription

log = logging.getLogger(__name__)

CHANNEL = "trompo:changed-products"
TRY_AGAIN = 1.0
SILENCE_TIMEOUT_S = 5.0
"""Seconds without a message after which Redis is pinged. Redis must answer the ping within the same time."""

Listener = Callable[[Collection[str] | None], None]
"""Called with the ids of changed products, or with None if any product may have changed."""


class PubSub(Protocol):
    """Publishes changes of products to a listener in every process."""

    async def start(self, listener: Listener) -> None:
        """Call the listener with every change from now on."""

    async def stop(self) -> None:
        """Stop listening."""

    async def publish(self, product_ids: Collection[str]) -> None:
        """Publish a change to all listeners.

        Raises:
            OutsideFailure: the listeners cannot be reached now.
        """


def pubsub_over(redis_url: str) -> PubSub:
    """Return a pub/sub that uses this Redis, or works only within the process if the URL is empty."""
    return RedisPubSub(redis_url) if redis_url else LocalPubSub()


class LocalPubSub:
    """Publishes within this process."""

    def __init__(self) -> None:
        self._listener: Listener | None = None

    async def start(self, listener: Listener) -> None:
        """Call the listener with every change from now on."""
        self._listener = listener

    async def stop(self) -> None:
        """Stop listening."""
        self._listener = None

    async def publish(self, product_ids: Collection[str]) -> None:
        """Publish a change."""
        if self._listener is not None:
            self._listener(product_ids)


class RedisPubSub:
    """Pub/sub over Redis to every listening process, including this one.

    Redis stores no message for a disconnected listener. So the listener is called with None after a lost
    connection, because it may have missed changes. If the connection is silent, a ping without an answer shows that
    it is lost.
    """

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=CHECK_TIMEOUT_S, socket_connect_timeout=CHECK_TIMEOUT_S
        )
        self._listening: asyncio.Task[None] | None = None
        self._is_stopped = False

    async def start(self, listener: Listener) -> None:
        """Call the listener with every change from now on.

        Return when the subscription has started, or when Redis is unavailable.
        """
        if self._listening is None:
            ready = asyncio.Event()
            self._listening = asyncio.create_task(self._listen(listener, ready), name="changed products")
            await ready.wait()

    async def stop(self) -> None:
        """Stop listening."""
        self._is_stopped = (
            True  # the client may mistake a cancellation that arrives with an answer for its own
        )
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        await self._redis.aclose()

    async def publish(self, product_ids: Collection[str]) -> None:
        """Publish a change to every process.

        Raises:
            OutsideFailure: Redis does not answer.
        """
        try:
            await self._redis.publish(CHANNEL, json.dumps(sorted(product_ids)))
        except (RedisError, OSError) as error:
            raise OutsideFailure("The other replicas cannot be told: Redis does not answer") from error

    async def _listen(self, listener: Listener, ready: asyncio.Event) -> None:
        was_away = False
        while not self._is_stopped:
            try:
                async with self._redis.pubsub() as subscription:
                    await subscription.subscribe(CHANNEL)
                    async for message in self._messages(subscription):
                        if message["type"] == "subscribe":
                            ready.set()
                            if was_away:
                                listener(None)
                            was_away = False
                        elif message["type"] == "message":
                            listener(json.loads(message["data"]))
            except (RedisError, OSError) as error:
                if not was_away:
                    log.warning("changes of products do not arrive: Redis is away (%s)", type(error).__name__)
            was_away = True
            ready.set()
            await asyncio.sleep(TRY_AGAIN)

    async def _messages(self, subscription: "Subscription") -> AsyncIterator[dict[str, Any]]:
        """Yield the messages until the connection fails.

        Raises:
            RedisError, OSError: the connection is lost.
            TimeoutError: the connection is silent, and a ping was not answered.
        """
        is_asked = False
        while not self._is_stopped:
            message = await subscription.get_message(timeout=SILENCE_TIMEOUT_S)
            if message is not None:
                is_asked = False
                yield message
            elif is_asked:
                raise TimeoutError("nothing answers")
            else:
                await subscription.ping()
                is_asked = True
