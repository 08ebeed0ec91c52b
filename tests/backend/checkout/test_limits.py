"""Limits of payment starts, and the public data of a completed cart, on both databases."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, func, select, update

from backend.app import Shop
from backend.cart.lines import MAX_LINES
from backend.cart.models import Cart
from backend.checkout.payment.start import PAYMENT_STARTS
from backend.checkout.routes.cart_routes import EMPTY_CARTS
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.core.errors import TooManyRequests
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order
from backend.orders.service import JUST_PLACED
from backend.payment.providers.base import CheckedPayer
from backend.rate_limit.models import RateLimitCounter
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    MANUAL,
    PSE,
    complete_purchase,
    create_cart_with_shipping,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=500)


async def start(store: httpx.AsyncClient, collection_id: str) -> httpx.Response:
    return await store.post(
        f"/store/payment-collections/{collection_id}/payment-sessions", json={"provider_id": MANUAL}
    )


# limits of frequency


async def test_payment_starts_per_cart_are_limited(store: httpx.AsyncClient, trompo: str) -> None:
    collection = await create_payment_collection(store, await create_cart_with_shipping(store, trompo))
    tries = [await start(store, collection["id"]) for _ in range(PAYMENT_STARTS.per_subject)]
    assert [answer.status_code for answer in tries] == [200] * (PAYMENT_STARTS.per_subject - 1) + [429]
    refused = tries[-1]
    assert refused.json()["type"] == "too_many_requests"
    assert 0 < int(refused.headers["retry-after"]) <= 15 * 60
    await create_payment_collection(
        store, await create_cart_with_shipping(store, trompo)
    )  # another cart of this client has its own limit


async def test_concurrent_payment_starts_do_not_exceed_the_limit(
    store: httpx.AsyncClient, trompo: str
) -> None:
    collection = await create_payment_collection(store, await create_cart_with_shipping(store, trompo))
    tries = await asyncio.gather(
        *(start(store, collection["id"]) for _ in range(PAYMENT_STARTS.per_subject + 3))
    )
    assert sum(answer.status_code == 429 for answer in tries) == 4


async def test_payment_starts_per_client_are_limited(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    async def try_one() -> None:
        cart_id = await create_cart_with_shipping(store, trompo)
        await shop.checkout.start_payment(cart_id, MANUAL, CheckedPayer(), ip="190.24.1.1")

    await try_one()
    async with shop.database.transaction() as session:  # as if the client had made this many starts
        counts = update(RateLimitCounter).where(RateLimitCounter.hits == 1)
        await session.execute(counts.values(hits=PAYMENT_STARTS.per_client - 1))
    await try_one()
    with pytest.raises(TooManyRequests):
        await try_one()
    async with shop.database.read() as session:
        assert (await session.execute(select(InventoryLevel.reserved))).scalar_one() <= 2
    await shop.checkout.start_payment(
        await create_cart_with_shipping(store, trompo), MANUAL, CheckedPayer(), ip="190.24.1.2"
    )


async def test_payment_starts_of_clients_without_an_ip_address_are_counted_per_cart(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    cart_ids = [await create_cart_with_shipping(store, trompo) for _ in range(2)]
    async with shop.database.transaction() as session:
        await session.execute(delete(RateLimitCounter))  # of requests to the carrier
    for cart_id in cart_ids:
        await shop.checkout.start_payment(cart_id, MANUAL, CheckedPayer(), ip="")
    async with shop.database.read() as session:
        assert (await session.execute(select(func.max(RateLimitCounter.hits)))).scalar_one() == 1


async def test_payments_can_be_started_again_after_the_period_of_the_limit(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    collection = await create_payment_collection(store, await create_cart_with_shipping(store, trompo))
    for _ in range(PAYMENT_STARTS.per_subject):
        last = await start(store, collection["id"])
    assert last.status_code == 429
    async with shop.database.transaction() as session:
        await session.execute(update(RateLimitCounter).values(expires_at=now()))
    assert (await start(store, collection["id"])).status_code == 200


# number and size of carts


async def new_cart(store: httpx.AsyncClient) -> httpx.Response:
    return await store.post("/store/carts", json={})


async def test_empty_carts_per_client_are_limited(store: httpx.AsyncClient, shop: Shop, trompo: str) -> None:
    made = [await new_cart(store) for _ in range(EMPTY_CARTS.per_client)]
    assert {answer.status_code for answer in made} == {200}
    refused = await new_cart(store)
    assert (refused.status_code, refused.json()["type"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["retry-after"]) <= 15 * 60
    async with shop.database.read() as session:
        count = (await session.execute(select(func.count()).select_from(Cart))).scalar_one()
    assert count == EMPTY_CARTS.per_client
    # a cart with lines is not empty
    item = {"variant_id": trompo, "quantity": 1}
    assert (await store.post("/store/carts", json={"items": [item]})).status_code == 200
    filled = made[0].json()["cart"]["id"]
    for _again in range(3):  # one cart frees one place, even if it is filled repeatedly
        await post(store, f"/store/carts/{filled}/line-items", item)
    assert (await new_cart(store)).status_code == 200
    assert (await new_cart(store)).status_code == 429


async def test_carts_with_products_do_not_count_towards_the_limit_of_empty_carts(
    store: httpx.AsyncClient, trompo: str
) -> None:
    for _ in range(EMPTY_CARTS.per_client + 3):
        cart_id = (await post(store, "/store/carts"))["cart"]["id"]
        await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 1})


NOTE = {"note": "ñ" * 1_018}  # 2 048 bytes of JSON
LARGER = {"note": "ñ" * 1_018 + "n"}


async def test_metadata_above_2048_bytes_is_refused(store: httpx.AsyncClient, trompo: str) -> None:
    cart = (await post(store, "/store/carts", {"metadata": NOTE}))["cart"]
    path = f"/store/carts/{cart['id']}"
    item = {"variant_id": trompo, "quantity": 1}
    cart = (await post(store, f"{path}/line-items", {**item, "metadata": NOTE}))["cart"]
    assert (cart["metadata"], cart["items"][0]["metadata"]) == (NOTE, NOTE)
    refused = [
        await store.post("/store/carts", json={"metadata": LARGER}),
        await store.post(path, json={"metadata": LARGER}),
        await store.post(path, json={"shipping_address": {"metadata": LARGER}}),
        await store.post(f"{path}/line-items", json={**item, "metadata": LARGER}),
        await store.post(
            f"{path}/line-items/{cart['items'][0]['id']}", json={"quantity": 1, "metadata": LARGER}
        ),
        await store.post("/store/payment-collections", json={"cart_id": cart["id"], "metadata": LARGER}),
    ]
    assert [answer.status_code for answer in refused] == [400] * len(refused)
    assert "Metadata is larger than 2048 bytes" in refused[0].json()["message"]


async def test_response_with_a_full_cart_is_smaller_than_a_megabyte(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variants = [await add_product(session, shop_defaults, f"toy-{n}") for n in range(MAX_LINES + 1)]
    lines = [{"variant_id": variant, "quantity": 1, "metadata": NOTE} for variant in variants]
    half = MAX_LINES // 2
    cart_id = (await post(store, "/store/carts", {"items": lines[:half]}))["cart"]["id"]
    path = f"/store/carts/{cart_id}/line-items"
    for line in lines[half:MAX_LINES]:
        await post(store, path, line)
    answer = await store.get(f"/store/carts/{cart_id}")
    assert len(answer.json()["cart"]["items"]) == MAX_LINES
    assert len(answer.content) < 400_000
    refused = await store.post(path, json=lines[-1])
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        f"A cart holds at most {MAX_LINES} different products",
    )


# public data of a completed cart

PERSONAL = ("ana@example.com", "Gómez", "Carrera 43A", "3001234567", "Poblado", "1022", "redirect_url")


@pytest.mark.parametrize("provider", [MANUAL, PSE])
async def test_completed_cart_shows_no_personal_data(
    store: httpx.AsyncClient, shop: Shop, trompo: str, provider: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    (line,) = (await get(store, f"/store/carts/{cart_id}"))["cart"]["items"]
    card = {"quantity": 1, "metadata": {"card": "De la tía Gómez"}}
    await post(store, f"/store/carts/{cart_id}/line-items/{line['id']}", card)
    flat = await find_shipping_option(store, cart_id, "flat")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": flat["id"]})
    assert "ana@example.com" in (await store.get(f"/store/carts/{cart_id}")).text
    await create_payment_collection(store, cart_id, provider)
    await post(store, f"/store/carts/{cart_id}/complete")
    answer = await store.get(f"/store/carts/{cart_id}")
    cart: dict[str, Any] = answer.json()["cart"]
    assert [name for name in PERSONAL if name in answer.text] == []
    assert cart["completed_at"]
    assert (cart["email"], cart["customer"], cart["billing_address"]) == (None, None, None)
    assert cart["items"][0]["variant_id"] == trompo
    assert cart["payment_collection"]["payment_sessions"][0]["provider_id"] == provider


async def test_completing_a_cart_again_returns_the_full_order_only_for_an_hour(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await complete_purchase(store, trompo)
    async with shop.database.read() as session:
        cart_id = (await session.execute(select(Order.cart_id))).scalar_one()
    again = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (again["id"], again["access_token"]) == (order["id"], order["access_token"])
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(timedelta(minutes=1) - JUST_PLACED)))
    again = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert again["access_token"] == order["access_token"]
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(created_at=db_now(-JUST_PLACED)))
    late = await store.post(f"/store/carts/{cart_id}/complete", json={})
    assert late.json()["order"]["id"] == order["id"]
    assert "access_token" not in late.text
    assert [name for name in PERSONAL if name in late.text] == []
    opened = await get(store, f"/store/orders/{order['id']}", token=order["access_token"])
    assert opened["order"]["email"] == "ana@example.com"
