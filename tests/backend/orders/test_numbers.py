"""Order numbers are unique and do not reveal the number of orders."""

import asyncio
from types import SimpleNamespace

import httpx
import pytest

from backend.app import Shop
from backend.orders import numbers
from backend.orders.numbers import MIN_NUMBER
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase


@pytest.fixture
async def variants(shop: Shop, shop_defaults: Defaults) -> list[str]:
    async with shop.database.transaction() as session:
        return [await add_product(session, shop_defaults, handle) for handle in ("trompo", "yoyo", "coca")]


async def test_order_number_that_is_already_used_is_replaced_by_another(
    store: httpx.AsyncClient, variants: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = iter([7, 7, 7, 7, 2, 0])
    monkeypatch.setattr(numbers, "MIN_NUMBER", MIN_NUMBER)
    monkeypatch.setattr(numbers, "secrets", SimpleNamespace(randbelow=lambda _below: next(draws)))
    orders = await asyncio.gather(
        *(complete_purchase(store, variant) for variant in variants)
    )  # all three draw 7 first
    assert sorted(order["display_id"] for order in orders) == [10_000_000, 10_000_002, 10_000_007]
    assert [next(draws, None)] == [None]


async def test_admin_api_lists_newest_orders_first(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, variants: list[str]
) -> None:
    made = [(await complete_purchase(store, variant))["id"] for variant in variants]
    listed = (await admin.get("/admin/orders")).json()["orders"]
    assert [order["id"] for order in listed] == made[::-1]
