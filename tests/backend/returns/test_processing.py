"""Processing of a return: arrival, decision and payment, each exactly once."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.audit import AuditEntry
from backend.catalog.models import WRAPPING_SKU
from backend.core.errors import Conflict, Forbidden, InvalidData, NotAllowed, NotFound
from backend.inventory.models import StockMovement
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.orders.models import Fulfillment, OrderLine
from backend.payment.models import Refund
from backend.returns.deadlines import compute_payment_deadline
from backend.returns.models import Return, ReturnAccount, ReturnLine
from backend.returns.processing import add_receipt, deny, pay, read_return, save_account
from backend.returns.reminders import LATE, SOON, ReturnReminders
from backend.returns.states import STEPS, ReturnState
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from tests.backend.orders.paying import read_order_status, read_stock
from tests.backend.returns.steps import (
    ACCOUNT,
    Sold,
    add_shipping,
    approve_return,
    cancel_label,
    count_to_pack,
    deliver_order,
    open_by_staff,
    pack_units,
    read_proposal,
    read_state,
    receive_units,
    request_return,
)
from tests.store_steps import get, post


async def deny_return(
    shop: Shop, row: Return, why: str = "No se compró aquí.", by: Actor = COMMAND_LINE
) -> Return:
    async with shop.database.transaction() as session:
        return await deny(session, by, row.id, why)


async def read_all(shop: Shop, column: Any, *conditions: Any) -> list[Any]:
    async with shop.database.read() as session:
        return list((await session.execute(select(column).where(*conditions))).scalars())


async def test_return_is_requested_received_approved_and_paid(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=1, damaged=1)
    assert await read_stock(shop) == (3, 0)  # they belong to the customer until the return is granted
    await approve_return(shop, row, 80_000)
    assert await read_stock(shop) == (4, 0)
    moved = await read_all(shop, StockMovement, StockMovement.reason == "return")
    assert [(one.delta, one.order_id) for one in moved] == [(1, delivered.order_id)]
    (line,) = await read_all(shop, ReturnLine)
    assert (line.good, line.damaged, line.restocked) == (1, 1, True)
    (of_order,) = await read_all(shop, OrderLine)
    assert of_order.returned == 2
    paid = await pay(shop.database, COMMAND_LINE, row.id, 80_000, " TR  0042 ")
    (refund,) = await read_all(shop, Refund)
    assert (refund.id, refund.amount, refund.reference) == (paid.refund_id, 80_000, "TR 0042")
    assert [(one["line_id"], one["quantity"]) for one in refund.lines] == [(delivered.line_id, 2)]
    assert await read_order_status(shop, delivered.order_id) == ("pending", "refunded")
    assert sorted(kind for kind in await read_all(shop, Mail.kind) if kind.startswith("re")) == [
        "refunded",
        "return_approved",
        "return_received",
        "return_requested",
    ]
    done = await read_all(shop, AuditEntry, AuditEntry.subject_id == delivered.order_id)
    in_order = [entry.action for entry in sorted(done, key=lambda entry: entry.id)]
    assert [one for one in in_order if one.startswith("re")] == [
        "return received",
        "return approved",
        "return paid",
        "refunded",
    ]
    detail = (await get(admin, f"/admin/orders/{delivered.order_id}"))["order"]["items"][0]["detail"]
    assert detail["return_received_quantity"] == 2


async def test_refund_of_a_return_lists_the_units_that_arrived(shop: Shop, delivered: Sold) -> None:
    """Check the lines that a credit note needs (`backend.invoices.document_lines`)."""
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=1)
    await approve_return(shop, row, 40_000)
    await pay(shop.database, COMMAND_LINE, row.id, 40_000, "TR 0042")
    (refund,) = await read_all(shop, Refund)
    assert refund.lines == [{"line_id": delivered.line_id, "quantity": 1, "restock": True}]
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.returned, of_order.withdrawn) == (1, 0)
    assert await read_stock(shop) == (4, 0)


async def test_units_are_not_restocked_if_damaged_or_not_requested(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=2)
    await approve_return(shop, row, 1_000, restock=False)
    assert await read_stock(shop) == (3, 0)
    assert [line.restocked for line in await read_all(shop, ReturnLine)] == [False]


async def test_gift_wrapping_is_refunded_but_not_restocked(shop: Shop, delivered: Sold) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(OrderLine).values(sku=WRAPPING_SKU))
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=2)
    await approve_return(shop, row, 80_000)
    assert await read_stock(shop) == (3, 0)
    assert [line.restocked for line in await read_all(shop, ReturnLine)] == [False]
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "TR 0043")
    assert await read_order_status(shop, delivered.order_id) == ("pending", "refunded")


async def test_units_of_an_approved_return_that_are_in_no_parcel_are_not_sent(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await pack_units(admin, paid)
    row = await request_return(shop, paid, units=2)
    await cancel_label(admin, paid, parcel)
    assert (await count_to_pack(admin), await read_stock(shop)) == (1, (5, 2))
    await approve_return(shop, row, 80_000)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (5, 0))
    assert await read_order_status(shop, paid.order_id) == ("canceled", "captured")
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    assert await read_order_status(shop, paid.order_id) == ("canceled", "refunded")
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (0, 2, 0)


@pytest.mark.parametrize("is_paid", [False, True])
async def test_units_refunded_while_packed_stay_unsent_after_their_label_is_cancelled(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, is_paid: bool
) -> None:
    parcel = await pack_units(admin, paid)
    row = await request_return(shop, paid, units=2)
    await approve_return(shop, row, 80_000)
    assert await read_stock(shop) == (3, 0)  # it may still leave
    if is_paid:
        await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    for _press in range(2):
        await cancel_label(admin, paid, parcel)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (5, 0))
    assert await read_order_status(shop, paid.order_id) == ("canceled", "refunded" if is_paid else "captured")
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (0, 2, 0)


@pytest.mark.parametrize(
    ("becomes", "proposed"), [("cancelled", 50_000), ("packed", 40_000), ("delivered", 40_000)]
)
async def test_proposed_refund_is_all_remaining_money_if_nothing_is_sent(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, becomes: str, proposed: int
) -> None:
    """Withdraw one of two units, then the other: the second refund includes the shipping if neither was sent.

    Ley 1480 of 2011, art. 50 h.
    """
    await add_shipping(shop, 10_000)
    await open_by_staff(shop, paid, "not_sent", 1)
    parcel = await pack_units(admin, paid, 1)
    row = await request_return(shop, paid)
    if becomes == "cancelled":
        await cancel_label(admin, paid, parcel)
    elif becomes == "delivered":
        await deliver_order(shop, paid)
    assert await read_proposal(shop, row) == proposed


@pytest.mark.parametrize(
    ("amount", "waits", "stocked", "stands_then"),
    [
        (80_000, 0, (5, 0), ("canceled", "captured")),
        (79_999, 1, (5, 2), ("pending", "captured")),
    ],
)
async def test_order_is_not_sent_when_its_full_refund_is_approved(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    amount: int,
    waits: int,
    stocked: tuple[int, int],
    stands_then: tuple[str, str],
) -> None:
    row = await open_by_staff(shop, paid, "reversal", 0)
    assert (await count_to_pack(admin), await read_stock(shop)) == (1, (5, 2))
    await approve_return(shop, row, amount)
    assert (await count_to_pack(admin), await read_stock(shop)) == (waits, stocked)
    assert await read_order_status(shop, paid.order_id) == stands_then


@pytest.mark.parametrize("is_denied_first", [True, False])
async def test_units_without_an_approved_return_are_sent_after_their_label_is_cancelled(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, is_denied_first: bool
) -> None:
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    second = await pack_units(admin, paid, 1)
    granted, open_one = await request_return(shop, paid), await request_return(shop, paid)
    await approve_return(shop, granted, 40_000)
    if is_denied_first:
        await deny_return(shop, open_one)
    await cancel_label(admin, paid, second)
    if not is_denied_first:
        await deny_return(shop, open_one)
    assert await read_stock(shop) == (4, 1)


@pytest.mark.parametrize(
    ("amount", "stands_then"),
    [(70_000, ("pending", "partially_refunded")), (80_000, ("canceled", "refunded"))],
)
async def test_order_with_refunded_parcel_is_cancelled_when_no_money_is_left(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    amount: int,
    stands_then: tuple[str, str],
) -> None:
    parcel = await pack_units(admin, paid)
    lines = [{"line_id": paid.line_id, "quantity": 2, "restock": True}]
    refund = {"amount": amount, "reference": "A-1", "lines": lines}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", refund)
    await cancel_label(admin, paid, parcel)
    assert await read_stock(shop) == (5, 0)
    assert await read_order_status(shop, paid.order_id) == stands_then


async def test_rest_of_an_order_is_sent_after_the_return_of_an_unsent_parcel(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    first = await pack_units(admin, paid, 1)
    row = await request_return(shop, paid)
    await cancel_label(admin, paid, first)
    await approve_return(shop, row, 40_000)
    assert (await count_to_pack(admin), await read_stock(shop)) == (1, (5, 1))
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (4, 0))
    await request_return(shop, paid)  # the customer has the sent unit and may return it


@pytest.mark.parametrize(
    ("good", "damaged", "restock", "stocked"), [(2, 0, True, 5), (2, 0, False, 3), (1, 1, True, 4)]
)
async def test_units_of_a_parcel_that_never_left_count_as_arrived(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, good: int, damaged: int, restock: bool, stocked: int
) -> None:
    parcel = await pack_units(admin, paid)
    row = await request_return(shop, paid, units=2)
    await cancel_label(admin, paid, parcel)
    await receive_units(shop, row, paid, good, damaged)
    await approve_return(shop, row, 80_000, restock=restock)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (stocked, 0))
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.withdrawn, of_order.returned) == (2, 0)


async def test_returned_units_are_counted_separately_from_units_that_never_left(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    second = await pack_units(admin, paid, 1)
    row = await request_return(shop, paid, units=2)
    await cancel_label(admin, paid, second)
    await receive_units(shop, row, paid, good=1)
    assert await read_proposal(shop, row) == 80_000
    await approve_return(shop, row, 80_000)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (5, 0))
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 1, 1)
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    (refund,) = await read_all(shop, Refund)
    assert [one["quantity"] for one in refund.lines] == [2]


@pytest.mark.parametrize(("good", "damaged", "stocked"), [(1, 0, (5, 1)), (0, 1, (4, 1))])
async def test_unit_that_arrived_for_one_return_is_not_counted_for_another(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    good: int,
    damaged: int,
    stocked: tuple[int, int],
) -> None:
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    second = await pack_units(admin, paid, 1)
    first_return, other = await request_return(shop, paid), await request_return(shop, paid)
    await cancel_label(admin, paid, second)
    await receive_units(shop, first_return, paid, good, damaged)
    await approve_return(shop, first_return, 40_000)
    assert await read_stock(shop) == stocked
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 0, 1)
    await approve_return(shop, other, 40_000)
    assert (await count_to_pack(admin), await read_stock(shop)) == (0, (stocked[0], 0))
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 1, 1)


async def test_returned_unit_is_subtracted_from_the_parcel_that_left(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    """Return one unit when one is delivered and one is packed: the packed unit stays reserved for the customer."""
    await pack_units(admin, paid, 1)
    await deliver_order(shop, paid)
    packed = await pack_units(admin, paid, 1)
    row = await request_return(shop, paid)
    await receive_units(shop, row, paid, good=1)
    await approve_return(shop, row, 40_000)
    assert await read_stock(shop) == (4, 0)
    await cancel_label(admin, paid, packed)
    assert await read_stock(shop) == (5, 1)
    (of_order,) = await read_all(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 0, 1)


async def test_return_cannot_be_approved_while_its_units_are_packed(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await pack_units(admin, paid)
    row = await request_return(shop, paid, units=2)
    await cancel_label(admin, paid, parcel)
    async with shop.database.transaction() as session:
        session.add(
            Fulfillment(
                order_id=paid.order_id,
                reference="again",
                location_id=(await session.get_one(Fulfillment, parcel)).location_id,
                provider_id="carrier_standard",
            )
        )
    with pytest.raises(NotAllowed):
        await approve_return(shop, row, 80_000)
    assert (await read_state(shop, row), await read_stock(shop)) == ("requested", (5, 2))


async def test_return_is_paid_once_by_concurrent_payments(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    await approve_return(shop, row, 40_000)
    same = await asyncio.gather(*(pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1") for _n in range(4)))
    assert len({one.refund_id for one in same}) == 1
    for amount, reference in ((40_000, "A-2"), (39_000, "A-1")):
        with pytest.raises(Conflict):
            await pay(shop.database, COMMAND_LINE, row.id, amount, reference)
    assert [refund.amount for refund in await read_all(shop, Refund)] == [40_000]


async def test_one_bank_transfer_pays_only_one_return(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    first, second = await request_return(shop, delivered), await request_return(shop, delivered)
    for row in (first, second):
        await approve_return(shop, row, 40_000)
    # an earlier manual refund with the same reference is the same transfer
    booked = await post(
        admin, f"/admin/orders/{delivered.order_id}/refunds", {"amount": 40_000, "reference": "A-1"}
    )
    row = await pay(shop.database, COMMAND_LINE, first.id, 40_000, "A-1")
    assert row.refund_id == booked["refund"]["id"]
    with pytest.raises(Conflict):
        await pay(shop.database, COMMAND_LINE, second.id, 40_000, "A-1")
    assert await read_state(shop, second) == "to_pay"


async def test_refund_of_a_return_never_exceeds_the_paid_amount(shop: Shop, delivered: Sold) -> None:
    first, second = await request_return(shop, delivered), await request_return(shop, delivered)
    for amount in (0, -1, 80_001):
        with pytest.raises(InvalidData):
            await approve_return(shop, first, amount)
    await approve_return(shop, first, 50_000, why="Se rompió la piola también.")
    with pytest.raises(InvalidData) as refused:
        await approve_return(shop, second, 30_001)  # 50 000 are already approved
    assert "30.000" in refused.value.fields["amount"]
    await approve_return(shop, second, 30_000)
    await pay(shop.database, COMMAND_LINE, first.id, 80_000, "A-1", why="Todo el pedido.")
    with pytest.raises(NotAllowed):
        await pay(shop.database, COMMAND_LINE, second.id, 1, "A-2")
    for amount, reference in ((0, "A-3"), (1, " "), (1, "x" * 101)):
        with pytest.raises(InvalidData):
            await pay(shop.database, COMMAND_LINE, second.id, amount, reference)


async def test_more_units_than_requested_cannot_be_received(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    for good, damaged in ((2, 0), (1, 1), (-1, 0), (0, 0)):
        with pytest.raises(InvalidData):
            await receive_units(shop, row, delivered, good, damaged)
    await receive_units(shop, row, delivered, 1)
    with pytest.raises(Conflict):
        await receive_units(shop, row, delivered, 1)


async def test_return_can_be_decided_only_once(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    done = await asyncio.gather(
        approve_return(shop, row, 40_000),
        deny_return(shop, row),
        approve_return(shop, row, 40_000),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in done) == ["Conflict", "Conflict", "Return"]


async def test_denying_a_return_requires_a_reason_and_releases_its_units(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, units=2)
    await receive_units(shop, row, delivered, good=2)
    for why in ("", " \n", "x" * 2001):
        with pytest.raises(InvalidData):
            await deny_return(shop, row, why)
    await deny_return(shop, row, "Está usado.\r\nLe falta la cuerda.")
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == "return_denied"))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    assert message.values["denial"] == ["Está usado.", "Le falta la cuerda."]
    assert await read_stock(shop) == (3, 0)
    for step in (approve_return(shop, row, 1), pay(shop.database, COMMAND_LINE, row.id, 1, "A-1")):
        with pytest.raises(Conflict):
            await step
    await request_return(shop, delivered, units=2)  # they belong to the customer again


async def test_processing_a_return_without_the_right_is_refused(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await deny_return(shop, row, by=Actor("x", role))
    await approve_return(shop, row, 40_000)
    for role, refusal in ((Role.SHOP, Forbidden), (Role.OWNER, SecondFactorMissing)):
        with pytest.raises(refusal):
            await pay(shop.database, Actor("x", role), row.id, 40_000, "A-1")
    with pytest.raises(NotFound):
        await pay(shop.database, COMMAND_LINE, "return_none", 1, "A-1")


async def test_paying_the_return_of_a_cancelled_order_marks_the_order_as_refunded(
    shop: Shop, paid: Sold
) -> None:
    row = await request_return(shop, paid, "not_sent")
    with pytest.raises(Conflict):
        await deny_return(shop, row)  # the order is cancelled, so its money must be refunded
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    assert await read_order_status(shop, paid.order_id) == ("canceled", "refunded")


async def test_bank_account_and_receipts_of_a_return_are_stored(shop: Shop, delivered: Sold) -> None:
    without: dict[str, Any] = dict.fromkeys(ACCOUNT, "")
    row = await open_by_staff(shop, delivered, "warranty", **without)

    async def save(**changes: str) -> None:
        async with shop.database.transaction() as session:
            await save_account(session, COMMAND_LINE, row.id, {**ACCOUNT, **changes})

    async def add() -> None:
        async with shop.database.transaction() as session:
            await add_receipt(session, COMMAND_LINE, row.id, "application/pdf", b"%PDF-")

    with pytest.raises(InvalidData):
        await save(holder="")
    await save()
    await save(bank="Nequi")
    assert [one.bank for one in await read_all(shop, ReturnAccount)] == ["Nequi"]
    with pytest.raises(Conflict):
        await add()
    await approve_return(shop, row, 1_000)
    for _n in range(5):
        await add()
    with pytest.raises(Conflict):
        await add()
    await pay(shop.database, COMMAND_LINE, row.id, 1_000, "A-1")
    with pytest.raises(Conflict):
        await save()


async def test_warranty_payment_is_due_15_days_after_the_approval(shop: Shop, delivered: Sold) -> None:
    row = await request_return(shop, delivered, "warranty", reason="No gira.")
    done = await approve_return(shop, row, 40_000)
    assert done.approved_at is not None
    assert done.due_at == compute_payment_deadline(done.approved_at)
    (run_at,) = await read_all(shop, Job.run_at, Job.kind == LATE, Job.key == row.id)
    assert abs(run_at - done.due_at) < timedelta(minutes=1)


async def test_staff_are_reminded_of_a_return_before_and_after_its_deadline(
    shop: Shop, delivered: Sold
) -> None:
    reminders = ReturnReminders(shop.database)
    row, other = await request_return(shop, delivered), await request_return(shop, delivered)
    await deny_return(shop, other)
    assert await read_all(shop, Job.kind, Job.key == other.id) == []
    (run_at,) = await read_all(shop, Job.run_at, Job.kind == SOON, Job.key == row.id)
    assert abs(run_at - (row.due_at - timedelta(days=5))) < timedelta(minutes=1)
    for key in (row.id, row.id, other.id, "return_none"):
        await reminders.remind_before_deadline(JobRun(1, SOON, key, {}, 1))
        await reminders.remind_after_deadline(JobRun(1, LATE, key, {}, 1))
    is_open = Attention.resolved_at.is_(None)
    raised = await read_all(shop, Attention, is_open)
    assert sorted((one.kind, one.subject_id, one.order_id) for one in raised) == [
        ("return_due", row.id, delivered.order_id),
        ("return_late", row.id, delivered.order_id),
    ]
    await approve_return(shop, row, 40_000)
    assert len(await read_all(shop, Attention, is_open)) == 2
    await pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1")
    assert await read_all(shop, Attention, is_open) == []


async def test_return_has_exactly_the_documented_state_transitions(shop: Shop, delivered: Sold) -> None:
    assert {(str(source), str(target)) for source, target in STEPS} == {
        ("requested", "received"),
        ("requested", "to_pay"),
        ("requested", "denied"),
        ("received", "to_pay"),
        ("received", "denied"),
        ("to_pay", "paid"),
    }
    assert [state for state in ReturnState if STEPS.is_final(state)] == [ReturnState.PAID, ReturnState.DENIED]
    with pytest.raises(NotFound):
        async with shop.database.read() as session:
            await read_return(session, "return_none")
