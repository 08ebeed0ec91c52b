"""Monitoring of Redis, which stores pages' states when there are several processes.

Reflex does not report a missing Redis: a page connects and receives nothing. So while Redis is unavailable, no page
may connect, and connected pages are disconnected. Each page then displays that there is no connection, keeps its
input, and tries again until Redis is available. A new connection also restarts Reflex's own listeners, which stop
permanently after some seconds without Redis.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import reflex as rx
from redis.asyncio import Redis
from redis.exceptions import RedisError

from backend.app import current_shop
from backend.edge.health.readiness import CHECK_TIMEOUT_S, OK
from storefront.reflex_ext.socket_guard import GuardedNamespace

log = logging.getLogger(__name__)

CHECK_INTERVAL_S = 1.0
"""Seconds between two checks."""
MAX_FAILED_CHECKS = 2
"""Failed checks in a row after which Redis is unavailable. A single check may fail because this process was busy."""


class RedisWatch:
    """Checks Redis regularly.

    `changed` is called with False when Redis becomes unavailable, and with True when it is available again.
    """

    def __init__(self, url: str, changed: Callable[[bool], Awaitable[None]]) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=CHECK_TIMEOUT_S, socket_connect_timeout=CHECK_TIMEOUT_S, max_connections=2
        )
        self._changed = changed
        self._watching: asyncio.Task[None] | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start the checks."""
        self._watching = asyncio.create_task(self._watch(), name="redis watch")

    async def stop(self) -> None:
        """Stop the checks, and close the connections."""
        self._is_stopped = (
            True  # the client may mistake a cancellation that arrives with an answer for its own
        )
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._redis.aclose()

    async def check_redis(self) -> str:
        """Return `ok`, or the problem. A read-only replica of Redis also answers, but it counts as a problem.

        Raises:
            RedisError: Redis does not answer.
        """
        info = await self._redis.info("replication")
        return OK if info["role"] == "master" else "it takes no writes"

    async def _watch(self) -> None:
        failed_checks = 0
        while not self._is_stopped:
            try:
                is_there = await self.check_redis() == OK
            except (RedisError, OSError):
                is_there = False
            if is_there and failed_checks >= MAX_FAILED_CHECKS:
                log.warning("Redis answers again")
                await self._changed(True)
            failed_checks = 0 if is_there else failed_checks + 1
            if failed_checks == MAX_FAILED_CHECKS:
                log.error("Redis is away: pages cannot connect; the next message follows when it is back")
                await self._changed(False)
            await asyncio.sleep(CHECK_INTERVAL_S)


@asynccontextmanager
async def watch_redis(app: rx.App) -> AsyncIterator[None]:
    """Watch Redis while the app runs, if the shop uses Redis (Reflex lifespan task)."""
    shop, guard = current_shop(), app.event_namespace
    if not shop.settings.redis_url or not isinstance(guard, GuardedNamespace):
        yield
        return
    watch = RedisWatch(shop.settings.redis_url, guard.set_open)
    shop.readiness.checks["redis"] = watch.check_redis
    watch.start()
    try:
        yield
    finally:
        await watch.stop()
