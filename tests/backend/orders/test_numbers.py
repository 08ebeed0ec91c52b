"""The numbers of orders tell nobody how many there are, and no two orders have one."""

import asyncio
from types import SimpleNamespace

import httpx
import pytest

from backend.app import Shop
from backend.orders import numbers
from backend.orders.numbers import LEAST
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought


@pytest.fixture
async def toys(shop: Shop, shop_defaults: Defaults) -> list[str]:
    async with shop.database.transaction() as session:
        return [await make_toy(session, shop_defaults, handle) for handle in ("trompo", "yoyo", "coca")]


async def test_a_number_that_is_taken_is_drawn_again(
    store: httpx.AsyncClient, toys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = iter([7, 7, 7, 7, 2, 0])
    monkeypatch.setattr(numbers, "LEAST", LEAST)
    monkeypatch.setattr(numbers, "secrets", SimpleNamespace(randbelow=lambda _below: next(draws)))
    orders = await asyncio.gather(*(bought(store, toy) for toy in toys))  # all three draw 7 first
    assert sorted(order["display_id"] for order in orders) == [10_000_000, 10_000_002, 10_000_007]
    assert [next(draws, None)] == [None]


async def test_programs_get_the_newest_first(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, toys: list[str]
) -> None:
    made = [(await bought(store, toy))["id"] for toy in toys]
    listed = (await admin.get("/admin/orders")).json()["orders"]
    assert [order["id"] for order in listed] == made[::-1]
