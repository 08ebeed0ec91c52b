"""Processing of a return by the shop: its units arrive, a refund is proposed or denied, and the owner pays it.

Each step locks the order first, then the return. A payment locks the cart and the payment session before the order.
Each step raises `Conflict` if the state of the return does not allow it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.models import WRAPPING_SKU
from backend.core.db.database import Database, database_now, lock_rows
from backend.core.db.tables import get_or_404
from backend.core.errors import Conflict, InvalidData, require_found
from backend.core.events import publish
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.core.web.contact import read_form, to_paragraphs
from backend.inventory import stock_fulfillment
from backend.orders.models import Order, OrderLine
from backend.orders.money.commands import CreateRefund, ReturnedUnits
from backend.orders.money.refunds import (
    accept_returned_units,
    book_manual_refund,
    find_refund_session,
    list_refunds_with_reference,
    withdraw_units,
)
from backend.orders.service import list_order_lines, lock_order, read_order
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.payments import sum_captured_and_refunded
from backend.payment.transitions import lock_session
from backend.returns.deadlines import compute_payment_deadline
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
from backend.returns.refund_amounts import compute_remaining_money, is_fully_refunded
from backend.returns.refund_limits import count_units_never_sent, require_reason
from backend.returns.reminders import cancel_reminders, schedule_reminders
from backend.returns.requests import (
    count_unclaimed_units,
    count_unsent_units,
    require_not_being_packed,
    select_return_lines,
    update_sending_status,
    withdraw_unsent_units,
)
from backend.returns.states import GRANTED, STEPS, ReturnState, move
from backend.staff.rights import Actor, Right

MAX_DENIAL_LENGTH, MAX_REFERENCE_LENGTH = 2000, 100
MAX_RECEIPTS = 5


async def read_return(session: AsyncSession, return_id: str, *, lock: bool = False) -> Return:
    """Return the return with this id. With `lock`, lock its row.

    Raises:
        NotFound: there is no such return.
    """
    query = select(Return).where(Return.id == return_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "Return", return_id)


async def list_return_lines(session: AsyncSession, return_id: str) -> Sequence[ReturnLine]:
    """Return the lines of the return."""
    return (await session.execute(select_return_lines(return_id))).scalars().all()


def require_step(row: Return, step: ReturnState | None) -> None:
    """Check that the return can move to the state `step`. If `step` is None, check that the return is open.

    Raises:
        Conflict: the return cannot move to this state, or is no longer open.
    """
    state = ReturnState(row.state)
    is_possible = not STEPS.is_final(state) if step is None else STEPS.is_allowed(state, step)
    if not is_possible:
        raise Conflict(f"Return {row.number} is {state}: it cannot become {step}")


async def receive(
    session: AsyncSession, actor: Actor, return_id: str, arrived: Mapping[str, tuple[int, int]]
) -> Return:
    """Record the units that arrived, by line id: how many in good condition, and how many damaged.

    Raises:
        NotFound: there is no such return.
        InvalidData: no unit arrived, or more units than the return has.
        Conflict: the return is not waiting for units any more.
    """
    actor.require(Right.HANDLE_RETURNS)
    row, _order = await _lock_return(session, return_id, ReturnState.RECEIVED)
    lines = await list_return_lines(session, row.id)
    _require_arrived(lines, arrived)
    await record(session, actor, "return received", Subject(SubjectType.ORDER, row.order_id))
    for line in lines:
        line.good, line.damaged = arrived.get(line.line_id, (0, 0))
    move(row, ReturnState.RECEIVED)
    row.received_at = await database_now(session)
    await publish(session, ReturnMoved(row.id, ReturnState.RECEIVED))
    return row


async def approve(
    session: AsyncSession, actor: Actor, return_id: str, amount: Cop, *, restock: bool, why: str = ""
) -> Return:
    """Approve a refund of this amount, and accept the arrived units. With `restock`, put the good ones back in stock.

    Opened gift wrapping is never restocked. Units that were never sent, because their label was cancelled, are
    withdrawn, so that they are not sent now. If this refunds all money of the order, all its unsent units are
    withdrawn.

    `why` is the reason for an amount above `backend.returns.refund_limits.compute_max_refund`.

    Raises:
        NotFound: there is no such return.
        InvalidData: the amount is invalid, or the reason is missing; see `fields`.
        NotAllowed: a label is being created for units that must not be sent.
        Conflict: staff have already approved or denied the return.
    """
    actor.require(Right.HANDLE_RETURNS)
    row, order = await _lock_return(session, return_id, ReturnState.TO_PAY)
    await _require_amount(session, order, row, amount)
    await require_reason(session, order, row, amount, why)
    await record(session, actor, "return approved", Subject(SubjectType.ORDER, row.order_id))
    sold = await list_order_lines(session, order.id)
    await stock_fulfillment.lock_all_levels(session, {line.variant_id for line in sold})
    spare = await count_unclaimed_units(session, order, sold)
    of_order = {line.id: line for line in sold}
    for line in await list_return_lines(session, row.id):
        ordered = of_order[line.line_id]
        line.restocked = restock and line.good > 0 and ordered.sku != WRAPPING_SKU
        never_left = count_units_never_sent(line, ordered, spare[line.line_id])
        await _return_units(session, order, ordered, line, never_left)
    move(row, ReturnState.TO_PAY)
    row.amount, row.approved_at = amount, await database_now(session)
    await session.flush()
    if any(map(count_unsent_units, sold)) and await is_fully_refunded(session, order):
        await require_not_being_packed(session, order)
        await withdraw_unsent_units(session, order, sold)
    await update_sending_status(session, order, sold)
    if row.kind == ReturnKind.WARRANTY:
        row.due_at = compute_payment_deadline(row.approved_at)
        await schedule_reminders(session, row, row.approved_at)
    await publish(session, ReturnMoved(row.id, ReturnState.TO_PAY))
    return row


async def deny(session: AsyncSession, actor: Actor, return_id: str, why: str) -> Return:
    """Deny the return. The reason is mailed to the customer and displayed on the order's page.

    Raises:
        NotFound: there is no such return.
        InvalidData: there is no reason, or it is too long.
        Conflict: staff have already approved or denied the return.
    """
    actor.require(Right.HANDLE_RETURNS)
    why = to_paragraphs(why)
    if not why or len(why) > MAX_DENIAL_LENGTH:
        raise InvalidData(
            "The reason is missing or too long", fields={"denial": _("Escribe por qué no procede.")}
        )
    row, _order = await _lock_return(session, return_id, ReturnState.DENIED)
    await record(session, actor, "return denied", Subject(SubjectType.ORDER, row.order_id))
    move(row, ReturnState.DENIED)
    row.denial, row.ended_at = why, await database_now(session)
    await cancel_reminders(session, row)
    await publish(session, ReturnMoved(row.id, ReturnState.DENIED))
    return row


async def save_account(session: AsyncSession, actor: Actor, return_id: str, typed: Mapping[str, Any]) -> None:
    """Store the bank account for the refund of a return.

    Raises:
        NotFound: there is no such return.
        InvalidData: a field is invalid; see `fields`.
        Conflict: the return is already paid or denied.
    """
    actor.require(Right.HANDLE_RETURNS)
    form = read_form(AccountForm, typed)
    row, _order = await _lock_return(session, return_id, None)
    await record(session, actor, "return account changed", Subject(SubjectType.ORDER, row.order_id))
    account = await session.get(ReturnAccount, row.id)
    if account is None:
        account = ReturnAccount(return_id=row.id, **form.model_dump())
        session.add(account)
    for name, value in form.model_dump().items():
        setattr(account, name, value)
    await session.flush()


async def pay(
    database: Database,
    actor: Actor,
    return_id: str,
    amount: Cop,
    reference: str,
    *,
    why: str = "",
    method: ManualMethod = ManualMethod.TRANSFER,
) -> Return:
    """Book the refund that the owner paid by bank transfer, or in cash.

    A repeated call with the same amount and reference changes nothing. Cash counts in the closing of the day. `why` is
    the reason for an amount above the approved one; it is required above `compute_max_refund`.

    Raises:
        NotFound: there is no such return.
        InvalidData: the amount or the reference is invalid; see `fields`.
        NotAllowed: the order does not have that much money left.
        Conflict: the return is not approved, is paid by another transfer, or another transfer has this reference.
    """
    actor.require(Right.BOOK_REFUNDS)
    reference = " ".join(reference.split())
    if not reference or len(reference) > MAX_REFERENCE_LENGTH:
        problem = _("Escribe la referencia de la transferencia.")
        raise InvalidData("The reference is missing or too long", fields={"reference": problem})
    if amount <= 0:
        raise InvalidData("No amount", fields={"amount": _("Escribe un valor en pesos.")})
    async with database.read() as session:
        row = await read_return(session, return_id)
        order = await read_order(session, row.order_id)
        new = CreateRefund(
            amount=amount, reference=reference, reason=KIND_NAMES[ReturnKind(row.kind)], method=method
        )
        session_id = await find_refund_session(session, order, new)
    async with database.transaction() as session:
        payment, _cart = await lock_session(session, session_id)
        order = await lock_order(session, row.order_id)
        row = await read_return(session, return_id, lock=True)
        if row.state == ReturnState.PAID:
            await _require_same(session, row, amount, reference)
            return row
        require_step(row, ReturnState.PAID)
        captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
        if (
            (row.amount or 0) < amount <= captured - refunded
        ):  # above that, the refund is refused with or without a reason
            await require_reason(session, order, row, amount, why)
        await record(session, actor, "return paid", Subject(SubjectType.ORDER, order.id))
        await book_payment(session, actor, payment, order, row, new)
    return row


async def book_payment(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    payment: PaymentSession,
    order: Order,
    row: Return,
    new: CreateRefund,
) -> None:
    """Book the refund of an approved return.

    The caller has locked payment, order and return, has checked the actor's rights and the amount, and records the
    audit entry.

    Raises:
        NotAllowed: the order does not have that much money left.
        Conflict: the return is not approved, or another refund has this reference.
    """
    require_step(row, ReturnState.PAID)
    returned = await _list_refunded_units(session, row)
    refund = await book_manual_refund(session, actor, payment, order, new, returned=returned)
    used = select(Return.id).where(Return.refund_id == refund.id)
    if (await session.execute(used)).first() is not None:
        raise Conflict(f"Reference {new.reference} has paid another return already")
    move(row, ReturnState.PAID)
    row.amount, row.refund_id, row.ended_at = new.amount, refund.id, await database_now(session)
    await cancel_reminders(session, row)
    await publish(session, ReturnMoved(row.id, ReturnState.PAID))


async def add_receipt(
    session: AsyncSession, actor: Actor, return_id: str, media_type: str, content: bytes
) -> ReturnFile:
    """Store the receipt of the transfer: a processed picture, or a PDF.

    Raises:
        NotFound: there is no such return.
        Conflict: the refund is not granted, or the return already has `MAX_RECEIPTS` receipts.
    """
    actor.require(Right.BOOK_REFUNDS)
    row = await read_return(session, return_id)
    await lock_order(session, row.order_id)
    row = await read_return(session, return_id, lock=True)
    receipts = select(ReturnFile.id).where(
        ReturnFile.return_id == row.id, ReturnFile.purpose == FilePurpose.RECEIPT
    )
    is_full = len((await session.execute(receipts)).all()) >= MAX_RECEIPTS
    if is_full or row.state not in GRANTED:
        raise Conflict(f"Return {row.number} accepts no receipt")
    await record(session, actor, "return receipt added", Subject(SubjectType.ORDER, row.order_id))
    file = ReturnFile(return_id=row.id, purpose=FilePurpose.RECEIPT, media_type=media_type, content=content)
    session.add(file)
    await session.flush()
    return file


async def read_file(session: AsyncSession, actor: Actor, file_id: str) -> ReturnFile:
    """Return a file of a return: a customer's picture, or a receipt.

    Raises:
        NotFound: there is no such file.
    """
    actor.require(Right.READ_ORDERS)
    return require_found(await session.get(ReturnFile, file_id), "File", file_id)


async def _lock_return(
    session: AsyncSession, return_id: str, step: ReturnState | None
) -> tuple[Return, Order]:
    """Lock the return and its order, check the state of the return (see `require_step`), and return both."""
    order = await lock_order(session, (await read_return(session, return_id)).order_id)
    row = await read_return(session, return_id, lock=True)
    require_step(row, step)
    return row, order


async def _return_units(
    session: AsyncSession, order: Order, ordered: OrderLine, line: ReturnLine, never_left: int
) -> None:
    """Accept the arrived units of a return's line, and withdraw the `never_left` units from the order.

    `never_left` units are still in the shop, because their label was cancelled. If staff have recorded more units
    as arrived than left the shop, the excess counts as `never_left`, damaged units first.
    """
    if never_left:
        await require_not_being_packed(session, order)
    from_customer = line.quantity - never_left
    for arrived, again in ((line.good, line.restocked), (line.damaged, False)):
        came_back = min(arrived, from_customer)
        from_customer -= came_back
        if came_back:
            await accept_returned_units(session, order, ordered, came_back, restock=again, from_customer=True)
        if receipts := arrived - came_back:
            never_left -= receipts
            await withdraw_units(session, order, ordered, receipts, restock=again)
    if never_left:
        await withdraw_units(session, order, ordered, never_left, restock=True)
        line.good += never_left


async def _list_refunded_units(session: AsyncSession, row: Return) -> list[ReturnedUnits]:
    """Return the refunded units of a return: the arrived units, or the requested units if no arrival was recorded."""
    has_arrived = row.received_at is not None
    return [
        ReturnedUnits(line_id=line.line_id, quantity=count, restock=line.restocked)
        for line in await list_return_lines(session, row.id)
        if (count := line.good + line.damaged if has_arrived else line.quantity)
    ]


def _require_arrived(lines: Sequence[ReturnLine], arrived: Mapping[str, tuple[int, int]]) -> None:
    requested = {line.line_id: line.quantity for line in lines}
    over = [
        line_id
        for line_id, (good, damaged) in arrived.items()
        if good < 0 or damaged < 0 or good + damaged > requested.get(line_id, 0)
    ]
    if over:
        problems = {line_id: _("Son más que las pedidas.") for line_id in over}
        raise InvalidData("More units than requested", fields=problems)
    if not any(good + damaged for good, damaged in arrived.values()):
        raise InvalidData("No units", fields={"units": _("Escribe cuántas unidades llegaron.")})


async def _require_amount(session: AsyncSession, order: Order, row: Return, amount: Cop) -> None:
    left = await compute_remaining_money(session, order, excluded_return_id=row.id)
    if not 0 < amount <= left:
        problem = _("Escribe un valor entre {least} y {most}.").format(
            least=format_cop(1), most=format_cop(max(left, 0))
        )
        raise InvalidData(f"{amount} is not between 1 and the remaining {left}", fields={"amount": problem})


async def _require_same(session: AsyncSession, row: Return, amount: Cop, reference: str) -> None:
    refund = await session.get(Refund, row.refund_id)
    booked = 0
    if refund is not None and refund.reference == reference:
        order = await read_order(session, row.order_id)
        booked = sum(one.amount for one in await list_refunds_with_reference(session, order, reference))
    if booked != amount:
        raise Conflict(f"Return {row.number} is paid already")
