import asyncio

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from storefront.reflex_ext import redis_watch
from storefront.reflex_ext.redis_watch import RedisWatch


async def _ignore(_is_there: bool) -> None:
    pass


async def test_redis_is_available_read_only_or_unavailable(redis_url: str) -> None:
    watch = RedisWatch(redis_url, _ignore)
    assert await watch.check_redis() == "ok"
    async with Redis.from_url(redis_url) as redis:
        await redis.replicaof("127.0.0.1", 1)
        assert await watch.check_redis() == "it takes no writes"
        await redis.replicaof("NO", "ONE")
    assert await watch.check_redis() == "ok"
    await watch.stop()
    away = RedisWatch("redis://127.0.0.1:1", _ignore)
    with pytest.raises(RedisError):
        await away.check_redis()
    await away.stop()


async def test_redis_state_change_is_reported_once(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_watch, "CHECK_INTERVAL_S", 0)
    told: asyncio.Queue[bool] = asyncio.Queue()
    watch = RedisWatch(redis_url, told.put)
    watch.start()
    async with Redis.from_url(redis_url) as redis, asyncio.timeout(60):
        await redis.replicaof("127.0.0.1", 1)
        assert await told.get() is False
        await redis.replicaof("NO", "ONE")
        assert await told.get() is True
    await watch.stop()
    assert told.empty()
