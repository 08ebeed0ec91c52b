"""Recipients and messages of gifts are deleted 400 days after the order.

| order | after 399 days | after 401 days |
|---|---|---|
| gift, delivered | unchanged | no name, phone, street, message and label; municipality and invoice data remain |
| gift, not delivered yet | unchanged | unchanged |
| message only, delivered | unchanged | no message; the customer's own address remains |
| no gift, delivered | unchanged | unchanged |
"""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.checkout_drafts import save_draft
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.core.clock import now
from backend.core.db.tables import table_of
from backend.customers.search_terms import phone_digits
from backend.invoices.parties import build_customer_party
from backend.orders.models import Fulfillment, Order, OrderTerm
from backend.orders.states import FulfillmentStatus
from backend.payment.models import PaymentSession
from backend.privacy.recipients import OLD_RECIPIENTS
from tests.backend.orders.paying import order_row
from tests.checkout_steps import CHECKOUT_INPUT, choose_pickup
from tests.store_defaults import Defaults, add_product

GIFT = {
    "gift_recipient": "on",
    "recipient_first_name": "Rosalba",
    "recipient_last_name": "Quiñónez",
    "recipient_phone": "3120001122",
    "gift_message": "Mensaje secreto",
}
MESSAGE = {"gift_recipient": "on", "gift_message": "Mensaje secreto"}
PRIVATE = ("Rosalba", "Quiñónez", "quinonez", "3120001122", "Mensaje secreto", "%PDF")
STREET = str(CHECKOUT_INPUT["address"])


async def buy(shop: Shop, defaults: Defaults, typed: dict[str, str], *, is_delivered: bool = True) -> str:
    """Save `typed` as a cart's draft, place the order with it, and add a label. Return the order's id."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=5, price=40_000)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant)
        await save_draft(session, cart_id, typed)
    await choose_pickup(shop, cart_id)
    placed = await shop.checkout.place_order(
        cart_id, {**CHECKOUT_INPUT, **typed}, expected_total=40_000, ip="190.24.1.1"
    )
    async with shop.database.transaction() as session:
        session.add(
            Fulfillment(
                order_id=placed.order_id, reference="1-1", provider_id="carrier_standard",
                location_id=defaults.location_id, label_pdf=b"%PDF", data={"carrier": "Envía", "to": "Rosalba"},
            )
        )  # fmt: skip
        if is_delivered:
            delivered = update(Order).values(fulfillment_status=FulfillmentStatus.DELIVERED)
            await session.execute(delivered.execution_options(synchronize_session=False))
    return placed.order_id


async def tidy_after(shop: Shop, days: int) -> int:
    """Delete old recipients as if every order had been placed `days` ago. Return the number of changed orders."""
    async with shop.database.transaction() as session:
        order = table_of(Order)
        await session.execute(update(order).values(created_at=now() - timedelta(days=days)))
    count = await OLD_RECIPIENTS.count(shop.database)
    assert await OLD_RECIPIENTS.apply(shop.database) == count
    return count


async def read_everything(shop: Shop) -> str:
    """Return all values of the tables that have the recipient's data."""
    async with shop.database.read() as session:
        rows: list[Any] = []
        for model in (Order, OrderTerm, Cart, PaymentSession, Fulfillment):
            rows += (await session.execute(select(*table_of(model).columns))).all()
    return str(rows)


async def test_cleanup_deletes_recipient_and_message_of_an_old_gift_once(
    shop: Shop, shop_defaults: Defaults
) -> None:
    order_id = await buy(shop, shop_defaults, GIFT)
    assert await tidy_after(shop, 399) == 0
    before = await read_everything(shop)
    assert all(text in before for text in PRIVATE)
    assert await tidy_after(shop, 401) == 1
    after = await read_everything(shop)
    assert not [text for text in (*PRIVATE, STREET) if text in after]
    order = await order_row(shop, order_id)
    assert order.shipping_address == {
        "city": "Medellín",
        "province": "Antioquia",
        "country_code": "co",
        "metadata": {"dane_code": CHECKOUT_INPUT["dane_code"]},
    }
    party = build_customer_party(order)
    assert (party.name, party.document) == ("Ana Gómez", "1020304050")
    assert phone_digits("3001234567") in after
    assert await tidy_after(shop, 402) == 0


async def test_cleanup_of_an_order_to_oneself_deletes_its_message_and_keeps_its_address(
    shop: Shop, shop_defaults: Defaults
) -> None:
    order_id = await buy(shop, shop_defaults, MESSAGE)
    assert await tidy_after(shop, 401) == 1
    after = await read_everything(shop)
    assert "Mensaje secreto" not in after
    assert (await order_row(shop, order_id)).shipping_address["address_1"] == STREET
    assert "%PDF" in after


async def test_cleanup_keeps_the_address_if_the_payers_name_is_unknown(
    shop: Shop, shop_defaults: Defaults
) -> None:
    order_id = await buy(shop, shop_defaults, MESSAGE)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(billing_address={"first_name": "", "company": "Peonza"}))
    assert await tidy_after(shop, 401) == 1
    assert (await order_row(shop, order_id)).shipping_address["address_1"] == STREET
    assert await tidy_after(shop, 402) == 0


@pytest.mark.parametrize(("typed", "is_delivered"), [(GIFT, False), ({}, True)])
async def test_cleanup_of_recipients_skips_open_orders_and_orders_that_are_no_gift(
    shop: Shop, shop_defaults: Defaults, typed: dict[str, str], is_delivered: bool
) -> None:
    await buy(shop, shop_defaults, typed, is_delivered=is_delivered)
    await tidy_after(shop, 0)
    before = await read_everything(shop)
    assert await tidy_after(shop, 10_000) == 0
    after = await read_everything(shop)
    assert all((text in before) == (text in after) for text in (*PRIVATE, STREET))
