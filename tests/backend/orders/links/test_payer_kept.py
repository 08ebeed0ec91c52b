"""The payer's identity document is stored with the order, and only staff see it."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.models import Cart
from backend.orders.links.tokens import ORDER_LINK
from backend.payment.providers.base import ProviderState
from tests.backend.orders.paying import list_sessions, order_row, place_order_at_bank, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PAYER, PSE, create_cart_with_shipping, create_payment_collection, get, post

STORED_PAYER = {"person_type": "0", "doc_type": "CC", "doc_number": "1020304050", "email": "ana@example.com"}
TYPED = {**PAYER, "email": "ana@example.com", "first_name": "Ana"}


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


async def draft(shop: Shop) -> dict[str, Any]:
    async with shop.database.read() as session:
        return dict((await session.execute(select(Cart.draft))).scalar_one())


async def test_staff_see_the_payers_document(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, _ = await place_order_at_bank(shop, store, trompo)
    shown = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    assert {name: shown["payer"][name] for name in STORED_PAYER} == STORED_PAYER
    (listed,) = (await get(admin, "/admin/orders"))["orders"]
    assert listed["payer"] == shown["payer"]


async def test_customers_do_not_see_the_payers_document(
    shop: Shop, store: httpx.AsyncClient, anyone: httpx.AsyncClient, trompo: str
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    token = ORDER_LINK.token(shop.settings.signing_key, order_id)
    for query in ({}, {"token": token}, {"token": token, "fields": "+payer,*payment_collections"}):
        answer = await store.get(f"/store/orders/{order_id}", params=query)
        assert answer.status_code == 200
        assert "1020304050" not in answer.text
        assert "payer" not in answer.json()["order"]
    cart_id = (await draft_cart(shop)).id
    assert "1020304050" not in (await store.get(f"/store/carts/{cart_id}")).text


async def start_payment(store: httpx.AsyncClient, cart_id: str, **answers: Any) -> None:
    """Start a PSE payment of the cart with these fields."""
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    await post(store, path, {"provider_id": PSE, "data": {"bank": "1022", **answers}})


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (("1", "NIT", "1020304050-8"), ("1", "NIT", "1020304050")),
        ((1, "nit", "900.123.456-8"), ("1", "NIT", "900123456")),
        ((0, "cc", 1020304050), ("0", "CC", "1020304050")),
    ],
)
async def test_order_stores_the_payer_sent_to_the_bank(
    shop: Shop, store: httpx.AsyncClient, trompo: str, typed: tuple[Any, ...], kept: tuple[str, ...]
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    names = ("person_type", "doc_type", "doc_number")
    await start_payment(store, cart_id, **dict(zip(names, typed, strict=True)), bank_name="Mi banco")
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (await order_row(shop, order["id"])).payer == {
        **STORED_PAYER,
        **dict(zip(names, kept, strict=True)),
    }
    (payment,) = await list_sessions(shop, order["id"])
    assert payment.data["bank_name"] == "BANCO UNION COLOMBIANO"


async def draft_cart(shop: Shop) -> Cart:
    async with shop.database.read() as session:
        return (await session.execute(select(Cart))).scalar_one()


async def test_payers_document_in_the_draft_is_deleted_when_the_order_is_created(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(draft=TYPED))
    await create_payment_collection(store, cart_id, PSE)
    assert await draft(shop) == TYPED
    await post(store, f"/store/carts/{cart_id}/complete")
    rest = await draft(shop)
    assert rest == {name: text for name, text in TYPED.items() if name not in ("doc_type", "doc_number")}


async def test_payers_document_in_the_draft_is_deleted_when_a_notification_creates_the_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    async with shop.database.transaction() as session:
        await session.execute(update(Cart).values(draft=TYPED))
    collection = await create_payment_collection(store, cart_id, PSE)
    await report_payment(shop, collection["payment_sessions"][0]["id"], ProviderState.CAPTURED)
    assert "doc_number" not in await draft(shop)
    (order,) = (await get(admin, "/admin/orders"))["orders"]
    assert order["payer"]["doc_number"] == "1020304050"
