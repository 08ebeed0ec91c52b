"""Asking for a return: what a buyer may ask for now, and storing what was asked for, by them or by the shop.

The order is locked while a return of it is made or moved: two people at once are one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import Database, database_now
from backend.core.errors import InvalidData, NotAllowed
from backend.core.events import publish
from backend.core.ids import new_id
from backend.core.texts import _
from backend.core.web.contact import read_form
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.refunds import NOT_PAID, stop_sending, withdraw_units
from backend.orders.service import (
    lines_of_order,
    lock_order,
    read_order,
    require_nothing_sent,
    update_fulfillment_status,
)
from backend.orders.states import WITHOUT_LABEL, LabelState, OrderStatus
from backend.presses.service import require_unused_press, use_press
from backend.returns.deadlines import delivered_at, due_when_asked, warranty_until, withdraw_until
from backend.returns.events import ReturnMoved
from backend.returns.forms import AccountForm, ReturnForm, has_account, units_in
from backend.returns.models import (
    FilePurpose,
    Return,
    ReturnAccount,
    ReturnFile,
    ReturnKind,
    ReturnLine,
)
from backend.returns.refund_amounts import left_of, owed_unsent
from backend.returns.reminders import schedule
from backend.returns.states import GRANTED, UNDECIDED, ReturnState
from backend.staff.rights import Actor, Right

CANCELED = "The order was cancelled before it was sent"
BEING_PACKED = "A label of this order exists or is being made: cancel it first"


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind of return that the buyer may ask for now.

    Attributes:
        until: the end of the last day for it; None while its time has not begun to run.
        units: by the line's id, how many may come back; of an order that is cancelled all that is left to send.
    """

    kind: ReturnKind
    until: datetime | None
    units: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SentPicture:
    """A picture as it is kept."""

    media_type: str
    content: bytes


async def offers(session: AsyncSession, order: Order) -> list[Offer]:
    """What the buyer of the order may ask for at this moment."""
    if await left_of(session, order) <= 0:
        return []
    lines = await lines_of_order(session, order.id)
    fulfillments = await fulfillments_of_order(session, order.id)
    if _can_cancel(order, lines, fulfillments):
        rest = {line.id: count for line in lines if (count := unsent(line))}
        return [Offer(ReturnKind.NOT_SENT, None, rest)]
    units = await returnable(session, order, lines)
    if not units:
        return []
    delivered, moment = delivered_at(fulfillments), await database_now(session)
    possible = (
        Offer(ReturnKind.WITHDRAWAL, withdraw_until(delivered), units),
        Offer(ReturnKind.WARRANTY, warranty_until(delivered), units),
    )
    return [offer for offer in possible if offer.until is None or offer.until > moment]


@dataclass(frozen=True, slots=True)
class ReturnOptions:
    """State of an order that decides whether a form of it is read.

    Attributes:
        has_offers: a return can be asked for now.
        has_returns: the order has a return: the form may be the one that asked for it, sent again.
    """

    has_offers: bool
    has_returns: bool


async def read_return_options(database: Database, order_id: str) -> ReturnOptions:
    """Read whether a return of the order can be asked for, and whether it has one.

    Raises:
        NotFound: there is no such order.
    """
    async with database.read() as session:
        has_offers = bool(await offers(session, await read_order(session, order_id)))
        # read after the offers: a return that has just taken the last of them is seen
        query = select(exists().where(Return.order_id == order_id))
        return ReturnOptions(has_offers, bool((await session.execute(query)).scalar_one()))


async def require_unsent(database: Database) -> None:
    """Check, before pictures are processed, that no earlier sending of the same form has stored a return.

    Raises:
        PressUsed: one has.
    """
    async with database.read() as session:
        await require_unused_press(session)


async def returnable(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> dict[str, int]:
    """Units by the line's id that were sent, have not come back, and are in no other return; none of 0."""
    left = await unclaimed(session, order, lines)
    return {line_id: units for line_id, units in left.items() if units > 0}


async def unclaimed(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], *, by_granted: bool = False
) -> dict[str, int]:
    """Units by the line's id that were sent, less those that came back and those that returns are for.

    Below 0, a label was cancelled after its units were asked back: so many lie in no parcel any more. `by_granted`:
    only the returns that were granted count, and not those that are still to be decided. One that was granted for what
    arrived is for nothing more: the rest of its units are the buyer's.
    """
    query = (
        select(
            ReturnLine.line_id,
            func.sum(ReturnLine.quantity),
            func.sum(ReturnLine.good + ReturnLine.damaged),
            Return.state,
        )
        .join(Return, Return.id == ReturnLine.return_id)
        .where(
            Return.order_id == order.id,
            Return.kind != ReturnKind.NOT_SENT,
            Return.state.in_(GRANTED) if by_granted else Return.state != ReturnState.DENIED,
            or_(Return.state.not_in(GRANTED), Return.received_at.is_(None)),
        )
        .group_by(ReturnLine.line_id, Return.state)
    )
    taken: dict[str, int] = {}
    for line_id, asked, came, state in await session.execute(query):
        # what came of a return that was granted counts in `OrderLine.returned`
        taken[line_id] = taken.get(line_id, 0) + asked - (0 if state in UNDECIDED else came)
    return {line.id: line.fulfilled - line.returned - taken.get(line.id, 0) for line in lines}


async def ask(
    database: Database, order_id: str, typed: Mapping[str, Any], pictures: Sequence[SentPicture] = ()
) -> Return:
    """Store what the order's buyer asks for. The caller has checked that it is the buyer, and how often they ask.

    Raises:
        NotFound: there is no such order.
        InvalidData: `fields` says what is wrong.
        PressUsed: an earlier sending of the same form has stored it.
        NotAllowed: this cannot be asked for, or not any more.
    """
    form = read_form(ReturnForm, typed)
    if form.kind is ReturnKind.WARRANTY and not form.reason:
        raise InvalidData("No reason", fields={"reason": _("Cuéntanos qué falla.")})
    account = (
        read_form(AccountForm, typed) if form.kind is not ReturnKind.WARRANTY or has_account(typed) else None
    )
    async with database.transaction() as session:
        order = await lock_order(session, order_id)
        await use_press(session)
        offer = next((one for one in await offers(session, order) if one.kind is form.kind), None)
        if offer is None:
            raise NotAllowed(f"A return of kind {form.kind} cannot be asked for now")
        lines = await lines_of_order(session, order.id)
        units = dict(offer.units) if form.kind is ReturnKind.NOT_SENT else units_in(typed, lines)
        row = await _store(session, order, lines, form, units)
        await _add(session, row, account, pictures)
    return row


@dataclass(frozen=True, slots=True)
class Remark:
    """Why the units of a line come back."""

    reason_id: str | None = None
    note: str = ""


async def open_return(
    session: AsyncSession,
    actor: Actor,
    order_id: str,
    typed: Mapping[str, Any],
    *,
    return_id: str = "",
    remarks: Mapping[str, Remark] | None = None,
) -> Return:
    """Open a return for a buyer who called or wrote. The shop may also open one whose time is over.

    Args:
        actor: who opens it.
        order_id: of which order.
        typed: its kind, its reason, the units of each line, and perhaps a bank account.
        return_id: the id that it had as a draft.
        remarks: by the line's id.

    Raises:
        NotFound: there is no such order.
        InvalidData: `fields` says what is wrong.
        NotAllowed: there is no money to give back, or what is to be cancelled has a label.
    """
    actor.require(Right.HANDLE_RETURNS)
    form = read_form(ReturnForm, typed)
    account = read_form(AccountForm, typed) if has_account(typed) else None
    order = await lock_order(session, order_id)
    lines = await lines_of_order(session, order.id)
    units = units_in(typed, lines)
    await record(session, actor, "return opened", Subject(Thing.ORDER, order.id))
    row = await _store(session, order, lines, form, units, asked_by=actor.id, return_id=return_id)
    for line in (await session.execute(lines_in(row.id))).scalars():
        remark = (remarks or {}).get(line.line_id, Remark())
        line.reason_id, line.note = remark.reason_id, remark.note
    await _add(session, row, account, ())
    return row


def lines_in(return_id: str) -> Select[ReturnLine]:
    """What is in the return."""
    return select(ReturnLine).where(ReturnLine.return_id == return_id).order_by(ReturnLine.line_id)


async def _store(
    session: AsyncSession,
    order: Order,
    lines: Sequence[OrderLine],
    form: ReturnForm,
    units: Mapping[str, int],
    *,
    asked_by: str = "",
    return_id: str = "",
) -> Return:
    left = await left_of(session, order)
    if left <= 0:
        raise NotAllowed(NOT_PAID)
    await _require_units(session, order, lines, form.kind, units)
    moment = await database_now(session)
    row = Return(
        id=return_id or new_id("return"),
        order_id=order.id,
        kind=form.kind,
        state=ReturnState.REQUESTED,
        reason=form.reason,
        asked_by=asked_by,
        asked_at=moment,
        due_at=due_when_asked(form.kind, moment),
    )
    if form.kind is ReturnKind.NOT_SENT:
        row.state, row.approved_at = ReturnState.TO_PAY, moment
        row.amount = owed_unsent(order, lines, units, left)
        await _do_not_send(session, order, lines, units)
    session.add(row)
    await session.flush()
    session.add_all(
        ReturnLine(return_id=row.id, line_id=line_id, quantity=count) for line_id, count in units.items()
    )
    await session.flush()
    await schedule(session, row, moment)
    await publish(session, ReturnMoved(row.id, ReturnState(row.state)))
    return row


async def _require_units(
    session: AsyncSession,
    order: Order,
    lines: Sequence[OrderLine],
    kind: ReturnKind,
    units: Mapping[str, int],
) -> None:
    """Check that so many units can be in a return of this kind."""
    if not units and kind is not ReturnKind.REVERSAL:  # nothing may have arrived
        raise InvalidData("No units", fields={"units": _("Escribe cuántas unidades.")})
    if kind is ReturnKind.NOT_SENT:
        most = {line.id: unsent(line) for line in lines}
    else:
        most = await returnable(session, order, lines)
    if over := [line_id for line_id, count in units.items() if count > most.get(line_id, 0)]:
        problems = {
            f"units-{line_id}": _("Como máximo {left}.").format(left=most.get(line_id, 0)) for line_id in over
        }
        raise InvalidData(f"More units than there are: {', '.join(over)}", fields=problems)


async def _do_not_send(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], units: Mapping[str, int]
) -> None:
    """Take these units out of what is still to be sent."""
    await require_not_being_packed(session, order)
    await _withdraw(session, order, lines, units)
    if _is_withdrawn(lines):
        await require_nothing_sent(session, order.id)
    await restate_sending(session, order, lines)


async def send_no_more(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> None:
    """Take all that was not sent yet out of the (locked) order: its units can be sold again."""
    await _withdraw(session, order, lines, {line.id: unsent(line) for line in lines})


async def _withdraw(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], units: Mapping[str, int]
) -> None:
    for line in lines:
        if count := units.get(line.id, 0):
            await withdraw_units(session, order, line, count, restock=True)


async def require_not_being_packed(session: AsyncSession, order: Order) -> None:
    """Check that no label of the (locked) order is being made: its units would be in it.

    Raises:
        NotAllowed: one is, or nobody knows whether it was made.
    """
    fulfillments = await fulfillments_of_order(session, order.id)
    if any(one.state not in (LabelState.CREATED, *WITHOUT_LABEL) for one in fulfillments):
        raise NotAllowed(BEING_PACKED)


async def restate_sending(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> None:
    """Let the (locked) order say how far it is sent. All of it withdrawn, it is cancelled unless a label stands."""
    await update_fulfillment_status(session, order)
    if _is_withdrawn(lines):
        await stop_sending(session, order, CANCELED)


def _is_withdrawn(lines: Sequence[OrderLine]) -> bool:
    return all(line.withdrawn == line.quantity for line in lines)


async def _add(
    session: AsyncSession, row: Return, account: AccountForm | None, pictures: Sequence[SentPicture]
) -> None:
    if account is not None:
        session.add(ReturnAccount(return_id=row.id, **account.model_dump()))
    session.add_all(
        ReturnFile(
            return_id=row.id,
            purpose=FilePurpose.PICTURE,
            media_type=picture.media_type,
            content=picture.content,
        )
        for picture in pictures
    )
    await session.flush()


def unsent(line: OrderLine) -> int:
    """Units of the line that are still to be sent."""
    return line.quantity - line.fulfilled - line.withdrawn


def _can_cancel(order: Order, lines: Sequence[OrderLine], fulfillments: Sequence[Fulfillment]) -> bool:
    """Whether what is left of the order can still be cancelled: nothing of it is packed or about to be."""
    is_unpacked = not any(line.fulfilled for line in lines) and any(unsent(line) for line in lines)
    is_free = all(one.state in WITHOUT_LABEL for one in fulfillments)
    return order.status == OrderStatus.PENDING and is_unpacked and is_free
