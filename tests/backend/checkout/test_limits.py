"""How often a payment may be started, and what a completed cart still tells, on both databases."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.checkout.payment import PAYMENT_STARTS
from backend.checkout.service import TOKEN_FOR
from backend.clock import now
from backend.database import db_now
from backend.errors import TooManyRequests
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order
from backend.rate_limit import RateLimitCounter
from tests.shop_floor import Floor, make_toy
from tests.store_steps import MANUAL, PSE, bought, get, pay, post, shipped_cart


@pytest.fixture
async def trompo(shop: Shop, shop_floor: Floor) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_floor, "trompo", stock=500)


async def start(store: httpx.AsyncClient, collection_id: str) -> httpx.Response:
    return await store.post(
        f"/store/payment-collections/{collection_id}/payment-sessions", json={"provider_id": MANUAL}
    )


# how often


async def test_one_cart_is_tried_a_dozen_times(store: httpx.AsyncClient, trompo: str) -> None:
    collection = await pay(store, await shipped_cart(store, trompo))
    tries = [await start(store, collection["id"]) for _ in range(PAYMENT_STARTS.per_subject)]
    assert [answer.status_code for answer in tries] == [200] * (PAYMENT_STARTS.per_subject - 1) + [429]
    refused = tries[-1]
    assert refused.json()["type"] == "too_many_requests"
    assert 0 < int(refused.headers["retry-after"]) <= 15 * 60
    await pay(store, await shipped_cart(store, trompo))  # another cart of this client is another matter


async def test_tries_at_once_do_not_slip_through(store: httpx.AsyncClient, trompo: str) -> None:
    collection = await pay(store, await shipped_cart(store, trompo))
    tries = await asyncio.gather(
        *(start(store, collection["id"]) for _ in range(PAYMENT_STARTS.per_subject + 3))
    )
    assert sum(answer.status_code == 429 for answer in tries) == 4


async def test_one_client_cannot_empty_the_shelves(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    async def try_one() -> None:
        cart_id = await shipped_cart(store, trompo)
        await shop.checkout.start_payment(cart_id, MANUAL, {}, ip="190.24.1.1")

    await try_one()
    async with shop.database.transaction() as session:  # as if the client had come so far
        counts = update(RateLimitCounter).where(RateLimitCounter.hits == 1)
        await session.execute(counts.values(hits=PAYMENT_STARTS.per_client - 1))
    await try_one()
    with pytest.raises(TooManyRequests):
        await try_one()
    async with shop.database.read() as session:
        assert (await session.execute(select(InventoryLevel.reserved))).scalar_one() <= 2
    await shop.checkout.start_payment(await shipped_cart(store, trompo), MANUAL, {}, ip="190.24.1.2")


async def test_clients_nobody_knows_are_not_one_client(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    for _ in range(2):
        await shop.checkout.start_payment(await shipped_cart(store, trompo), MANUAL, {}, ip="")
    async with shop.database.read() as session:
        assert (await session.execute(select(func.max(RateLimitCounter.hits)))).scalar_one() == 1


async def test_after_a_while_it_is_forgotten(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    collection = await pay(store, await shipped_cart(store, trompo))
    for _ in range(PAYMENT_STARTS.per_subject):
        last = await start(store, collection["id"])
    assert last.status_code == 429
    async with shop.database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now()))
    assert (await start(store, collection["id"])).status_code == 200


# what a completed cart tells

PERSONAL = ("ana@example.com", "Gómez", "Carrera 43A", "3001234567", "Poblado", "1022", "redirect_url")


@pytest.mark.parametrize("provider", [MANUAL, PSE])
async def test_a_completed_cart_tells_nobody_whose_it_is(
    store: httpx.AsyncClient, shop: Shop, trompo: str, provider: str
) -> None:
    cart_id = await shipped_cart(store, trompo)
    assert "ana@example.com" in (await store.get(f"/store/carts/{cart_id}")).text
    await pay(store, cart_id, provider)
    await post(store, f"/store/carts/{cart_id}/complete")
    answer = await store.get(f"/store/carts/{cart_id}")
    cart: dict[str, Any] = answer.json()["cart"]
    assert [name for name in PERSONAL if name in answer.text] == []
    assert cart["completed_at"]
    assert (cart["email"], cart["customer"], cart["billing_address"]) == (None, None, None)
    assert cart["items"][0]["variant_id"] == trompo
    assert cart["payment_collection"]["payment_sessions"][0]["provider_id"] == provider


async def test_the_order_is_given_again_soon_and_not_to_whoever_comes_by_the_id_later(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await bought(store, trompo)
    async with shop.database.read() as session:
        cart_id = (await session.execute(select(Order.cart_id))).scalar_one()
    again = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (again["id"], again["access_token"]) == (order["id"], order["access_token"])
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(timedelta(minutes=1) - TOKEN_FOR)))
    again = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert again["access_token"] == order["access_token"]
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-TOKEN_FOR)))
    late = await store.post(f"/store/carts/{cart_id}/complete", json={})
    assert late.json()["order"]["id"] == order["id"]
    assert "access_token" not in late.text
    assert [name for name in PERSONAL if name in late.text] == []
    opened = await get(store, f"/store/orders/{order['id']}", token=order["access_token"])
    assert opened["order"]["email"] == "ana@example.com"
