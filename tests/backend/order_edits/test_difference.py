"""The difference of an edit: staff receive it or give it back, and stock, books and reports agree with it.

| fault | outcome |
|---|---|
| the order is packed while the difference is owed | refused |
| the difference is booked twice, or by two staff members at once | one payment |
| another amount than the owed one | refused |
| the customer does not pay, and the order is edited back | nothing is owed |
| the refund is booked twice | one refund |
| a seller books the refund | refused: only the owner |
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.core.clock import now
from backend.core.errors import Conflict, Forbidden, InvalidData
from backend.order_edits.difference import (
    DifferenceChanged,
    DifferenceReceipt,
    DifferenceRefundResolver,
    NothingOwed,
    give_back_difference,
    receive_difference,
)
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import list_order_refunds, refund_order
from backend.orders.packing_holds import PackingHeld
from backend.payment.cash import sum_cash
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import Refund
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import OWNER, SELLER
from tests.backend.order_edits.editing_kit import (
    confirm,
    list_payments,
    pack_order,
    place_paid_order,
    receive,
    write_edit,
)
from tests.backend.rivals import run_against_rival


async def make_dearer(till: Till) -> Order:
    """Return a paid order to which a trompo was added, so that the customer owes its price."""
    trompo = await till.make_variant(stock=9)
    order = await place_paid_order(till, trompo)
    return await confirm(till, await write_edit(till, order, added={trompo: 1}), 2 * PRICE)


async def make_cheaper(till: Till) -> Order:
    """Return a paid order from which a trompo was removed, so that its price must be refunded."""
    trompo = await till.make_variant(stock=9)
    order = await place_paid_order(till, trompo, 3)
    return await confirm(till, await write_edit(till, order, quantities={trompo: 2}), 2 * PRICE)


async def list_refunds(till: Till, order: Order) -> list[Refund]:
    async with till.database.read() as session:
        return list(await list_order_refunds(session, order))


def to_give_back(amount: int, reference: str = "T-1") -> DifferenceReceipt:
    return DifferenceReceipt(amount, ManualMethod.TRANSFER, reference)


async def test_owed_difference_prevents_packing_until_it_is_received(till: Till) -> None:
    order = await make_dearer(till)
    assert (order.total, order.payment_status) == (2 * PRICE, "partially_captured")
    assert await till.attention() == [("edit_owed", order.id, PRICE)]
    with pytest.raises(PackingHeld):
        await pack_order(till, order)
    payment = await receive(till, order, PRICE, ManualMethod.NEQUI)
    assert (payment.state, payment.method, payment.reference) == ("captured", "nequi", "R-1")
    order = await till.read_order(order.id)
    assert (order.status, order.payment_status) == ("pending", "captured")
    assert await open_attention(till) == []
    async with till.database.read() as session:
        [cash] = await sum_cash(session, [(now() - timedelta(hours=1), now() + timedelta(hours=1))])
    assert (cash.captured, cash.refunded) == (2 * PRICE, 0)
    await pack_order(till, order)


async def open_attention(till: Till) -> list[tuple[str, int | None]]:
    async with till.database.read() as session:
        rows = await session.execute(
            select(Attention.kind, Attention.amount).where(Attention.resolved_at.is_(None))
        )
        return [(kind, amount) for kind, amount in rows]


async def test_payment_of_a_difference_is_recorded_once_by_concurrent_requests(till: Till) -> None:
    order = await make_dearer(till)
    results = await asyncio.gather(*(receive(till, order, PRICE) for _ in range(3)), return_exceptions=True)
    assert sum(1 for one in results if isinstance(one, NothingOwed)) == 2
    assert sum(one.captured_amount or 0 for one in await list_payments(till, order)) == 2 * PRICE


async def test_difference_recorded_concurrently_by_another_request_cannot_be_recorded_again(
    till: Till,
) -> None:
    order = await make_dearer(till)

    async def rival(session: AsyncSession) -> None:
        receipt = DifferenceReceipt(PRICE, ManualMethod.CASH)
        await receive_difference(session, OWNER, order.id, receipt)

    with pytest.raises(NothingOwed):
        await run_against_rival(till.database, rival, lambda: receive(till, order, PRICE))


async def test_wrong_amount_or_missing_reference_is_refused(till: Till) -> None:
    order = await make_dearer(till)
    with pytest.raises(DifferenceChanged):
        await receive(till, order, PRICE - 1)
    with pytest.raises(InvalidData):
        async with till.database.transaction() as session:
            await receive_difference(
                session, SELLER, order.id, DifferenceReceipt(PRICE, ManualMethod.TRANSFER)
            )
    assert (await till.read_order(order.id)).payment_status == "partially_captured"


async def test_nothing_is_owed_after_the_order_is_edited_back(till: Till) -> None:
    order = await make_dearer(till)
    variant = next(iter(await till.sold(order.id)))
    order = await confirm(till, await write_edit(till, order, quantities={variant: 1}), PRICE)
    assert order.payment_status == "captured"
    assert await open_attention(till) == []
    assert await till.available(variant) == 8
    with pytest.raises(NothingOwed):
        await receive(till, order, PRICE)


async def test_difference_of_an_edited_order_is_refunded_once(till: Till) -> None:
    order = await make_cheaper(till)
    assert (order.total, order.payment_status) == (2 * PRICE, "captured")
    assert await open_attention(till) == [("edit_refund", PRICE)]
    with pytest.raises(DifferenceChanged):
        await give_back_difference(till.database, OWNER, order.id, to_give_back(PRICE + 1))
    with pytest.raises(Forbidden):
        await give_back_difference(till.database, SELLER, order.id, to_give_back(PRICE))
    results = await asyncio.gather(
        *(give_back_difference(till.database, OWNER, order.id, to_give_back(PRICE)) for _ in range(2)),
        return_exceptions=True,
    )
    assert sum(1 for one in results if isinstance(one, NothingOwed)) == 1
    assert [one.amount for one in await list_refunds(till, order)] == [PRICE]
    order = await till.read_order(order.id)
    assert (order.status, order.payment_status) == ("pending", "captured")
    assert await open_attention(till) == []
    await pack_order(till, order)


async def test_resolving_the_attention_about_a_difference_books_its_refund(till: Till) -> None:
    order = await make_cheaper(till)
    service = AttentionService(till.database, {AttentionKind.EDIT_REFUND: DifferenceRefundResolver()})
    async with till.database.read() as session:
        row = (await session.execute(select(Attention))).scalar_one()
    await service.resolve(row.id, Decision(Action.REFUNDED, OWNER, reference="T-9"))
    assert [(one.amount, one.reference) for one in await list_refunds(till, order)] == [(PRICE, "T-9")]
    assert await open_attention(till) == []


async def test_attention_about_a_difference_cannot_be_resolved_after_its_refund_was_booked(
    till: Till,
) -> None:
    order = await make_cheaper(till)
    service = AttentionService(till.database, {AttentionKind.EDIT_REFUND: DifferenceRefundResolver()})
    async with till.database.read() as session:
        row = (await session.execute(select(Attention))).scalar_one()
    await give_back_difference(till.database, OWNER, order.id, to_give_back(PRICE))
    with pytest.raises(Conflict):
        await service.resolve(row.id, Decision(Action.REFUNDED, OWNER, reference="T-9"))
    assert len(await list_refunds(till, order)) == 1


async def test_full_refund_of_an_order_refunds_both_payments(till: Till) -> None:
    order = await make_dearer(till)
    await receive(till, order, PRICE)
    new = CreateRefund(amount=2 * PRICE, reference="T-2", reason="no lo quiere", cancel=True)
    await refund_order(till.database, OWNER, order.id, new)
    await refund_order(till.database, OWNER, order.id, new)  # repeated
    assert [one.amount for one in await list_refunds(till, order)] == [PRICE, PRICE]
    assert (await till.read_order(order.id)).status == "canceled"


async def test_order_with_a_refunded_difference_can_be_edited_again(till: Till) -> None:
    yoyo = await till.make_variant("yoyo", stock=5, price=15_000)
    order = await make_cheaper(till)
    await give_back_difference(till.database, OWNER, order.id, to_give_back(PRICE))
    order = await confirm(till, await write_edit(till, order, added={yoyo: 1}), 2 * PRICE + 15_000)
    assert await open_attention(till) == [("edit_owed", 15_000)]
    await receive(till, order, 15_000)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await open_attention(till) == []


async def test_full_refund_of_an_order_closes_the_attention_about_its_difference(till: Till) -> None:
    order = await make_cheaper(till)
    new = CreateRefund(amount=3 * PRICE, reference="T-3", reason="no lo quiere", cancel=True)
    await refund_order(till.database, OWNER, order.id, new)
    assert await open_attention(till) == []
    assert (await till.read_order(order.id)).status == "canceled"


async def test_cancelled_order_owes_no_difference(till: Till) -> None:
    order = await make_dearer(till)
    new = CreateRefund(amount=PRICE, reference="T-4", reason="no lo quiere", cancel=True)
    await refund_order(till.database, OWNER, order.id, new)
    assert await open_attention(till) == []
    with pytest.raises(NothingOwed):
        await receive(till, order, PRICE)
