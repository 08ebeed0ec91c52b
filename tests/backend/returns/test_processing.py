"""What the shop does with a return: it arrives, is granted or denied, and is paid, once."""

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
from backend.mail.messages import message_of
from backend.mail.models import Mail
from backend.orders.models import Fulfillment, OrderLine
from backend.payment.models import Refund
from backend.returns.deadlines import pay_until
from backend.returns.models import Return, ReturnAccount, ReturnLine
from backend.returns.processing import add_receipt, deny, pay, read_return, save_account
from backend.returns.reminders import LATE, SOON, ReturnReminders
from backend.returns.states import STEPS, ReturnState
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from tests.backend.orders.paying import stands, stock
from tests.backend.returns.steps import (
    ACCOUNT,
    Sold,
    approved,
    asked,
    deliver,
    label_cancelled,
    opened,
    proposed_for,
    received,
    send,
    state_of,
    to_pack,
    with_shipping,
)
from tests.store_steps import get, post


async def denied(
    shop: Shop, row: Return, why: str = "No se compró aquí.", by: Actor = COMMAND_LINE
) -> Return:
    async with shop.database.transaction() as session:
        return await deny(session, by, row.id, why)


async def all_of(shop: Shop, column: Any, *conditions: Any) -> list[Any]:
    async with shop.database.read() as session:
        return list((await session.execute(select(column).where(*conditions))).scalars())


async def test_from_asking_to_the_money(shop: Shop, admin: httpx.AsyncClient, delivered: Sold) -> None:
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=1, damaged=1)
    assert await stock(shop) == (3, 0)  # until it is granted they are the buyer's
    await approved(shop, row, 80_000)
    assert await stock(shop) == (4, 0)
    moved = await all_of(shop, StockMovement, StockMovement.reason == "return")
    assert [(one.delta, one.order_id) for one in moved] == [(1, delivered.order_id)]
    (line,) = await all_of(shop, ReturnLine)
    assert (line.good, line.damaged, line.restocked) == (1, 1, True)
    (of_order,) = await all_of(shop, OrderLine)
    assert of_order.returned == 2
    paid = await pay(shop.database, COMMAND_LINE, row.id, 80_000, " TR  0042 ")
    (refund,) = await all_of(shop, Refund)
    assert (refund.id, refund.amount, refund.reference) == (paid.refund_id, 80_000, "TR 0042")
    assert [(one["line_id"], one["quantity"]) for one in refund.lines] == [(delivered.line_id, 2)]
    assert await stands(shop, delivered.order_id) == ("pending", "refunded")
    assert sorted(kind for kind in await all_of(shop, Mail.kind) if kind.startswith("re")) == [
        "refunded",
        "return_approved",
        "return_received",
        "return_requested",
    ]
    done = await all_of(shop, AuditEntry, AuditEntry.subject_id == delivered.order_id)
    in_order = [entry.action for entry in sorted(done, key=lambda entry: entry.id)]
    assert [one for one in in_order if one.startswith("re")] == [
        "return received",
        "return approved",
        "return paid",
        "refunded",
    ]
    detail = (await get(admin, f"/admin/orders/{delivered.order_id}"))["order"]["items"][0]["detail"]
    assert detail["return_received_quantity"] == 2


async def test_the_money_is_for_the_units_that_arrived(shop: Shop, delivered: Sold) -> None:
    """A credit note has their lines, and their IVA (`backend.invoices.document_lines`)."""
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=1)
    await approved(shop, row, 40_000)
    await pay(shop.database, COMMAND_LINE, row.id, 40_000, "TR 0042")
    (refund,) = await all_of(shop, Refund)
    assert refund.lines == [{"line_id": delivered.line_id, "quantity": 1, "restock": True}]
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.returned, of_order.withdrawn) == (1, 0)
    assert await stock(shop) == (4, 0)


async def test_damaged_or_kept_units_are_not_sold_again(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=2)
    await approved(shop, row, 1_000, restock=False)
    assert await stock(shop) == (3, 0)
    assert [line.restocked for line in await all_of(shop, ReturnLine)] == [False]


async def test_opened_gift_wrapping_is_paid_back_and_not_sold_again(shop: Shop, delivered: Sold) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(OrderLine).values(sku=WRAPPING_SKU))
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=2)
    await approved(shop, row, 80_000)
    assert await stock(shop) == (3, 0)
    assert [line.restocked for line in await all_of(shop, ReturnLine)] == [False]
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "TR 0043")
    assert await stands(shop, delivered.order_id) == ("pending", "refunded")


async def test_what_lies_in_no_parcel_any_more_is_not_sent_once_it_is_granted(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await send(admin, paid)
    row = await asked(shop, paid, units=2)
    await label_cancelled(admin, paid, parcel)
    assert (await to_pack(admin), await stock(shop)) == (1, (5, 2))
    await approved(shop, row, 80_000)
    assert (await to_pack(admin), await stock(shop)) == (0, (5, 0))
    assert await stands(shop, paid.order_id) == ("canceled", "captured")
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    assert await stands(shop, paid.order_id) == ("canceled", "refunded")
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (0, 2, 0)


@pytest.mark.parametrize("is_paid", [False, True])
async def test_what_was_granted_while_it_lay_packed_is_not_sent_once_its_label_is_cancelled(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, is_paid: bool
) -> None:
    parcel = await send(admin, paid)
    row = await asked(shop, paid, units=2)
    await approved(shop, row, 80_000)
    assert await stock(shop) == (3, 0)  # it may still leave
    if is_paid:
        await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    for _press in range(2):
        await label_cancelled(admin, paid, parcel)
    assert (await to_pack(admin), await stock(shop)) == (0, (5, 0))
    assert await stands(shop, paid.order_id) == ("canceled", "refunded" if is_paid else "captured")
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (0, 2, 0)


@pytest.mark.parametrize(
    ("becomes", "proposed"), [("cancelled", 50_000), ("packed", 40_000), ("delivered", 40_000)]
)
async def test_all_the_money_that_is_left_is_proposed_once_nothing_is_sent(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, becomes: str, proposed: int
) -> None:
    """Shipping too, when one unit was taken out before: Ley 1480 of 2011, art. 50 h."""
    await with_shipping(shop, 10_000)
    await opened(shop, paid, "not_sent", 1)
    parcel = await send(admin, paid, 1)
    row = await asked(shop, paid)
    if becomes == "cancelled":
        await label_cancelled(admin, paid, parcel)
    elif becomes == "delivered":
        await deliver(shop, paid)
    assert await proposed_for(shop, row) == proposed


@pytest.mark.parametrize(
    ("amount", "waits", "stocked", "stands_then"),
    [
        (80_000, 0, (5, 0), ("canceled", "captured")),
        (79_999, 1, (5, 2), ("pending", "captured")),
    ],
)
async def test_an_order_is_not_sent_once_all_of_its_money_is_to_go_back(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    amount: int,
    waits: int,
    stocked: tuple[int, int],
    stands_then: tuple[str, str],
) -> None:
    row = await opened(shop, paid, "reversal", 0)
    assert (await to_pack(admin), await stock(shop)) == (1, (5, 2))
    await approved(shop, row, amount)
    assert (await to_pack(admin), await stock(shop)) == (waits, stocked)
    assert await stands(shop, paid.order_id) == stands_then


@pytest.mark.parametrize("is_denied_first", [True, False])
async def test_what_no_return_was_granted_for_is_sent_again_once_its_label_is_cancelled(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, is_denied_first: bool
) -> None:
    await send(admin, paid, 1)
    await deliver(shop, paid)
    second = await send(admin, paid, 1)
    granted, open_one = await asked(shop, paid), await asked(shop, paid)
    await approved(shop, granted, 40_000)
    if is_denied_first:
        await denied(shop, open_one)
    await label_cancelled(admin, paid, second)
    if not is_denied_first:
        await denied(shop, open_one)
    assert await stock(shop) == (4, 1)


@pytest.mark.parametrize(
    ("amount", "stands_then"),
    [(70_000, ("pending", "partially_refunded")), (80_000, ("canceled", "refunded"))],
)
async def test_an_order_whose_parcel_was_paid_back_by_hand_is_cancelled_once_no_money_is_left(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    amount: int,
    stands_then: tuple[str, str],
) -> None:
    parcel = await send(admin, paid)
    lines = [{"line_id": paid.line_id, "quantity": 2, "restock": True}]
    refund = {"amount": amount, "reference": "A-1", "lines": lines}
    await post(admin, f"/admin/orders/{paid.order_id}/refunds", refund)
    await label_cancelled(admin, paid, parcel)
    assert await stock(shop) == (5, 0)
    assert await stands(shop, paid.order_id) == stands_then


async def test_of_an_order_in_two_parcels_the_rest_is_still_sent(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    first = await send(admin, paid, 1)
    row = await asked(shop, paid)
    await label_cancelled(admin, paid, first)
    await approved(shop, row, 40_000)
    assert (await to_pack(admin), await stock(shop)) == (1, (5, 1))
    await send(admin, paid, 1)
    await deliver(shop, paid)
    assert (await to_pack(admin), await stock(shop)) == (0, (4, 0))
    await asked(shop, paid)  # what was sent is the buyer's, who may send it back


@pytest.mark.parametrize(
    ("good", "damaged", "restock", "stocked"), [(2, 0, True, 5), (2, 0, False, 3), (1, 1, True, 4)]
)
async def test_units_taken_out_of_a_parcel_that_never_left_have_arrived(
    *, shop: Shop, admin: httpx.AsyncClient, paid: Sold, good: int, damaged: int, restock: bool, stocked: int
) -> None:
    parcel = await send(admin, paid)
    row = await asked(shop, paid, units=2)
    await label_cancelled(admin, paid, parcel)
    await received(shop, row, paid, good, damaged)
    await approved(shop, row, 80_000, restock=restock)
    assert (await to_pack(admin), await stock(shop)) == (0, (stocked, 0))
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.withdrawn, of_order.returned) == (2, 0)


async def test_what_came_back_and_what_never_left_are_told_apart(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    await send(admin, paid, 1)
    await deliver(shop, paid)
    second = await send(admin, paid, 1)
    row = await asked(shop, paid, units=2)
    await label_cancelled(admin, paid, second)
    await received(shop, row, paid, good=1)
    assert await proposed_for(shop, row) == 80_000
    await approved(shop, row, 80_000)
    assert (await to_pack(admin), await stock(shop)) == (0, (5, 0))
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 1, 1)
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    (refund,) = await all_of(shop, Refund)
    assert [one["quantity"] for one in refund.lines] == [2]


@pytest.mark.parametrize(("good", "damaged", "stocked"), [(1, 0, (5, 1)), (0, 1, (4, 1))])
async def test_what_arrived_is_not_taken_for_a_unit_that_another_return_waits_for(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    paid: Sold,
    good: int,
    damaged: int,
    stocked: tuple[int, int],
) -> None:
    await send(admin, paid, 1)
    await deliver(shop, paid)
    second = await send(admin, paid, 1)
    first_return, other = await asked(shop, paid), await asked(shop, paid)
    await label_cancelled(admin, paid, second)
    await received(shop, first_return, paid, good, damaged)
    await approved(shop, first_return, 40_000)
    assert await stock(shop) == stocked
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 0, 1)
    await approved(shop, other, 40_000)
    assert (await to_pack(admin), await stock(shop)) == (0, (stocked[0], 0))
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 1, 1)


async def test_what_the_buyer_sent_back_was_in_the_parcel_that_left(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    """The unit that lies packed is still the buyer's."""
    await send(admin, paid, 1)
    await deliver(shop, paid)
    packed = await send(admin, paid, 1)
    row = await asked(shop, paid)
    await received(shop, row, paid, good=1)
    await approved(shop, row, 40_000)
    assert await stock(shop) == (4, 0)
    await label_cancelled(admin, paid, packed)
    assert await stock(shop) == (5, 1)
    (of_order,) = await all_of(shop, OrderLine)
    assert (of_order.fulfilled, of_order.withdrawn, of_order.returned) == (1, 0, 1)


async def test_nothing_is_granted_while_its_units_are_being_packed_again(
    shop: Shop, admin: httpx.AsyncClient, paid: Sold
) -> None:
    parcel = await send(admin, paid)
    row = await asked(shop, paid, units=2)
    await label_cancelled(admin, paid, parcel)
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
        await approved(shop, row, 80_000)
    assert (await state_of(shop, row), await stock(shop)) == ("requested", (5, 2))


async def test_paid_twice_at_once_it_is_paid_once(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    await approved(shop, row, 40_000)
    same = await asyncio.gather(*(pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1") for _n in range(4)))
    assert len({one.refund_id for one in same}) == 1
    for amount, reference in ((40_000, "A-2"), (39_000, "A-1")):
        with pytest.raises(Conflict):
            await pay(shop.database, COMMAND_LINE, row.id, amount, reference)
    assert [refund.amount for refund in await all_of(shop, Refund)] == [40_000]


async def test_one_transfer_pays_one_return(shop: Shop, admin: httpx.AsyncClient, delivered: Sold) -> None:
    first, second = await asked(shop, delivered), await asked(shop, delivered)
    for row in (first, second):
        await approved(shop, row, 40_000)
    # what was booked by itself before is the same transfer
    booked = await post(
        admin, f"/admin/orders/{delivered.order_id}/refunds", {"amount": 40_000, "reference": "A-1"}
    )
    row = await pay(shop.database, COMMAND_LINE, first.id, 40_000, "A-1")
    assert row.refund_id == booked["refund"]["id"]
    with pytest.raises(Conflict):
        await pay(shop.database, COMMAND_LINE, second.id, 40_000, "A-1")
    assert await state_of(shop, second) == "to_pay"


async def test_never_more_than_was_paid(shop: Shop, delivered: Sold) -> None:
    first, second = await asked(shop, delivered), await asked(shop, delivered)
    for amount in (0, -1, 80_001):
        with pytest.raises(InvalidData):
            await approved(shop, first, amount)
    await approved(shop, first, 50_000, why="Se rompió la piola también.")
    with pytest.raises(InvalidData) as refused:
        await approved(shop, second, 30_001)  # 50 000 are promised
    assert "30.000" in refused.value.fields["amount"]
    await approved(shop, second, 30_000)
    await pay(shop.database, COMMAND_LINE, first.id, 80_000, "A-1", why="Todo el pedido.")
    with pytest.raises(NotAllowed):
        await pay(shop.database, COMMAND_LINE, second.id, 1, "A-2")
    for amount, reference in ((0, "A-3"), (1, " "), (1, "x" * 101)):
        with pytest.raises(InvalidData):
            await pay(shop.database, COMMAND_LINE, second.id, amount, reference)


async def test_what_arrives_is_no_more_than_what_was_asked_for(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    for good, damaged in ((2, 0), (1, 1), (-1, 0), (0, 0)):
        with pytest.raises(InvalidData):
            await received(shop, row, delivered, good, damaged)
    await received(shop, row, delivered, 1)
    with pytest.raises(Conflict):
        await received(shop, row, delivered, 1)


async def test_it_is_decided_once(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    done = await asyncio.gather(
        approved(shop, row, 40_000), denied(shop, row), approved(shop, row, 40_000), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in done) == ["Conflict", "Conflict", "Return"]


async def test_a_denial_says_why_and_frees_the_units(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered, units=2)
    await received(shop, row, delivered, good=2)
    for why in ("", " \n", "x" * 2001):
        with pytest.raises(InvalidData):
            await denied(shop, row, why)
    await denied(shop, row, "Está usado.\r\nLe falta la cuerda.")
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == "return_denied"))).scalar_one()
        message = await message_of(session, shop.settings, mail)
    assert message is not None
    assert message.values["denial"] == ["Está usado.", "Le falta la cuerda."]
    assert await stock(shop) == (3, 0)
    for step in (approved(shop, row, 1), pay(shop.database, COMMAND_LINE, row.id, 1, "A-1")):
        with pytest.raises(Conflict):
            await step
    await asked(shop, delivered, units=2)  # they are the buyer's again


async def test_who_may(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered)
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        with pytest.raises(Forbidden):
            await denied(shop, row, by=Actor("x", role))
    await approved(shop, row, 40_000)
    for role, refusal in ((Role.SHOP, Forbidden), (Role.OWNER, SecondFactorMissing)):
        with pytest.raises(refusal):
            await pay(shop.database, Actor("x", role), row.id, 40_000, "A-1")
    with pytest.raises(NotFound):
        await pay(shop.database, COMMAND_LINE, "return_none", 1, "A-1")


async def test_a_cancelled_order_is_refunded_when_it_is_paid(shop: Shop, paid: Sold) -> None:
    row = await asked(shop, paid, "not_sent")
    with pytest.raises(Conflict):
        await denied(shop, row)  # its order is cancelled: the money has to go back
    await pay(shop.database, COMMAND_LINE, row.id, 80_000, "A-1")
    assert await stands(shop, paid.order_id) == ("canceled", "refunded")


async def test_the_account_and_the_receipt(shop: Shop, delivered: Sold) -> None:
    without: dict[str, Any] = dict.fromkeys(ACCOUNT, "")
    row = await opened(shop, delivered, "warranty", **without)

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
    assert [one.bank for one in await all_of(shop, ReturnAccount)] == ["Nequi"]
    with pytest.raises(Conflict):
        await add()
    await approved(shop, row, 1_000)
    for _n in range(5):
        await add()
    with pytest.raises(Conflict):
        await add()
    await pay(shop.database, COMMAND_LINE, row.id, 1_000, "A-1")
    with pytest.raises(Conflict):
        await save()


async def test_a_warrantys_money_has_15_days_from_when_it_is_granted(shop: Shop, delivered: Sold) -> None:
    row = await asked(shop, delivered, "warranty", reason="No gira.")
    done = await approved(shop, row, 40_000)
    assert done.approved_at is not None
    assert done.due_at == pay_until(done.approved_at)
    (run_at,) = await all_of(shop, Job.run_at, Job.kind == LATE, Job.key == row.id)
    assert abs(run_at - done.due_at) < timedelta(minutes=1)


async def test_the_shop_is_told_before_the_time_is_over_and_when_it_is(shop: Shop, delivered: Sold) -> None:
    reminders = ReturnReminders(shop.database)
    row, other = await asked(shop, delivered), await asked(shop, delivered)
    await denied(shop, other)
    assert await all_of(shop, Job.kind, Job.key == other.id) == []
    (run_at,) = await all_of(shop, Job.run_at, Job.kind == SOON, Job.key == row.id)
    assert abs(run_at - (row.due_at - timedelta(days=5))) < timedelta(minutes=1)
    for key in (row.id, row.id, other.id, "return_none"):
        await reminders.soon(JobRun(1, SOON, key, {}, 1))
        await reminders.late(JobRun(1, LATE, key, {}, 1))
    is_open = Attention.resolved_at.is_(None)
    raised = await all_of(shop, Attention, is_open)
    assert sorted((one.kind, one.subject_id, one.order_id) for one in raised) == [
        ("return_due", row.id, delivered.order_id),
        ("return_late", row.id, delivered.order_id),
    ]
    await approved(shop, row, 40_000)
    assert len(await all_of(shop, Attention, is_open)) == 2
    await pay(shop.database, COMMAND_LINE, row.id, 40_000, "A-1")
    assert await all_of(shop, Attention, is_open) == []


async def test_every_step_of_the_table_and_no_other(shop: Shop, delivered: Sold) -> None:
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
