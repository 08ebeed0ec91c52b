"""The sales of Hoy, of Informes and of the payments, to the peso, after each step.

| step | captured | refunded | paid orders |
|---|---|---|---|
| a first order of 80.000 is paid | 80.000 | 0 | 1 |
| 50.000 of another 80.000 arrive and are accepted | 130.000 | 0 | 2 |
| 12.000 of the first order are given back | 130.000 | 12.000 | 2 |
| a third order of 80.000 is paid; a unit is added to it, and the difference is owed | 210.000 | 12.000 | 3 |
| the difference is paid in cash | 250.000 | 12.000 | 3 |
| two units are sold at the counter | 330.000 | 12.000 | 4 |
| two units leave the third order; the difference is still to give back | 330.000 | 12.000 | 4 |
| the difference is given back | 330.000 | 92.000 | 4 |
"""

import httpx
from sqlalchemy import func, select

from backend.app import Shop
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.office.reports import report_view
from backend.office.today import today_view
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.difference import (
    DifferenceReceipt,
    give_back_difference,
    read_difference,
    receive_difference,
)
from backend.order_edits.editing import open_edit, set_line_quantity
from backend.orders.service import list_order_lines, read_order
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import list_payment_sessions
from backend.payment.states import SessionState
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import (
    read_open_attention,
    report_amount,
    report_payment,
    resolve,
)
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase, post

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
PRICE = 40_000


async def expect_sales(shop: Shop, captured: int, refunded: int, orders: int) -> None:
    """Check that Hoy, Informes (with its IVA table) and the payments agree on these sums and orders."""
    async with shop.database.read() as session:
        today = await today_view(session, OWNER, shop.settings)
        books = await report_view(session, OWNER, {"periodo": "hoy"})
        paid = select(func.sum(PaymentSession.captured_amount)).where(
            PaymentSession.state == SessionState.CAPTURED
        )
        payments = (await session.execute(paid)).scalar_one()
        refunds = (await session.execute(select(func.coalesce(func.sum(Refund.amount), 0)))).scalar_one()
    net = captured - refunded
    labels = today.sold_label, books.net, books.captured, books.refunded, books.tax[-1].total
    assert [int("".join(filter(str.isdigit, one))) for one in labels] == [net, net, captured, refunded, net]
    assert (payments, refunds) == (captured, refunded)
    assert (today.orders, books.orders) == (orders, orders)


async def place_order(shop: Shop, store: httpx.AsyncClient, variant_id: str) -> tuple[str, str]:
    """Order two units by PSE. Return the ids of the order and of its payment, which is at the bank."""
    order = await complete_purchase(store, variant_id, 2, PSE)
    async with shop.database.read() as session:
        cart_id = (await read_order(session, order["id"])).cart_id
        (payment,) = await list_payment_sessions(session, cart_id)
    return order["id"], payment.id


async def set_units(shop: Shop, order_id: str, units: int) -> int:
    """Set the units of the order's only line. Return the difference; it is negative if the shop owes it."""
    async with shop.database.transaction() as session:
        edit = await open_edit(session, OWNER, order_id)
        (line,) = await list_order_lines(session, order_id)
        await set_line_quantity(session, OWNER, edit.id, line.id, units)
    async with shop.database.transaction() as session:
        await confirm_edit(session, OWNER, edit.id, expected_total=None)
    async with shop.database.read() as session:
        return await read_difference(session, await read_order(session, order_id))


async def test_start_screen_and_reports_show_the_sum_of_the_payments(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=20, price=PRICE)
    order_id, payment_id = await place_order(shop, store, toy)
    await report_payment(shop, payment_id, ProviderState.CAPTURED)
    await expect_sales(shop, 80_000, 0, 1)
    _part, payment_id = await place_order(shop, store, toy)
    await report_amount(shop, payment_id, "50000")
    answer = await resolve(admin, await read_open_attention(shop), action="honor")
    assert answer.status_code == 200
    await expect_sales(shop, 130_000, 0, 2)
    await post(admin, f"/admin/orders/{order_id}/refunds", {"amount": 12_000, "reference": "TR-1"})
    await expect_sales(shop, 130_000, 12_000, 2)
    edited_id, payment_id = await place_order(shop, store, toy)
    await report_payment(shop, payment_id, ProviderState.CAPTURED)
    assert await set_units(shop, edited_id, 3) == PRICE
    await expect_sales(shop, 210_000, 12_000, 3)
    async with shop.database.transaction() as session:
        receipt = DifferenceReceipt(PRICE, ManualMethod.CASH)
        await receive_difference(session, OWNER, edited_id, receipt)
    await expect_sales(shop, 250_000, 12_000, 3)
    async with shop.database.transaction() as session:
        draft = await open_current_draft(session, OWNER)
        await add_units(session, OWNER, draft.id, toy, 2)
        received = ReceivedMoney(2 * PRICE, ManualMethod.CASH)
        await sell(session, OWNER, shop.settings, draft.id, received=received)
    await expect_sales(shop, 330_000, 12_000, 4)
    assert await set_units(shop, edited_id, 1) == -2 * PRICE
    await expect_sales(shop, 330_000, 12_000, 4)
    receipt = DifferenceReceipt(2 * PRICE, ManualMethod.TRANSFER, "TR-2")
    await give_back_difference(shop.database, OWNER, edited_id, receipt)
    await expect_sales(shop, 330_000, 92_000, 4)
