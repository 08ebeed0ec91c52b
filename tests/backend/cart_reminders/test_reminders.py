"""Reminders of abandoned carts: at most one, with consent, in the allowed hours, never about what cannot be bought.

| condition | reminder |
|---|---|
| the shop has not turned reminders on | none |
| no marketing consent, or a withdrawn one | none |
| the cart was ordered, emptied, is being paid, is a draft order, or is too new or too old | none |
| no product of the cart can be bought | none |
| one of these comes true between the job and the e-mail | none |
"""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart, LineItem
from backend.cart_reminders.models import CartReminder
from backend.catalog.models import Product, Variant
from backend.core.db.database import db_now
from backend.customers.models import Customer
from backend.draft_orders.models import DraftOrder
from backend.inventory.service import reserve, set_stock
from backend.jobs import Worker
from backend.legal.consents import (
    ConsentKind,
    has_marketing_consent,
    withdraw_consent,
)
from backend.mail.mailer import Mailer
from backend.orders.models import Order
from tests.backend.cart_reminders.reminder_kit import (
    FRIDAY_NOON,
    SUBJECT,
    SUNDAY_NOON,
    AbandonedCart,
    Change,
    add_cart,
    set_age,
    set_reminders,
    set_time,
)
from tests.backend.mail.conftest import text_of
from tests.store_defaults import add_product


async def turn_off(session: AsyncSession, _it: AbandonedCart) -> None:
    await set_reminders(session, False)


async def withdraw(session: AsyncSession, it: AbandonedCart) -> None:
    await withdraw_consent(session, it.customer_id, ConsentKind.MARKETING)


async def complete(session: AsyncSession, it: AbandonedCart) -> None:
    await session.execute(update(Cart).where(Cart.id == it.cart_id).values(completed_at=db_now()))
    await set_age(session, it.cart_id, timedelta(days=1))


async def pay(session: AsyncSession, it: AbandonedCart) -> None:
    await session.execute(update(Cart).where(Cart.id == it.cart_id).values(payment_session_id="payses_1"))
    await set_age(session, it.cart_id, timedelta(days=1))


async def order_elsewhere(session: AsyncSession, it: AbandonedCart) -> None:
    """Place a guest order with the customer's e-mail address."""
    cart = await session.get_one(Cart, it.cart_id)
    guest_cart = await create_empty_cart(
        session, region_id=cart.region_id, sales_channel_id=cart.sales_channel_id
    )
    session.add(
        Order(
            id="order_1",
            number=1,
            cart_id=guest_cart,
            email="ana@example.com",
            region_id=cart.region_id,
            sales_channel_id=cart.sales_channel_id,
            shipping_address={},
            billing_address={},
            shipping_name="Envío",
            item_total=1,
            shipping_total=0,
            total=1,
        )
    )


async def empty(session: AsyncSession, it: AbandonedCart) -> None:
    await session.execute(delete(LineItem).where(LineItem.cart_id == it.cart_id))


async def sell_out(session: AsyncSession, it: AbandonedCart) -> None:
    await set_stock(session, it.variant_id, it.defaults.location_id, 0)


async def hold(session: AsyncSession, it: AbandonedCart) -> None:
    """Reserve all units but one for another cart, so that this cart's two units are not available."""
    await reserve(session, "cart_other", {it.variant_id: 4}, datetime.now(UTC) + timedelta(hours=1))


async def unpublish(session: AsyncSession, _it: AbandonedCart) -> None:
    await session.execute(update(Product).values(status="draft"))


async def draft(session: AsyncSession, it: AbandonedCart) -> None:
    session.add(DraftOrder(id="order_d", cart_id=it.cart_id, created_by="user_1"))


async def start_another(session: AsyncSession, it: AbandonedCart) -> None:
    await add_cart(session, it.defaults, it.customer_id, it.variant_id)


async def delete_account(session: AsyncSession, it: AbandonedCart) -> None:
    await session.execute(delete(Customer).where(Customer.id == it.customer_id))


OBSTACLES: list[Change] = [
    turn_off, withdraw, complete, pay, order_elsewhere, empty, sell_out, hold, unpublish, draft, delete_account,
]  # fmt: skip


async def test_customer_gets_one_reminder_with_current_prices(abandoned: AbandonedCart) -> None:
    await asyncio.gather(*(abandoned.request() for _replica in range(3)))
    await abandoned.change(
        lambda session, it: session.execute(
            update(Variant).where(Variant.id == it.variant_id).values(price=32_000)
        )
    )
    mailer = Mailer(abandoned.shop.database, abandoned.shop.settings, abandoned.inbox)
    await Worker(abandoned.shop.database, [mailer]).run_due()
    (mail,) = abandoned.inbox.mails
    assert (mail["To"], mail["Subject"]) == ("ana@example.com", SUBJECT)
    text = text_of(mail).replace("\xa0", " ")
    assert "2 × Trompo: $ 64.000" in text
    assert "Total sin envío: $ 64.000" in text
    assert f"{abandoned.shop.settings.base_url}/cart" in text
    assert abandoned.cart_id not in mail.as_string()
    assert str(mail["List-Unsubscribe"]).startswith(
        f"<{abandoned.shop.settings.base_url}/unsubscribe?about=offers&id="
    )
    abandoned.inbox.mails.clear()
    await abandoned.change(lambda session, it: set_age(session, it.cart_id, timedelta(hours=5)))
    await abandoned.request()
    assert await abandoned.send() == []
    assert await abandoned.count_requests() == 1


@pytest.mark.parametrize("obstacle", [*OBSTACLES, start_another])
async def test_reminder_is_not_stored_if_the_cart_becomes_unsuitable_before_the_job(
    abandoned: AbandonedCart, obstacle: Change
) -> None:
    await abandoned.change(obstacle)
    await abandoned.request()
    async with abandoned.shop.database.read() as session:
        reminded = (await session.execute(select(CartReminder.cart_id))).scalars().all()
    assert abandoned.cart_id not in reminded


@pytest.mark.parametrize("obstacle", OBSTACLES)
async def test_reminder_is_not_mailed_if_the_cart_becomes_unsuitable_after_the_job(
    abandoned: AbandonedCart, obstacle: Change
) -> None:
    await abandoned.request()
    assert await abandoned.count_requests() == 1
    await abandoned.change(obstacle)
    assert await abandoned.send() == []
    await abandoned.request()
    assert await abandoned.send() == []


async def test_no_reminder_outside_the_allowed_hours(
    abandoned: AbandonedCart, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_time(monkeypatch, SUNDAY_NOON)
    await abandoned.request()
    assert await abandoned.count_requests() == 0
    set_time(monkeypatch, FRIDAY_NOON)
    await abandoned.request()
    assert await abandoned.count_requests() == 1
    set_time(monkeypatch, SUNDAY_NOON)
    assert await abandoned.send() == []


@pytest.mark.parametrize(
    ("age", "count"),
    [
        (timedelta(hours=3, minutes=55), 0),
        (timedelta(hours=4, minutes=5), 1),
        (timedelta(days=3, minutes=5), 0),
    ],
)
async def test_reminder_is_stored_only_for_carts_between_four_hours_and_three_days_old(
    abandoned: AbandonedCart, age: timedelta, count: int
) -> None:
    await abandoned.change(lambda session, it: set_age(session, it.cart_id, age))
    await abandoned.request()
    assert await abandoned.count_requests() == count


@pytest.mark.parametrize(("days", "count"), [(13, 1), (15, 2)])
async def test_second_cart_of_a_customer_is_reminded_only_after_two_weeks(
    abandoned: AbandonedCart, days: int, count: int
) -> None:
    await abandoned.request()
    await abandoned.change(
        lambda session, _it: session.execute(
            update(CartReminder).values(requested_at=db_now(-timedelta(days=days)))
        )
    )
    await abandoned.change(start_another)
    await abandoned.request()
    assert await abandoned.count_requests() == count


async def test_products_that_cannot_be_bought_are_left_out(abandoned: AbandonedCart) -> None:
    async def add_sold_out(session: AsyncSession, it: AbandonedCart) -> None:
        variant_id = await add_product(session, it.defaults, "yoyo")
        await add_to_cart(session, it.cart_id, variant_id, 1, {})
        await set_stock(session, variant_id, it.defaults.location_id, 0)
        await set_age(session, it.cart_id, timedelta(days=1))

    await abandoned.change(add_sold_out)
    await abandoned.request()
    mailer = Mailer(abandoned.shop.database, abandoned.shop.settings, abandoned.inbox)
    await Worker(abandoned.shop.database, [mailer]).run_due()
    (mail,) = abandoned.inbox.mails
    assert "Trompo" in text_of(mail)
    assert "Yoyo" not in text_of(mail)


async def test_only_the_complete_unsubscribe_link_withdraws_the_marketing_consent(
    abandoned: AbandonedCart, anyone: httpx.AsyncClient
) -> None:
    await abandoned.request()
    mailer = Mailer(abandoned.shop.database, abandoned.shop.settings, abandoned.inbox)
    await Worker(abandoned.shop.database, [mailer]).run_due()
    found = re.search(r"id=(\w+)&token=(\S+)", text_of(abandoned.inbox.mails[-1]))
    assert found

    async def press(**link: str) -> str:
        path, headers = "/api/cart-reminders/unsubscribe", {"origin": "http://shop.test"}
        answer = await anyone.post(path, data=link, headers=headers)
        assert answer.status_code == 303
        return answer.headers["location"]

    async def has_consent() -> bool:
        async with abandoned.shop.database.read() as session:
            return await has_marketing_consent(session, abandoned.customer_id)

    for link in ({}, {"id": found[1]}, {"id": found[1], "token": "x"}, {"id": "cus_2", "token": found[2]}):
        assert await press(**link) == "/unsubscribe?about=offers&said=invalid"
    assert await has_consent()
    assert await press(id=found[1], token=found[2]) == "/unsubscribe?about=offers&said=unsubscribed"
    assert await press(id=found[1], token=found[2]) == "/unsubscribe?about=offers&said=unsubscribed"
    assert not await has_consent()
