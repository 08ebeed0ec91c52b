"""Requests of returns: the returns that a customer can request now, and the storage of a customer's or staff's request.

The order is locked while one of its returns is created or changes its state, so that concurrent requests run one
after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, database_now
from backend.core.errors import InvalidData, NotAllowed
from backend.core.events import publish
from backend.core.ids import new_id
from backend.core.texts import _
from backend.core.web.contact import read_form
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.money.refunds import NOT_PAID, stop_sending, withdraw_units
from backend.orders.origins import is_distance_sale
from backend.orders.service import (
    list_order_lines,
    lock_order,
    read_order,
    require_nothing_sent,
    update_fulfillment_status,
)
from backend.orders.states import WITHOUT_LABEL, LabelState, OrderStatus
from backend.presses.service import require_unused_press, use_press
from backend.returns.deadlines import (
    compute_first_deadline,
    compute_warranty_deadline,
    compute_withdrawal_deadline,
    find_delivery_time,
)
from backend.returns.events import ReturnMoved
from backend.returns.forms import AccountForm, ReturnForm, has_account, parse_units
from backend.returns.models import (
    FilePurpose,
    Return,
    ReturnAccount,
    ReturnFile,
    ReturnKind,
    ReturnLine,
)
from backend.returns.refund_amounts import compute_remaining_money, compute_unsent_refund
from backend.returns.reminders import schedule_reminders
from backend.returns.states import GRANTED, UNDECIDED, ReturnState
from backend.staff.rights import Actor, Right

CANCELED = "The order was cancelled before it was sent"
BEING_PACKED = "A label of this order exists or is being created: cancel it first"


@dataclass(frozen=True, slots=True)
class Offer:
    """A kind of return that the customer can request now.

    Attributes:
        until: the end of the final day for the request; None before its period begins, and for a cancellation.
        units: maximum number of units by line id. A cancellation always includes all unsent units.
    """

    kind: ReturnKind
    until: datetime | None
    units: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReturnPicture:
    """A picture of a return request, as it is stored."""

    media_type: str
    content: bytes


async def list_offers(session: AsyncSession, order: Order) -> list[Offer]:
    """Return the kinds of return that the customer of the order can request now."""
    if await compute_remaining_money(session, order) <= 0:
        return []
    lines = await list_order_lines(session, order.id)
    fulfillments = await list_order_fulfillments(session, order.id)
    if _can_cancel(order, lines, fulfillments):
        rest = {line.id: count for line in lines if (count := count_unsent_units(line))}
        return [Offer(ReturnKind.NOT_SENT, None, rest)]
    units = await count_returnable_units(session, order, lines)
    if not units:
        return []
    delivered, moment = find_delivery_time(fulfillments), await database_now(session)
    possible = (
        Offer(ReturnKind.WITHDRAWAL, compute_withdrawal_deadline(delivered), units),
        Offer(ReturnKind.WARRANTY, compute_warranty_deadline(delivered), units),
    )
    return [
        offer
        for offer in possible
        if (offer.until is None or offer.until > moment)
        and (offer.kind is not ReturnKind.WITHDRAWAL or is_distance_sale(order))
    ]


@dataclass(frozen=True, slots=True)
class ReturnOptions:
    """Facts about an order that decide if its return form is processed.

    Attributes:
        has_offers: True if a return can be requested now.
        has_returns: True if the order already has a return, so that the same form may have been sent before.
    """

    has_offers: bool
    has_returns: bool


async def read_return_options(database: Database, order_id: str) -> ReturnOptions:
    """Return the facts about the order that decide if its return form is processed.

    Raises:
        NotFound: there is no such order.
    """
    async with database.read() as session:
        has_offers = bool(await list_offers(session, await read_order(session, order_id)))
        # queried after the offers, to find a return that has just used them up
        query = select(exists().where(Return.order_id == order_id))
        return ReturnOptions(has_offers, bool((await session.execute(query)).scalar_one()))


async def require_unused_form(database: Database) -> None:
    """Check that the submitted form has not created a return already. Called before its pictures are processed.

    Raises:
        PressUsed: the form has already created a return.
    """
    async with database.read() as session:
        await require_unused_press(session)


async def count_returnable_units(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine]
) -> dict[str, int]:
    """Return the units that can be returned, by line id; lines with 0 are left out.

    These are the units that were sent, did not come back, and are in no return.
    """
    left = await count_unclaimed_units(session, order, lines)
    return {line_id: units for line_id, units in left.items() if units > 0}


async def count_unclaimed_units(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], *, by_granted: bool = False
) -> dict[str, int]:
    """Return the number of sent units that did not come back and are in no return, by line id.

    A negative number means that so many units of returns are in no parcel: their label was cancelled after the
    return was requested. With `by_granted`, only units in granted returns count as being in a return. Once units of
    a granted return arrived, the customer keeps its other units: these do not count as being in a return.
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
    claimed: dict[str, int] = {}
    for line_id, requested, arrived, state in await session.execute(query):
        # arrived units of a granted return count in `OrderLine.returned`
        claimed[line_id] = claimed.get(line_id, 0) + requested - (0 if state in UNDECIDED else arrived)
    return {line.id: line.fulfilled - line.returned - claimed.get(line.id, 0) for line in lines}


async def store_customer_request(
    database: Database, order_id: str, typed: Mapping[str, Any], pictures: Sequence[ReturnPicture] = ()
) -> Return:
    """Store the request of the order's customer. The caller has checked the access and the rate limit.

    Raises:
        NotFound: there is no such order.
        InvalidData: a field is invalid; see `fields`.
        PressUsed: the same form has already been stored.
        NotAllowed: this return cannot be requested, or its deadline has passed.
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
        offer = next((one for one in await list_offers(session, order) if one.kind is form.kind), None)
        if offer is None:
            raise NotAllowed(f"A return of kind {form.kind} cannot be requested now")
        lines = await list_order_lines(session, order.id)
        units = dict(offer.units) if form.kind is ReturnKind.NOT_SENT else parse_units(typed, lines)
        row = await _store_return(session, order, lines, form, units)
        await _store_attachments(session, row, account, pictures)
    return row


@dataclass(frozen=True, slots=True)
class Remark:
    """The reason why the units of a line are returned, and a note."""

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
    exchange_id: str | None = None,
) -> Return:
    """Open a return for a customer who called or wrote. Staff may do this even after the deadline.

    Args:
        session: a transaction.
        actor: the staff member.
        order_id: the order.
        typed: the return's kind and reason, the units of each line, and optionally a bank account.
        return_id: the return's id, if a draft of the return has been stored.
        remarks: the reason and note of each line, by line id.
        exchange_id: the exchange that the return belongs to.

    Raises:
        NotFound: there is no such order.
        InvalidData: a field is invalid; see `fields`.
        NotAllowed: there is no money to refund, or the units to cancel have a label.
    """
    actor.require(Right.HANDLE_RETURNS)
    form = read_form(ReturnForm, typed)
    require_exchange(form.kind, exchange_id)
    account = read_form(AccountForm, typed) if has_account(typed) else None
    order = await lock_order(session, order_id)
    lines = await list_order_lines(session, order.id)
    units = parse_units(typed, lines)
    await record(session, actor, "return opened", Subject(SubjectType.ORDER, order.id))
    row = await _store_return(
        session,
        order,
        lines,
        form,
        units,
        asked_by=actor.id,
        return_id=return_id,
        exchange_id=exchange_id,
    )
    for line in (await session.execute(select_return_lines(row.id))).scalars():
        remark = (remarks or {}).get(line.line_id, Remark())
        line.reason_id, line.note = remark.reason_id, remark.note
    await _store_attachments(session, row, account, ())
    return row


def require_exchange(kind: ReturnKind, exchange_id: str | None) -> None:
    """Check that a return has the kind `exchange` if it belongs to an exchange, and another kind if it does not.

    Raises:
        InvalidData: the kind and `exchange_id` do not match.
    """
    if (kind is ReturnKind.EXCHANGE) != (exchange_id is not None):
        raise InvalidData(
            "Only the return of an exchange has the kind exchange", fields={"kind": _("Elige qué es.")}
        )


def select_return_lines(return_id: str) -> Select[ReturnLine]:
    """Return the query of the return's lines."""
    return select(ReturnLine).where(ReturnLine.return_id == return_id).order_by(ReturnLine.line_id)


async def _store_return(
    session: AsyncSession,
    order: Order,
    lines: Sequence[OrderLine],
    form: ReturnForm,
    units: Mapping[str, int],
    *,
    asked_by: str = "",
    return_id: str = "",
    exchange_id: str | None = None,
) -> Return:
    left = await compute_remaining_money(session, order)
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
        due_at=compute_first_deadline(form.kind, moment),
        exchange_id=exchange_id,
    )
    if form.kind is ReturnKind.NOT_SENT:
        row.state, row.approved_at = ReturnState.TO_PAY, moment
        row.amount = compute_unsent_refund(order, lines, units, left)
        await _withdraw_from_order(session, order, lines, units)
    session.add(row)
    await session.flush()
    session.add_all(
        ReturnLine(return_id=row.id, line_id=line_id, quantity=count) for line_id, count in units.items()
    )
    await session.flush()
    await schedule_reminders(session, row, moment)
    await publish(session, ReturnMoved(row.id, ReturnState(row.state)))
    return row


async def _require_units(
    session: AsyncSession,
    order: Order,
    lines: Sequence[OrderLine],
    kind: ReturnKind,
    units: Mapping[str, int],
) -> None:
    """Check that these units can be in a return of this kind.

    Raises:
        InvalidData: there are no units, or too many.
    """
    if not units and kind is not ReturnKind.REVERSAL:  # a reversal may be for an order that never arrived
        raise InvalidData("No units", fields={"units": _("Escribe cuántas unidades.")})
    if kind is ReturnKind.NOT_SENT:
        max_units = {line.id: count_unsent_units(line) for line in lines}
    else:
        max_units = await count_returnable_units(session, order, lines)
    if over := [line_id for line_id, count in units.items() if count > max_units.get(line_id, 0)]:
        problems = {
            f"units-{line_id}": _("Como máximo {left}.").format(left=max_units.get(line_id, 0))
            for line_id in over
        }
        raise InvalidData(f"More units than available: {', '.join(over)}", fields=problems)


async def _withdraw_from_order(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], units: Mapping[str, int]
) -> None:
    """Withdraw these units of the order, so that they are not sent."""
    await require_not_being_packed(session, order)
    await _withdraw_units(session, order, lines, units)
    if _is_withdrawn(lines):
        await require_nothing_sent(session, order.id)
    await update_sending_status(session, order, lines)


async def withdraw_unsent_units(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> None:
    """Withdraw all unsent units of the (locked) order, so that they can be sold again."""
    await _withdraw_units(session, order, lines, {line.id: count_unsent_units(line) for line in lines})


async def _withdraw_units(
    session: AsyncSession, order: Order, lines: Sequence[OrderLine], units: Mapping[str, int]
) -> None:
    for line in lines:
        if count := units.get(line.id, 0):
            await withdraw_units(session, order, line, count, restock=True)


async def require_not_being_packed(session: AsyncSession, order: Order) -> None:
    """Check that no label of the (locked) order is being created.

    A label in creation would include the units that the caller wants to withdraw.

    Raises:
        NotAllowed: a label is being created, or may exist.
    """
    fulfillments = await list_order_fulfillments(session, order.id)
    if any(one.state not in (LabelState.CREATED, *WITHOUT_LABEL) for one in fulfillments):
        raise NotAllowed(BEING_PACKED)


async def update_sending_status(session: AsyncSession, order: Order, lines: Sequence[OrderLine]) -> None:
    """Update the fulfillment status of the (locked) order.

    If all its units are withdrawn and it has no label, cancel the order.
    """
    await update_fulfillment_status(session, order)
    if _is_withdrawn(lines):
        await stop_sending(session, order, CANCELED)


def _is_withdrawn(lines: Sequence[OrderLine]) -> bool:
    return all(line.withdrawn == line.quantity for line in lines)


async def _store_attachments(
    session: AsyncSession, row: Return, account: AccountForm | None, pictures: Sequence[ReturnPicture]
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


def count_unsent_units(line: OrderLine) -> int:
    """Return how many units of the line must still be sent."""
    return line.quantity - line.fulfilled - line.withdrawn


def _can_cancel(order: Order, lines: Sequence[OrderLine], fulfillments: Sequence[Fulfillment]) -> bool:
    """Return True if the order is pending and has units to send, of which none is packed or has a label."""
    is_unpacked = not any(line.fulfilled for line in lines) and any(
        count_unsent_units(line) for line in lines
    )
    is_free = all(one.state in WITHOUT_LABEL for one in fulfillments)
    return order.status == OrderStatus.PENDING and is_unpacked and is_free
