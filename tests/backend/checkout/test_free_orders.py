"""A total of 0 is paid with `pp_system_default`; other totals only if the region offers that provider.

| total | provider | region names it | outcome |
|---|---|---|---|
| 0 | `pp_system_default` | no | order, paid with 0, stock reserved permanently |
| 0 | `gateway_pse` | yes | refused: nothing is asked of the payer or of the bank |
| above 0 | `pp_system_default` | no | refused |
| above 0 | `pp_system_default` | yes | order that staff confirm, as before: `test_expiry.py`, `test_completion.py` |
| 0, then more before it is completed | `pp_system_default` | no | `TotalChanged`, no order |
| 0, a step of the chain is missing | `pp_system_default` | no | refused with what is missing |
| 0 on the page, really more | page | | `TotalChanged`; nothing is started |
| 0, two concurrent clicks | page | | one order |
| 0, without a confirmation | | | stays an order after every deadline |
| 0, because a variant has no price | any | | refused: it is not sold |
| 0, cancelled by staff | | | cancelled, units free, nothing to refund |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.cart.views import read_cart_view
from backend.catalog.models import Variant
from backend.channels.models import Region
from backend.checkout.payment.start import PaymentOff
from backend.core.errors import InvalidData, NothingToPay, TotalChanged
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.jobs.models import Job
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.mail.rendering import MailRenderer
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.transitions import CloseReason, close, lock_session
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import SHOP
from backend.storefront_views.order_page import order_view
from tests.backend.checkout.paying_kit import Till
from tests.backend.checkout.test_promotions import add_promotion, list_uses
from tests.backend.orders.paying import (
    list_sessions,
    order_row,
    read_open_attention,
    read_order_status,
    read_stock,
    report_payment,
    resolve,
)
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, PSE, create_cart_with_shipping, create_payment_collection, get, post

WITHOUT_PAYER = {
    name: text
    for name, text in CHECKOUT_INPUT.items()
    if name not in ("person_type", "doc_type", "doc_number", "bank")
}
ALL_OF_IT = {"type": "percentage", "value": 100, "target_type": "order"}


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a product, and a promotion code that takes the whole price off. Return the variant's id."""
    body = {"code": "TODO", "type": "standard", "status": "active", "is_automatic": False, "limit": 9}
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(payment_providers=[PSE]))
        promotion = NewPromotion.model_validate({**body, "application_method": ALL_OF_IT})
        await create_promotion(session, SHOP, to_create_promotion(promotion))
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


async def free_cart(store: httpx.AsyncClient, variant: str) -> str:
    cart_id = await create_cart_with_shipping(store, variant, 2)
    await post(store, f"/store/carts/{cart_id}", {"promo_codes": ["TODO"]})
    chosen = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    flat = next(one["id"] for one in chosen if one["price_type"] == "flat")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": flat})
    return cart_id


async def test_api_client_places_an_order_with_total_0(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await free_cart(store, trompo)
    collection = await create_payment_collection(store, cart_id, MANUAL)
    assert (collection["amount"], collection["payment_sessions"][0]["status"]) == (0, "pending")
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (order["total"], order["payment_status"]) == (0, "captured")
    assert order["payment_collections"][0]["status"] == "completed"
    again = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    assert (again["id"], again["payment_status"]) == (order["id"], "captured")
    assert await read_order_status(shop, order["id"]) == ("pending", "captured")
    assert await read_stock(shop) == (5, 2)


async def test_payment_by_pse_is_refused_for_a_total_of_0(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await free_cart(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    for data in ({}, {"bank": "1022", "person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}):
        refused = await store.post(path, json={"provider_id": PSE, "data": data})
        assert refused.status_code == 400
        assert MANUAL in refused.json()["message"]
    async with shop.database.read() as session:
        assert (await session.execute(select(PaymentSession))).all() == []


async def test_manual_provider_is_refused_for_a_total_above_0(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    path = f"/store/payment-collections/{owed['id']}/payment-sessions"
    refused = await store.post(path, json={"provider_id": MANUAL})
    assert refused.status_code == 400
    assert "not enabled" in refused.json()["message"]


async def test_free_cart_that_now_has_a_price_is_not_completed(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await free_cart(store, trompo)
    await create_payment_collection(store, cart_id, MANUAL)
    async with shop.database.transaction() as session:
        await session.execute(update(CartShippingMethod).values(amount=9_000))
    refused = await store.post(f"/store/carts/{cart_id}/complete", json={})
    assert (refused.status_code, refused.json()["message"]) == (
        409, "The total is now 9000, not 0: show it and ask again",
    )  # fmt: skip
    assert await read_stock(shop) == (5, 2)


@pytest.mark.parametrize("step", ["items", "email", "address", "shipping_method"])
async def test_free_order_with_a_missing_checkout_step_is_refused(
    shop: Shop, store: httpx.AsyncClient, trompo: str, step: str
) -> None:
    cart_id = await free_cart(store, trompo)
    collection = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    async with shop.database.transaction() as session:
        cart = (await session.execute(select(Cart).where(Cart.id == cart_id))).scalar_one()
        if step == "email":
            cart.email = None
        elif step == "address":
            cart.shipping_address = {"country_code": "co"}
        else:
            model: Any = LineItem if step == "items" else CartShippingMethod
            for row in (await session.execute(select(model).where(model.cart_id == cart_id))).scalars():
                await session.delete(row)
    path = f"/store/payment-collections/{collection['id']}/payment-sessions"
    assert (await store.post(path, json={"provider_id": MANUAL})).status_code == 400
    completed = await store.post(f"/store/carts/{cart_id}/complete", json={})
    assert completed.status_code == 400


async def page_cart(shop: Shop, store: httpx.AsyncClient, variant: str) -> str:
    cart_id = await free_cart(store, variant)
    await choose_pickup(shop, cart_id)
    return cart_id


async def test_checkout_page_places_a_free_order_without_a_payer(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await page_cart(shop, store, trompo)
    placed = await shop.checkout.place_order(cart_id, WITHOUT_PAYER, expected_total=0, ip="190.24.1.1")
    assert placed.redirect_url is None
    assert await read_order_status(shop, placed.order_id) == ("pending", "captured")
    order = await order_row(shop, placed.order_id)
    assert (order.total, order.payer) == (0, {})
    async with shop.database.read() as session:
        view = await order_view(session, shop.settings, order.id)
    assert (view.status, view.journey, view.total) == ("paid", "preparing", 0)


async def test_checkout_page_requires_the_delivery_fields_for_a_total_of_0(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await page_cart(shop, store, trompo)
    typed = {**WITHOUT_PAYER, "phone": "12", "consent_terms": ""}
    with pytest.raises(InvalidData) as refused:
        await shop.checkout.place_order(cart_id, typed, expected_total=0, ip="190.24.1.1")
    assert set(refused.value.fields) == {"phone", "consent_terms"}
    assert await shop.checkout.find_problems(typed, "190.24.1.1", is_free=True) == refused.value.fields


async def test_expected_total_of_0_is_refused_if_the_cart_has_a_price(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo)
    await choose_pickup(shop, cart_id)
    with pytest.raises(TotalChanged):
        await shop.checkout.place_order(cart_id, WITHOUT_PAYER, expected_total=0, ip="190.24.1.1")
    async with shop.database.read() as session:
        assert (await session.execute(select(PaymentSession))).all() == []


async def test_two_concurrent_clicks_place_one_free_order(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await page_cart(shop, store, trompo)
    pressed = [
        shop.checkout.place_order(cart_id, WITHOUT_PAYER, expected_total=0, ip="190.24.1.1") for _ in "12"
    ]
    first, second = await asyncio.gather(*pressed)
    assert first.order_id == second.order_id
    assert await read_stock(shop) == (5, 2)
    paid = [one for one in await list_sessions(shop, first.order_id) if one.state == "captured"]
    assert len(paid) == 1


async def test_mail_about_a_free_order_says_that_nothing_is_due(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await page_cart(shop, store, trompo)
    placed = await shop.checkout.place_order(cart_id, WITHOUT_PAYER, expected_total=0, ip="190.24.1.1")
    for kind in (MailKind.ORDER_PLACED, MailKind.ORDER_PAID):
        async with shop.database.read() as session:
            message = await compose_message(session, shop.settings, Mail(kind=kind, about=placed.order_id))
        assert message is not None
        mail = MailRenderer(shop.settings).render(message, shop.settings)
        text = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
        assert "No tienes nada que pagar" in text
        assert "pago" not in str(mail["Subject"])


async def test_free_order_is_cancelled_without_a_refund(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await free_cart(store, trompo)
    await create_payment_collection(store, cart_id, MANUAL)
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    canceled = (await post(admin, f"/admin/orders/{order['id']}/cancel"))["order"]
    assert canceled["status"] == "canceled"
    assert await read_stock(shop) == (5, 0)
    await post(admin, f"/admin/orders/{order['id']}/cancel")
    async with shop.database.read() as session:
        assert (await order_view(session, shop.settings, order["id"])).status == "canceled"


async def test_free_order_counts_as_a_use_of_the_promotion_and_does_not_expire(till: Till) -> None:
    async with till.database.transaction() as session:
        await session.execute(update(Region).values(payment_providers=[PSE]))
    await add_promotion(till, "TODO", is_automatic=True, method={"target_type": "order", "value": 100})
    variant_id = await till.make_variant()
    cart_id = await till.cart(variant_id)
    with pytest.raises(NothingToPay):
        await till.start(cart_id)
    payment = await till.start(cart_id, MANUAL)
    order = (await till.checkout.complete(cart_id, expected_total=0)).order
    assert await list_uses(till) == [(40_000, True)]
    async with till.database.transaction() as session:
        await session.execute(update(PaymentSession).values(expires_at=PaymentSession.created_at))
        await session.execute(update(Job).values(run_at=Job.created_at))
    await till.worker.run_due()
    assert await till.state(payment) == "captured"
    assert (await till.read_order(order.id)).status == "pending"
    assert await till.available(variant_id) == 2
    paying = await till.cart(variant_id)  # the code is used up
    with pytest.raises(PaymentOff):
        await till.start(paying, MANUAL)


async def test_variant_without_a_price_is_not_sold(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    """Set the price of a variant in the cart to 0: only a gift wrapping can still be bought."""
    cart_id = await create_cart_with_shipping(store, trompo)
    collection = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=0))
    path = f"/store/payment-collections/{collection['id']}/payment-sessions"
    assert (await store.post(path, json={"provider_id": MANUAL})).status_code == 400
    assert (await store.post(f"/store/carts/{cart_id}/complete", json={})).status_code == 400
    added = await store.post(f"/store/carts/{cart_id}/line-items", json={"variant_id": trompo, "quantity": 1})
    assert added.status_code == 400
    async with shop.database.read() as session:
        (line,) = (await read_cart_view(session, cart_id)).lines
    assert line.problem == "gone"
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(sku="ENVOLTURA"))
    await post(store, f"/store/carts/{cart_id}/line-items", {"variant_id": trompo, "quantity": 1})


async def test_free_order_without_reserved_units_is_refused_if_units_are_missing(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await free_cart(store, trompo)
    await create_payment_collection(store, cart_id, MANUAL)
    async with (
        shop.database.transaction() as session
    ):  # beyond the limits of holds; another customer buys the rest
        await inventory.release(session, cart_id)
        await session.execute(update(PaymentSession).values(holds_stock=False))
        await session.execute(update(InventoryLevel).values(stocked=0))
    refused = await store.post(f"/store/carts/{cart_id}/complete", json={})
    assert "order" not in refused.json()
    async with shop.database.read() as session:
        assert (await session.execute(select(Attention))).scalars().all() == []


async def test_refund_of_an_earlier_payment_does_not_change_the_free_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    cart_id = await create_cart_with_shipping(store, trompo, 2)
    await create_payment_collection(store, cart_id, PSE)
    async with shop.database.transaction() as session:
        first = (await session.execute(select(PaymentSession.id))).scalar_one()
        payment, cart = await lock_session(session, first)
        await close(session, payment, cart, CloseReason.RESERVATION_ENDED)
    await post(store, f"/store/carts/{cart_id}", {"promo_codes": ["TODO"]})
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    flat = next(one["id"] for one in offered if one["price_type"] == "flat")
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": flat})
    await create_payment_collection(store, cart_id, MANUAL)
    order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
    before = await read_order_status(shop, order["id"]), await read_stock(shop)
    await report_payment(shop, first, ProviderState.CAPTURED)
    settled = await resolve(admin, await read_open_attention(shop), action="refunded", reference="R-1")
    assert settled.status_code == 200
    assert (await read_order_status(shop, order["id"]), await read_stock(shop)) == before
