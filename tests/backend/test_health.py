import asyncio
import time

import httpx
import pytest

from backend.app import Shop, create_api, current_shop, set_current_shop
from backend.database import Database
from backend.loop_lag import SAMPLE_SECONDS, LoopLag
from backend.settings import Settings


async def health(shop: Shop, method: str = "GET") -> httpx.Response:
    transport = httpx.ASGITransport(create_api(shop))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        return await client.request(method, "/health")


async def test_a_healthy_shop(settings: Settings) -> None:
    shop = Shop(settings)
    answer = await health(shop)
    await shop.database.close()
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "ok"
    assert body["database"] == "up"
    assert body["event_loop"] == {"lag_ms": 0.0}
    assert body["sandbox"] is True


async def test_a_shop_without_its_database(settings: Settings) -> None:
    shop = Shop(settings)
    shop.database = Database("postgresql+asyncpg://shop@127.0.0.1:1/shop")  # nobody listens there
    answer, head = await health(shop), await health(shop, "HEAD")
    await shop.database.close()
    assert answer.status_code == head.status_code == 503
    assert answer.json()["status"] == "unavailable"
    assert answer.json()["database"] == "down"


async def test_a_blocked_event_loop_shows() -> None:
    lag = LoopLag()
    lag.start()
    await asyncio.sleep(0)  # the sampler sets its timer
    time.sleep(SAMPLE_SECONDS + 0.1)  # noqa: ASYNC251 - blocking is the point
    await asyncio.sleep(0.01)
    await lag.stop()
    assert lag.worst_ms >= 90


async def test_a_sampler_that_never_started_stops() -> None:
    await LoopLag().stop()


def test_without_a_shop_there_is_no_current_one(settings: Settings) -> None:
    set_current_shop(None)
    with pytest.raises(RuntimeError, match="no shop is running"):
        current_shop()
