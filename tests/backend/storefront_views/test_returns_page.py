"""Returns on the order's page and in the account, as the customer sees them."""

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.dates import date_label, last_day
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.orders.models import Order
from backend.returns.processing import deny, pay
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.account_page import list_customer_orders
from backend.storefront_views.order_page import OrderView, order_view
from tests.backend.returns.steps import (
    Sold,
    approve_return,
    deliver_order,
    open_by_staff,
    pack_units,
    receive_units,
    request_return,
)
from tests.sold_order import SoldOrder


@pytest.fixture
def paid_order(sold_order: SoldOrder) -> Sold:
    return Sold(sold_order.order_id, sold_order.line_id)


async def page(shop: Shop, of: Sold) -> OrderView:
    async with shop.database.read() as session:
        return await order_view(session, shop.settings, of.order_id)


async def read_account_order(shop: Shop, of: Sold) -> tuple[str, list[str], bool]:
    """Return the order's status, its returns, and whether a return can be requested."""
    async with shop.database.transaction() as session:
        await session.execute(update(Order).where(Order.id == of.order_id).values(customer_id="cus_1"))
        (order,) = await list_customer_orders(session, shop.settings.signing_key, "cus_1")
    return order.status, order.returns, order.can_request_return


async def test_page_of_a_cancelled_order_shows_the_refund_date(shop: Shop, paid_order: Sold) -> None:
    (offer,) = (await page(shop, paid_order)).returns.offers
    assert (offer.kind, offer.lines, offer.needs_account) == ("not_sent", [], True)
    row = await request_return(shop, paid_order, "not_sent")
    shown = await page(shop, paid_order)
    assert (shown.status, shown.is_final, shown.can_retry, shown.journey) == ("returning", True, False, "")
    (told,) = shown.returns.requested_returns
    assert (told.title, told.state) == (f"No entregado {row.number}", "to_pay")
    assert told.text.startswith("Te transferimos $\xa080.000 a más tardar el") or "80.000" in told.text
    assert await read_account_order(shop, paid_order) == (
        "canceled",
        [f"No entregado {row.number}: Por pagar"],
        True,
    )
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-77")
    shown = await page(shop, paid_order)
    assert (shown.status, shown.returns.offers) == ("refunded", [])
    assert shown.returns.requested_returns[0].text.endswith("Referencia: A-77.")
    assert (await read_account_order(shop, paid_order))[2] is False


async def test_page_of_an_order_with_a_reversed_payment_offers_no_return(
    shop: Shop, paid_order: Sold
) -> None:
    row = await open_by_staff(shop, paid_order, "reversal", 0)
    (told,) = (await page(shop, paid_order)).returns.requested_returns
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == "return_requested"))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    expected = f"Te devolvemos el dinero a más tardar el {date_label(last_day(row.due_at))}."
    assert (told.text, message.values["next_step"]) == (expected, expected)


async def test_page_of_a_delivered_order_offers_returns(
    shop: Shop, admin: httpx.AsyncClient, paid_order: Sold
) -> None:
    await pack_units(admin, paid_order)
    await deliver_order(shop, paid_order)
    withdrawal, warranty = (await page(shop, paid_order)).returns.offers
    assert [(line.title, line.units) for line in withdrawal.lines] == [("Trompo", 2)]
    assert "Puedes pedirlo hasta el" in withdrawal.lead
    assert (warranty.needs_account, warranty.needs_reason, warranty.takes_pictures) == (False, True, True)
    row = await request_return(shop, paid_order, units=2)
    shown = await page(shop, paid_order)
    assert (shown.returns.offers, shown.status) == ([], "paid")
    await receive_units(shop, row, paid_order, 2)
    assert (await page(shop, paid_order)).returns.requested_returns[0].state_label == "Recibida"
    async with shop.database.transaction() as session:
        await deny(session, COMMAND_LINE, row.id, "Está usado.\nLe falta la cuerda.")
    (told,) = (await page(shop, paid_order)).returns.requested_returns
    assert (told.state_label, told.denial) == ("Negada", ["Está usado.", "Le falta la cuerda."])
    again = await approve_return(
        shop, await request_return(shop, paid_order, "warranty", reason="No gira."), 1_000
    )
    assert (await page(shop, paid_order)).returns.requested_returns[1].title == f"Garantía {again.number}"
