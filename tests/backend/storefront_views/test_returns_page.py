"""Returns on the order's page and in the account, as the buyer reads them."""

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.dates import date_label, last_day
from backend.mail.messages import message_of
from backend.mail.models import Mail
from backend.orders.models import Order
from backend.returns.processing import deny, pay
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.account_page import own_orders
from backend.storefront_views.order_page import OrderView, order_view
from tests.backend.returns.steps import Sold, approved, asked, deliver, opened, received, send, sold
from tests.store_defaults import Defaults, make_toy


@pytest.fixture
async def paid(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> Sold:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
    return await sold(shop, store, admin, toy)


async def page(shop: Shop, of: Sold) -> OrderView:
    async with shop.database.read() as session:
        return await order_view(session, shop.settings, of.order_id)


async def in_the_account(shop: Shop, of: Sold) -> tuple[str, list[str], bool]:
    """The order's status, returns, and whether more may be asked."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).where(Order.id == of.order_id).values(customer_id="cus_1"))
        (order,) = await own_orders(session, shop.settings.signing_key, "cus_1")
    return order.status, order.returns, order.can_ask


async def test_a_cancelled_order_says_when_the_money_comes(shop: Shop, paid: Sold) -> None:
    (offer,) = (await page(shop, paid)).returns.offers
    assert (offer.kind, offer.lines, offer.needs_account) == ("not_sent", [], True)
    row = await asked(shop, paid, "not_sent")
    shown = await page(shop, paid)
    assert (shown.status, shown.is_final, shown.can_retry, shown.journey) == ("returning", True, False, "")
    (told,) = shown.returns.asked
    assert (told.title, told.state) == (f"No despachado {row.number}", "to_pay")
    assert told.text.startswith("Te transferimos $\xa080.000 a más tardar el") or "80.000" in told.text
    assert await in_the_account(shop, paid) == ("canceled", [f"No despachado {row.number}: Por pagar"], True)
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-77")
    shown = await page(shop, paid)
    assert (shown.status, shown.returns.offers) == ("refunded", [])
    assert shown.returns.asked[0].text.endswith("Referencia: A-77.")
    assert (await in_the_account(shop, paid))[2] is False


async def test_whose_payment_is_reversed_has_nothing_to_send_back(shop: Shop, paid: Sold) -> None:
    row = await opened(shop, paid, "reversal", 0)
    (told,) = (await page(shop, paid)).returns.asked
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == "return_requested"))).scalar_one()
        message = await message_of(session, shop.settings, mail)
    assert message is not None
    expected = f"Te devolvemos el dinero a más tardar el {date_label(last_day(row.due_at))}."
    assert (told.text, message.values["next_step"]) == (expected, expected)


async def test_what_was_delivered(shop: Shop, admin: httpx.AsyncClient, paid: Sold) -> None:
    await send(admin, paid)
    await deliver(shop, paid)
    withdrawal, warranty = (await page(shop, paid)).returns.offers
    assert [(line.title, line.units) for line in withdrawal.lines] == [("Trompo", 2)]
    assert "Puedes pedirlo hasta el" in withdrawal.lead
    assert (warranty.needs_account, warranty.needs_reason, warranty.takes_pictures) == (False, True, True)
    row = await asked(shop, paid, units=2)
    shown = await page(shop, paid)
    assert (shown.returns.offers, shown.status) == ([], "paid")
    await received(shop, row, paid, 2)
    assert (await page(shop, paid)).returns.asked[0].state_label == "Recibida"
    async with shop.database.transaction() as session:
        await deny(session, COMMAND_LINE, row.id, "Está usado.\nLe falta la cuerda.")
    (told,) = (await page(shop, paid)).returns.asked
    assert (told.state_label, told.denial) == ("Negada", ["Está usado.", "Le falta la cuerda."])
    again = await approved(shop, await asked(shop, paid, "warranty", reason="No gira."), 1_000)
    assert (await page(shop, paid)).returns.asked[1].title == f"Garantía {again.number}"
