"""An exchange at the counter: units come back, others go out, and only the difference is paid."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.models import AuditEntry
from backend.cash_closings.service import read_open_day
from backend.core.clock import now
from backend.core.errors import Forbidden, InsufficientStock, InvalidData, NotAllowed
from backend.draft_orders.drafts import cancel_draft
from backend.draft_orders.models import DraftOrder
from backend.exchanges.preparation import ExchangeEnded, cancel_exchange, open_exchange
from backend.exchanges.settlement import ExchangeChanged
from backend.inventory import service as inventory
from backend.inventory.models import StockMovement
from backend.order_edits.difference import DifferenceReceipt
from backend.orders.models import Order
from backend.payment.manual_methods import ManualMethod
from backend.payment.payments import sum_captured_and_refunded
from backend.payment.sessions import list_payment_sessions
from backend.returns.requests import open_return
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import OWNER, SELLER, STOCKROOM, take_money
from tests.backend.exchanges.exchange_kit import (
    CASH,
    list_refunds_of,
    read_exchange_row,
    read_lines,
    read_return_row,
    sell_one,
    settle,
    write_exchange,
)
from tests.backend.rivals import run_against_rival


async def sell_and_stock(till: Till, *, price: int = PRICE, stock: int = 3) -> tuple[str, str, Order]:
    """Return two variants, and an order of one unit of the first. The second has this price and stock."""
    old = await till.make_variant("trompo", stock=3)
    new = await till.make_variant("balero", stock=stock, price=price)
    return old, new, await sell_one(till, old)


async def list_actions(till: Till, order: Order) -> list[str]:
    async with till.database.read() as session:
        query = select(AuditEntry.action).where(AuditEntry.subject_id == order.id)
        return list((await session.execute(query.order_by(AuditEntry.id))).scalars())


async def test_equal_exchange_moves_units_and_no_money(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    new_order = await settle(till, exchange, 0)
    assert (await till.available(old), await till.available(new)) == (3, 2)
    assert (new_order.payment_status, new_order.fulfillment_status, new_order.origin) == (
        "captured",
        "delivered",
        "counter",
    )
    assert (await till.read_order(order.id)).payment_status == "refunded"
    assert await list_refunds_of(till, order) == [(PRICE, str(new_order.number), "exchange")]
    row = await read_return_row(till, exchange)
    assert (row.kind, row.state, row.amount, row.exchange_id) == ("exchange", "paid", PRICE, exchange.id)
    exchange = await read_exchange_row(till, exchange)
    assert (exchange.status, exchange.credit, exchange.draft_order_id) == ("completed", PRICE, new_order.id)
    async with till.database.read() as session:
        moved = select(StockMovement.delta, StockMovement.reason).order_by(StockMovement.id)
        assert [tuple(one) for one in await session.execute(moved)] == [
            (-1, "sale"),
            (1, "return"),
            (-1, "sale"),
        ]
        day = await read_open_day(session, SELLER)
        assert (day.received, day.expected_cash) == ({"cash": PRICE}, PRICE)
        (payment,) = await list_payment_sessions(session, new_order.cart_id)
        assert (payment.method, payment.captured_amount, payment.reference) == (
            None,
            PRICE,
            str(order.number),
        )
    assert {"exchanged", "return opened", "return approved", "return paid"} <= set(
        await list_actions(till, order)
    )
    assert "sold in exchange" in await list_actions(till, new_order)


async def test_exchange_for_a_dearer_product_is_paid_with_credit_and_cash(till: Till) -> None:
    old, new, order = await sell_and_stock(till, price=PRICE + 5_000)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    new_order = await settle(till, exchange, 5_000, DifferenceReceipt(5_000, CASH))
    assert (new_order.total, new_order.payment_status) == (PRICE + 5_000, "captured")
    async with till.database.read() as session:
        payments = await list_payment_sessions(session, new_order.cart_id)
        assert sorted((one.captured_amount, one.method) for one in payments) == [
            (5_000, "cash"),
            (PRICE, None),
        ]
        assert (await read_open_day(session, SELLER)).received == {"cash": PRICE + 5_000}
    assert await till.attention() == []


async def test_exchange_for_a_cheaper_product_refunds_the_difference_in_cash(till: Till) -> None:
    old, new, order = await sell_and_stock(till, price=PRICE - 5_000)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    new_order = await settle(till, exchange, -5_000, DifferenceReceipt(5_000, CASH), actor=OWNER)
    assert (new_order.total, new_order.payment_status) == (PRICE - 5_000, "captured")
    assert await list_refunds_of(till, new_order) == [(5_000, str(new_order.number), "cash")]
    async with till.database.read() as session:
        day = await read_open_day(session, SELLER)
        assert (day.received, day.cash_given_back) == ({"cash": PRICE}, 5_000)
        assert await sum_captured_and_refunded(session, new_order.cart_id) == (PRICE, 5_000)
    assert await till.attention() == []


async def test_refund_by_a_seller_without_the_right_waits_for_the_owner(till: Till) -> None:
    old, new, order = await sell_and_stock(till, price=PRICE - 5_000)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    with pytest.raises(Forbidden):
        await settle(till, exchange, -5_000, DifferenceReceipt(5_000, CASH))
    await settle(till, exchange, -5_000)
    assert [(kind, amount) for kind, _message, amount in await till.attention()] == [("edit_refund", 5_000)]


@pytest.mark.parametrize(
    "money", [None, DifferenceReceipt(4_000, CASH), DifferenceReceipt(5_000, ManualMethod.NEQUI)]
)
async def test_exchange_with_an_unpaid_difference_is_not_settled(
    till: Till, money: DifferenceReceipt | None
) -> None:
    old, new, order = await sell_and_stock(till, price=PRICE + 5_000)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    with pytest.raises((InvalidData, ExchangeChanged)):
        await settle(till, exchange, 5_000, money)
    assert (await till.available(old), await till.available(new)) == (2, 3)
    assert (await read_exchange_row(till, exchange)).status == "open"


async def test_damaged_units_of_an_exchange_are_not_added_to_the_stock(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    await settle(till, exchange, 0, is_damaged=True)
    assert (await till.available(old), await till.available(new)) == (2, 2)


async def test_damaged_unit_is_exchanged_for_a_unit_of_the_same_variant(till: Till) -> None:
    """Replace a damaged unit by a unit of the same variant."""
    variant = await till.make_variant(stock=2)
    order = await sell_one(till, variant)
    exchange = await write_exchange(till, order, {variant: 1}, {variant: 1})
    await settle(till, exchange, 0, is_damaged=True)
    assert await till.available(variant) == 0


async def test_repeated_settlement_creates_one_order(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    orders = await asyncio.gather(*(settle(till, exchange, 0) for _ in range(3)))
    assert len({one.id for one in orders}) == 1
    assert len(await till.orders()) == 2
    assert (await till.available(old), await till.available(new)) == (3, 2)


async def test_settlement_is_refused_if_the_seller_saw_another_difference(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    with pytest.raises(ExchangeChanged):
        await settle(till, exchange, 1_000)


async def test_two_concurrent_tabs_open_the_same_exchange(till: Till) -> None:
    _old, _new, order = await sell_and_stock(till)

    async def open_one() -> str:
        async with till.database.transaction() as session:
            return (await open_exchange(session, SELLER, order.id)).id

    assert len(set(await asyncio.gather(open_one(), open_one()))) == 1


async def test_exchanged_unit_cannot_be_exchanged_again(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    await settle(till, await write_exchange(till, order, {old: 1}, {new: 1}), 0)
    with pytest.raises(NotAllowed):
        await write_exchange(till, order, {old: 1}, {new: 1})


async def test_unit_that_is_returned_at_the_same_time_is_not_exchanged(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    lines = await read_lines(till, order)

    async def return_it(session: AsyncSession) -> None:
        typed = {"kind": "warranty", f"units-{lines[0].id}": "1"}
        await open_return(session, SELLER, order.id, typed)

    with pytest.raises(InvalidData):
        await run_against_rival(till.database, return_it, lambda: settle(till, exchange, 0))
    assert (await till.available(old), await till.available(new)) == (2, 3)
    assert (await read_exchange_row(till, exchange)).status == "open"


async def test_last_unit_sold_at_the_same_time_is_not_exchanged(till: Till) -> None:
    old, new, order = await sell_and_stock(till, stock=1)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    web_cart = await till.cart(new)

    async def hold(session: AsyncSession) -> None:
        await inventory.reserve(session, web_cart, {new: 1}, until=now() + timedelta(hours=1))

    with pytest.raises(InsufficientStock):
        await run_against_rival(till.database, hold, lambda: settle(till, exchange, 0))
    assert await till.available(old) == 2
    assert (await read_exchange_row(till, exchange)).status == "open"


async def test_two_exchanges_of_opposite_products_do_not_deadlock(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    other = await sell_one(till, new)
    exchanges = [
        await write_exchange(till, order, {old: 1}, {new: 1}),
        await write_exchange(till, other, {new: 1}, {old: 1}),
    ]
    await asyncio.gather(*(settle(till, one, 0) for one in exchanges))
    assert (await till.available(old), await till.available(new)) == (2, 2)


async def test_exchange_cancelled_at_the_same_time_is_not_settled(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})

    async def cancel(session: AsyncSession) -> None:
        await cancel_exchange(session, SELLER, exchange.id)

    with pytest.raises((ExchangeEnded, NotAllowed)):
        await run_against_rival(till.database, cancel, lambda: settle(till, exchange, 0))
    assert len(await till.orders()) == 1
    assert "exchange canceled" in await list_actions(till, order)


async def test_draft_of_an_exchange_cannot_be_sold_or_cancelled_separately(till: Till) -> None:
    old, new, order = await sell_and_stock(till)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    async with till.database.read() as session:
        draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    with pytest.raises(NotAllowed):
        await take_money(till, draft, PRICE)
    with pytest.raises(NotAllowed):
        async with till.database.transaction() as session:
            await cancel_draft(session, SELLER, draft.id)


@pytest.mark.parametrize("actor", [STOCKROOM, Actor("staff_x", "rol_x")])
async def test_exchange_is_refused_without_the_rights_for_sales_and_returns(till: Till, actor: Actor) -> None:
    _old, _new, order = await sell_and_stock(till)
    with pytest.raises(Forbidden):
        async with till.database.transaction() as session:
            await open_exchange(session, actor, order.id)
