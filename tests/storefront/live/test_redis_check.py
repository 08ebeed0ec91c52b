import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from storefront.live.redis_check import RedisCheck


async def test_redis_is_there_takes_no_writes_and_is_away(redis_url: str) -> None:
    check = RedisCheck(redis_url)
    await check.start()
    assert await check.look() == "ok"
    async with Redis.from_url(redis_url) as redis:
        await redis.replicaof("127.0.0.1", 1)
        assert await check.look() == "it takes no writes"
        await redis.replicaof("NO", "ONE")
    assert await check.look() == "ok"
    await check.stop()
    away = RedisCheck("redis://127.0.0.1:1")
    with pytest.raises(RedisError):
        await away.look()
    await away.stop()
