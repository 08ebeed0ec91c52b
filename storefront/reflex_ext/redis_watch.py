"""Watching Redis, where pages' states live when there are several processes.

Reflex goes on without it in silence: a page connects and hears nothing. So while Redis is away no page may connect, and
those that are connected are cut off. Each then says that there is no connection, keeps what is done in it, and tries
again until Redis is back. By connecting anew, pages also start Reflex's own listeners again, which give up for good
after some seconds without Redis.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import reflex as rx
from redis.asyncio import Redis
from redis.exceptions import RedisError

from backend.app import current_shop
from backend.edge.health.readiness import CHECK_SECONDS, OK
from storefront.reflex_ext.socket_guard import GuardedNamespace

log = logging.getLogger(__name__)

BETWEEN_LOOKS = 1.0
"""Seconds."""
TIMES_AWAY = 2
"""So many looks in vain in a row, and Redis is away: one may be late because this process was busy."""


class RedisWatch:
    """Asks Redis again and again whether it is there. `changed` is told False when it is away, then True."""

    def __init__(self, url: str, changed: Callable[[bool], Awaitable[None]]) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=CHECK_SECONDS, socket_connect_timeout=CHECK_SECONDS, max_connections=2
        )
        self._changed = changed
        self._watching: asyncio.Task[None] | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start to watch."""
        self._watching = asyncio.create_task(self._watch(), name="redis watch")

    async def stop(self) -> None:
        """Stop watching and close the connections."""
        self._is_stopped = True  # the client may take a cancellation that comes with an answer for its own
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._redis.aclose()

    async def look(self) -> str:
        """`ok`, or what is wrong. A replica of Redis answers, too, and takes no writes.

        Raises:
            RedisError: it does not answer.
        """
        info = await self._redis.info("replication")
        return OK if info["role"] == "master" else "it takes no writes"

    async def _watch(self) -> None:
        in_vain = 0
        while not self._is_stopped:
            try:
                is_there = await self.look() == OK
            except (RedisError, OSError):
                is_there = False
            if is_there and in_vain >= TIMES_AWAY:
                log.warning("Redis answers again")
                await self._changed(True)
            in_vain = 0 if is_there else in_vain + 1
            if in_vain == TIMES_AWAY:
                log.error("Redis is away: pages cannot connect; this is not told again until it is back")
                await self._changed(False)
            await asyncio.sleep(BETWEEN_LOOKS)


@asynccontextmanager
async def watch_redis(app: rx.App) -> AsyncIterator[None]:
    """Watch Redis while the app runs, if the shop has one (Reflex lifespan task)."""
    shop, guard = current_shop(), app.event_namespace
    if not shop.settings.redis_url or not isinstance(guard, GuardedNamespace):
        yield
        return
    watch = RedisWatch(shop.settings.redis_url, guard.set_open)
    shop.readiness.checks["redis"] = watch.look
    watch.start()
    try:
        yield
    finally:
        await watch.stop()
