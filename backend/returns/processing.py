"""What the shop does with a return: it arrives, money is proposed for it or denied, and the owner pays.

Each step locks the order first (paying: its cart and payment before), then the return, and is refused with `Conflict`
where the return is no longer where whoever acts has seen it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.models import WRAPPING_SKU
from backend.core.db.database import Database, database_now, locked
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, require_found
from backend.core.events import publish
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.core.web.contact import paragraphs, read_form
from backend.inventory import stock_fulfillment
from backend.orders.models import Order, OrderLine
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import book_by_hand, bring_back_units, session_for, withdraw_units
from backend.orders.service import lines_of_order, lock_order, read_order
from backend.payment.models import Refund
from backend.payment.payments import captured_and_refunded
from backend.payment.transitions import lock_session
from backend.returns.deadlines import pay_until
from backend.returns.events import ReturnMoved
from backend.returns.forms import AccountForm
from backend.returns.models import (
    KIND_NAMES,
    FilePurpose,
    Return,
    ReturnAccount,
    ReturnFile,
    ReturnKind,
    ReturnLine,
)
from backend.returns.refund_amounts import is_all_given_back, left_of
from backend.returns.refund_limits import require_reason, units_that_never_left
from backend.returns.reminders import be_quiet, schedule
from backend.returns.requests import (
    lines_in,
    require_not_being_packed,
    restate_sending,
    send_no_more,
    unclaimed,
    unsent,
)
from backend.returns.states import GRANTED, STEPS, ReturnState, move
from backend.staff.rights import Actor, Right

LONGEST_DENIAL, LONGEST_REFERENCE = 2000, 100
MOST_RECEIPTS = 5


async def read_return(session: AsyncSession, return_id: str, *, lock: bool = False) -> Return:
    """The return.

    Raises:
        NotFound: there is none with this id.
    """
    query = select(Return).where(Return.id == return_id)
    return await get_or_404(session, locked(query) if lock else query, "Return", return_id)


async def lines_of_return(session: AsyncSession, return_id: str) -> Sequence[ReturnLine]:
    """What is in the return."""
    return (await session.execute(lines_in(return_id))).scalars().all()


def require_step(row: Return, step: ReturnState | None) -> None:
    """Check that the return can take this step; None: that it is open.

    Raises:
        Conflict: it cannot.
    """
    state = ReturnState(row.state)
    is_possible = not STEPS.is_final(state) if step is None else STEPS.allow(state, step)
    if not is_possible:
        raise Conflict(f"Return {row.number} is {state}: it cannot become {step}")


async def receive(
    session: AsyncSession, actor: Actor, return_id: str, arrived: Mapping[str, tuple[int, int]]
) -> Return:
    """Its units arrived: by the line's id, how many in good state and how many damaged.

    Raises:
        NotFound: there is no such return.
        InvalidData: nothing arrived, or more than the return holds.
        Conflict: it is not waited for any more.
    """
    actor.require(Right.HANDLE_RETURNS)
    row, _order = await _locked(session, return_id, ReturnState.RECEIVED)
    lines = await lines_of_return(session, row.id)
    _require_arrived(lines, arrived)
    await record(session, actor, "return received", Subject(Thing.ORDER, row.order_id))
    for line in lines:
        line.good, line.damaged = arrived.get(line.line_id, (0, 0))
    move(row, ReturnState.RECEIVED)
    row.received_at = await database_now(session)
    await publish(session, ReturnMoved(row.id, ReturnState.RECEIVED))
    return row


async def approve(
    session: AsyncSession, actor: Actor, return_id: str, amount: Cop, *, restock: bool, why: str = ""
) -> Return:
    """Propose how much goes back. The units that arrived are the shop's again; with `restock` the good ones are sold.

    Gift wrapping that was opened is sold to nobody again. Units whose label was cancelled are not sent any more; nor is
    anything that was not sent yet, once all of the order's money goes back.

    `why` is the reason for more than `backend.returns.refund_limits.money_bound`.

    Raises:
        NotFound: there is no such return.
        InvalidData: `fields` says what is wrong with the amount, or that the reason for more is missing.
        NotAllowed: a label for units that are not to be sent is being made.
        Conflict: it was decided already.
    """
    actor.require(Right.HANDLE_RETURNS)
    row, order = await _locked(session, return_id, ReturnState.TO_PAY)
    await _require_amount(session, order, row, amount)
    await require_reason(session, order, row, amount, why)
    await record(session, actor, "return approved", Subject(Thing.ORDER, row.order_id))
    sold = await lines_of_order(session, order.id)
    await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in sold})
    spare = await unclaimed(session, order, sold)
    of_order = {line.id: line for line in sold}
    for line in await lines_of_return(session, row.id):
        ordered = of_order[line.line_id]
        line.restocked = restock and line.good > 0 and ordered.sku != WRAPPING_SKU
        never_left = units_that_never_left(line, ordered, spare[line.line_id])
        await _return_units(session, order, ordered, line, never_left)
    move(row, ReturnState.TO_PAY)
    row.amount, row.approved_at = amount, await database_now(session)
    await session.flush()
    if any(map(unsent, sold)) and await is_all_given_back(session, order):
        await require_not_being_packed(session, order)
        await send_no_more(session, order, sold)
    await restate_sending(session, order, sold)
    if row.kind == ReturnKind.WARRANTY:
        row.due_at = pay_until(row.approved_at)
        await schedule(session, row, row.approved_at)
    await publish(session, ReturnMoved(row.id, ReturnState.TO_PAY))
    return row


async def deny(session: AsyncSession, actor: Actor, return_id: str, why: str) -> Return:
    """Deny it. The reason is mailed to the buyer, and stands on the order's page.

    Raises:
        NotFound: there is no such return.
        InvalidData: there is no reason, or it is too long.
        Conflict: it was decided already.
    """
    actor.require(Right.HANDLE_RETURNS)
    why = paragraphs(why)
    if not why or len(why) > LONGEST_DENIAL:
        raise InvalidData("The reason does not fit", fields={"denial": _("Escribe por qué no procede.")})
    row, _order = await _locked(session, return_id, ReturnState.DENIED)
    await record(session, actor, "return denied", Subject(Thing.ORDER, row.order_id))
    move(row, ReturnState.DENIED)
    row.denial, row.ended_at = why, await database_now(session)
    await be_quiet(session, row)
    await publish(session, ReturnMoved(row.id, ReturnState.DENIED))
    return row


async def save_account(session: AsyncSession, actor: Actor, return_id: str, typed: Mapping[str, Any]) -> None:
    """Keep the bank account that the money goes to.

    Raises:
        NotFound: there is no such return.
        InvalidData: `fields` says what is wrong.
        Conflict: it is paid or denied already.
    """
    actor.require(Right.HANDLE_RETURNS)
    form = read_form(AccountForm, typed)
    row, _order = await _locked(session, return_id, None)
    await record(session, actor, "return account changed", Subject(Thing.ORDER, row.order_id))
    account = await session.get(ReturnAccount, row.id)
    if account is None:
        account = ReturnAccount(return_id=row.id, **form.model_dump())
        session.add(account)
    for name, value in form.model_dump().items():
        setattr(account, name, value)
    await session.flush()


async def pay(
    database: Database, actor: Actor, return_id: str, amount: Cop, reference: str, *, why: str = ""
) -> Return:
    """Book that the owner has transferred the money. The same amount and reference again is the same payment.

    `why`: the reason for more than was approved, where that is more than `money_bound`.

    Raises:
        NotFound: there is no such return.
        InvalidData: `fields` says what is wrong with the amount or the reference.
        NotAllowed: so much of the order's money is not left.
        Conflict: it is paid by another transfer, the reference stands for another one, or it is not to be paid.
    """
    actor.require(Right.BOOK_REFUNDS)
    reference = " ".join(reference.split())
    if not reference or len(reference) > LONGEST_REFERENCE:
        problem = _("Escribe la referencia de la transferencia.")
        raise InvalidData("The reference does not fit", fields={"reference": problem})
    if amount <= 0:
        raise InvalidData("No amount", fields={"amount": _("Escribe un valor en pesos.")})
    async with database.read() as session:
        row = await read_return(session, return_id)
        order = await read_order(session, row.order_id)
        new = CreateRefund(amount=amount, reference=reference, reason=KIND_NAMES[ReturnKind(row.kind)])
        session_id = await session_for(session, order, new)
    async with database.transaction() as session:
        payment, _cart = await lock_session(session, session_id)
        order = await lock_order(session, row.order_id)
        row = await read_return(session, return_id, lock=True)
        if row.state == ReturnState.PAID:
            await _require_same(session, row, amount, reference)
            return row
        require_step(row, ReturnState.PAID)
        captured, refunded = await captured_and_refunded(session, order.cart_id)
        if (row.amount or 0) < amount <= captured - refunded:  # no reason helps beyond that
            await require_reason(session, order, row, amount, why)
        await record(session, actor, "return paid", Subject(Thing.ORDER, order.id))
        returned = await _paid_for(session, row)
        refund = await book_by_hand(session, actor, payment, order, new, returned=returned)
        used = select(Return.id).where(Return.refund_id == refund.id)
        if (await session.execute(used)).first() is not None:
            raise Conflict(f"Reference {reference} has paid another return already")
        move(row, ReturnState.PAID)
        row.amount, row.refund_id, row.ended_at = amount, refund.id, await database_now(session)
        await be_quiet(session, row)
        await publish(session, ReturnMoved(row.id, ReturnState.PAID))
    return row


async def add_receipt(
    session: AsyncSession, actor: Actor, return_id: str, media_type: str, content: bytes
) -> ReturnFile:
    """Keep the receipt of the transfer: a picture as it was made ready, or a PDF.

    Raises:
        NotFound: there is no such return.
        Conflict: it was denied, or has `MOST_RECEIPTS` already.
    """
    actor.require(Right.BOOK_REFUNDS)
    row = await read_return(session, return_id)
    await lock_order(session, row.order_id)
    row = await read_return(session, return_id, lock=True)
    kept = select(ReturnFile.id).where(
        ReturnFile.return_id == row.id, ReturnFile.purpose == FilePurpose.RECEIPT
    )
    is_full = len((await session.execute(kept)).all()) >= MOST_RECEIPTS
    if is_full or row.state not in GRANTED:
        raise Conflict(f"Return {row.number} takes no receipt")
    await record(session, actor, "return receipt added", Subject(Thing.ORDER, row.order_id))
    file = ReturnFile(return_id=row.id, purpose=FilePurpose.RECEIPT, media_type=media_type, content=content)
    session.add(file)
    await session.flush()
    return file


async def read_file(session: AsyncSession, actor: Actor, file_id: str) -> ReturnFile:
    """A picture of the buyer's, or a receipt.

    Raises:
        NotFound: there is none with this id.
    """
    actor.require(Right.READ_ORDERS)
    return require_found(await session.get(ReturnFile, file_id), "File", file_id)


async def _locked(session: AsyncSession, return_id: str, step: ReturnState | None) -> tuple[Return, Order]:
    """The return and its order, locked, if the step can be taken; None: any return that is open."""
    order = await lock_order(session, (await read_return(session, return_id)).order_id)
    row = await read_return(session, return_id, lock=True)
    require_step(row, step)
    return row, order


async def _return_units(
    session: AsyncSession, order: Order, ordered: OrderLine, line: ReturnLine, never_left: int
) -> None:
    """Stock what arrived of the line, and send no more those units of it whose label was cancelled.

    These need not arrive. Where they are among what did (staff took them out of the parcel), they are the last of it.
    """
    if never_left:
        await require_not_being_packed(session, order)
    from_buyer = line.quantity - never_left
    for arrived, again in ((line.good, line.restocked), (line.damaged, False)):
        came_back = min(arrived, from_buyer)
        from_buyer -= came_back
        if came_back:
            await bring_back_units(session, order, ordered, came_back, restock=again, from_buyer=True)
        if kept := arrived - came_back:
            never_left -= kept
            await withdraw_units(session, order, ordered, kept, restock=again)
    if never_left:
        await withdraw_units(session, order, ordered, never_left, restock=True)
        line.good += never_left


async def _paid_for(session: AsyncSession, row: Return) -> list[ReturnedUnits]:
    """The units that the money of a return is for: those that arrived, else those that were asked for."""
    has_arrived = row.received_at is not None
    return [
        ReturnedUnits(line_id=line.line_id, quantity=count, restock=line.restocked)
        for line in await lines_of_return(session, row.id)
        if (count := line.good + line.damaged if has_arrived else line.quantity)
    ]


def _require_arrived(lines: Sequence[ReturnLine], arrived: Mapping[str, tuple[int, int]]) -> None:
    asked = {line.line_id: line.quantity for line in lines}
    over = [
        line_id
        for line_id, (good, damaged) in arrived.items()
        if good < 0 or damaged < 0 or good + damaged > asked.get(line_id, 0)
    ]
    if over:
        problems = {line_id: _("Son más que las pedidas.") for line_id in over}
        raise InvalidData("More units than were asked for", fields=problems)
    if not any(good + damaged for good, damaged in arrived.values()):
        raise InvalidData("No units", fields={"units": _("Escribe cuántas unidades llegaron.")})


async def _require_amount(session: AsyncSession, order: Order, row: Return, amount: Cop) -> None:
    left = await left_of(session, order, besides=row.id)
    if not 0 < amount <= left:
        problem = _("Escribe un valor entre $ 1 y {most}.").format(most=format_cop(max(left, 0)))
        raise InvalidData(f"{amount} is not within what is left: {left}", fields={"amount": problem})


async def _require_same(session: AsyncSession, row: Return, amount: Cop, reference: str) -> None:
    refund = await session.get(Refund, row.refund_id)
    if refund is None or (refund.amount, refund.reference) != (amount, reference):
        raise Conflict(f"Return {row.number} is paid already")
