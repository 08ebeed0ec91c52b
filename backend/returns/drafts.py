"""Drafts of returns, which API clients write step by step through the Admin API and then confirm.

An API client creates the draft of a return, adds the units, and confirms the draft. The result is a return, as if
staff had opened it in the back office. The arrival of units is drafted in the same way. Before the confirmation,
only the draft changes. An order has one draft at a time; every step locks the order first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound, require_found
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.models import Order, ReturnReason
from backend.orders.service import list_order_lines, lock_order
from backend.returns.events import ReturnMoved
from backend.returns.forms import MAX_REASON_LENGTH, UNITS_PREFIX
from backend.returns.models import DraftStep, Return, ReturnDraft, ReturnKind
from backend.returns.processing import list_return_lines, read_return, receive, require_step
from backend.returns.requests import Remark, count_returnable_units, open_return, require_exchange
from backend.returns.states import ReturnState
from backend.staff.rights import Actor, Right

AUDIT_ACTION = "return written"
DRAFT_EXISTS = (
    "Order {order_id} already has an existing active order change: its return {return_id} is being written"
)
OTHER_LOCATION = "Returned units are restocked where they were sent from: another location_id is not possible"


class Action(StrEnum):
    """Meaning of a draft's item, in the platform's words."""

    RETURN = "RETURN_ITEM"
    ARRIVED = "RECEIVE_RETURN_ITEM"
    """The units arrived in good state."""
    DAMAGED = "RECEIVE_DAMAGED_RETURN_ITEM"


STEP_OF = {
    Action.RETURN: DraftStep.REQUEST,
    Action.ARRIVED: DraftStep.RECEIVE,
    Action.DAMAGED: DraftStep.RECEIVE,
}


@dataclass(frozen=True, slots=True)
class LineUnits:
    """A number of units of one line of the order."""

    line_id: str
    quantity: int
    remark: Remark = field(default_factory=Remark)


@dataclass(frozen=True, slots=True)
class RequestData:
    """Values of a return request that apply to all its units.

    `location_id` must be the location from which the units were sent: they are restocked there. `exchange_id` is the
    exchange that a return of the kind `exchange` belongs to; other kinds have none.
    """

    kind: ReturnKind
    reason: str = ""
    location_id: str | None = None
    exchange_id: str | None = None


@dataclass(frozen=True, slots=True)
class DraftItem:
    """Reference to an item of a return's draft, by its id and its action."""

    return_id: str
    id: str
    action: Action


@dataclass(frozen=True, slots=True)
class ItemChange:
    """Changes of an item; None leaves a field unchanged."""

    quantity: int | None = None
    reason_id: str | None = None
    note: str | None = None


async def begin_request(
    session: AsyncSession, actor: Actor, order_id: str, request: RequestData
) -> ReturnDraft:
    """Create the draft of a return request for an order.

    Raises:
        NotFound: there is no such order.
        InvalidData: the reason is too long, or the kind is `exchange` without an exchange.
        NotAllowed: the order already has a draft, or its units cannot be returned to this location.
    """
    actor.require(Right.HANDLE_RETURNS)
    require_exchange(request.kind, request.exchange_id)
    order = await lock_order(session, order_id)
    if len(request.reason) > MAX_REASON_LENGTH:
        raise InvalidData(f"A reason has at most {MAX_REASON_LENGTH} characters")
    await _require_location(session, order, request.location_id)
    draft = ReturnDraft(
        order_id=order.id,
        step=DraftStep.REQUEST,
        kind=request.kind,
        reason=request.reason,
        exchange_id=request.exchange_id,
        created_by=actor.id,
    )
    return await _store_draft(session, actor, draft)


async def begin_receipt(session: AsyncSession, actor: Actor, return_id: str) -> ReturnDraft:
    """Create the draft of a receipt: the list of the return's units that arrived.

    Raises:
        NotFound: there is no such return.
        NotAllowed: its order already has a draft.
        Conflict: the return is not waiting for units any more.
    """
    actor.require(Right.HANDLE_RETURNS)
    order = await lock_order(session, (await read_return(session, return_id)).order_id)
    row = await read_return(session, return_id, lock=True)
    require_step(row, ReturnState.RECEIVED)
    draft = ReturnDraft(
        id=row.id, order_id=order.id, step=DraftStep.RECEIVE, kind=row.kind, created_by=actor.id
    )
    return await _store_draft(session, actor, draft)


async def add_items(
    session: AsyncSession, actor: Actor, return_id: str, action: Action, items: list[LineUnits]
) -> ReturnDraft:
    """Add items to a draft: units to return, or units that arrived.

    Raises:
        NotFound: there is no such draft, or no such reason.
        InvalidData: there are more units than the order or the return has.
    """
    draft, order = await _lock_draft(session, actor, return_id, STEP_OF[action])
    await _store_items(
        session, actor, draft, order, [*draft.items, *(_to_draft_item(action, one) for one in items)]
    )
    return draft


async def change_item(
    session: AsyncSession, actor: Actor, item: DraftItem, change: ItemChange
) -> ReturnDraft:
    """Change an item of a return's draft.

    Raises:
        NotFound: there is no such item, or no such reason.
        InvalidData: there are more units than the order or the return has.
    """
    draft, order = await _lock_draft(session, actor, item.return_id, STEP_OF[item.action])
    old = _find_item(draft, item)
    changes = {"quantity": change.quantity, "reason_id": change.reason_id, "note": change.note}
    new = {**old, **{name: value for name, value in changes.items() if value is not None}}
    await _store_items(session, actor, draft, order, [new if one is old else one for one in draft.items])
    return draft


async def remove_item(session: AsyncSession, actor: Actor, item: DraftItem) -> ReturnDraft:
    """Remove an item from a return's draft.

    Raises:
        NotFound: there is no such item.
    """
    draft, order = await _lock_draft(session, actor, item.return_id, STEP_OF[item.action])
    old = _find_item(draft, item)
    await _store_items(session, actor, draft, order, [one for one in draft.items if one is not old])
    return draft


async def change_request(
    session: AsyncSession, actor: Actor, return_id: str, kind: ReturnKind | None, location_id: str | None
) -> ReturnDraft:
    """Change the kind of a drafted request. Check that its units can be returned to this location.

    Raises:
        NotFound: there is no such draft.
        InvalidData: the kind would be `exchange` without an exchange, or another kind with one.
        NotAllowed: its units cannot be returned to this location.
    """
    draft, order = await _lock_draft(session, actor, return_id, DraftStep.REQUEST)
    require_exchange(kind or ReturnKind(draft.kind), draft.exchange_id)
    await _require_location(session, order, location_id)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, order.id))
    draft.kind = kind or draft.kind
    await session.flush()
    return draft


async def confirm_request(session: AsyncSession, actor: Actor, return_id: str) -> Return:
    """Open the drafted return and notify the customer.

    Raises:
        NotFound: there is no such draft.
        InvalidData: it has no units, or more units than can be returned now.
        NotAllowed: there is no money to refund, or the units to cancel have a label.
    """
    draft, order = await _lock_draft(session, actor, return_id, DraftStep.REQUEST)
    changes = {
        f"{UNITS_PREFIX}{line}": str(count) for line, count in sum_draft_units(draft, Action.RETURN).items()
    }
    remarks = {one["line_id"]: Remark(one["reason_id"], one["note"]) for one in draft.items}
    typed = {"kind": draft.kind, "reason": draft.reason, **changes}
    row = await open_return(
        session, actor, order.id, typed, return_id=draft.id, remarks=remarks, exchange_id=draft.exchange_id
    )
    await session.delete(draft)
    await session.flush()
    return row


async def confirm_receipt(session: AsyncSession, actor: Actor, return_id: str) -> Return:
    """Record that the drafted units arrived: see `backend.returns.processing.receive`.

    Raises:
        NotFound: there is no such draft.
        InvalidData: the draft has no units.
        Conflict: the return is not waiting for units any more.
    """
    draft, _order = await _lock_draft(session, actor, return_id, DraftStep.RECEIVE)
    good, damaged = sum_draft_units(draft, Action.ARRIVED), sum_draft_units(draft, Action.DAMAGED)
    arrived = {line: (good.get(line, 0), damaged.get(line, 0)) for line in good.keys() | damaged.keys()}
    return await receive(session, actor, draft.id, arrived)


@subscribe(ReturnMoved)
async def delete_receipt_draft(session: AsyncSession, event: ReturnMoved) -> None:
    """Delete the draft of a receipt, if there is one, because the return does not wait for units any more.

    Staff may have received or denied the return in the back office, or settled its exchange. The draft could not be
    confirmed, and would prevent further drafts for the order. The caller has locked the order.
    """
    if event.state is not ReturnState.REQUESTED:
        query = delete(ReturnDraft).where(
            ReturnDraft.id == event.return_id, ReturnDraft.step == DraftStep.RECEIVE
        )
        await session.execute(query)


async def delete_draft(
    session: AsyncSession, actor: Actor, return_id: str, step: DraftStep, exchange_id: str | None = None
) -> None:
    """Delete the draft. The draft of an exchange's return is deleted only by the exchange.

    Raises:
        NotFound: there is no such draft.
        NotAllowed: it belongs to another exchange than `exchange_id`.
    """
    draft, order = await _lock_draft(session, actor, return_id, step)
    if draft.exchange_id != exchange_id:
        raise NotAllowed(f"Return {return_id} belongs to exchange {draft.exchange_id}: cancel the exchange")
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, order.id))
    await session.delete(draft)
    await session.flush()


async def find_order_of_request(session: AsyncSession, actor: Actor, return_id: str) -> str:
    """Return the id of a drafted request's order.

    Raises:
        NotFound: there is no such draft.
    """
    actor.require(Right.HANDLE_RETURNS)
    return (await find_draft(session, return_id, DraftStep.REQUEST)).order_id


async def find_draft(session: AsyncSession, return_id: str, step: DraftStep) -> ReturnDraft:
    """Return the draft of this return.

    Raises:
        NotFound: there is no such draft.
    """
    query = select(ReturnDraft).where(ReturnDraft.id == return_id, ReturnDraft.step == step)
    draft = (await session.execute(query)).scalar_one_or_none()
    if draft is None:
        raise NotFound(f"Return with id: {return_id} was not found, or has no draft")
    return draft


async def find_draft_of_order(session: AsyncSession, order_id: str) -> ReturnDraft | None:
    """Return the draft of this order's return; None if there is none."""
    return (
        await session.execute(select(ReturnDraft).where(ReturnDraft.order_id == order_id))
    ).scalar_one_or_none()


def sum_draft_units(draft: ReturnDraft, action: Action) -> dict[str, int]:
    """Return the number of units in the draft's items with this action, by line id."""
    units: dict[str, int] = {}
    for item in draft.items:
        if item["action"] == action:
            units[item["line_id"]] = units.get(item["line_id"], 0) + int(item["quantity"])
    return units


async def _store_draft(session: AsyncSession, actor: Actor, draft: ReturnDraft) -> ReturnDraft:
    """Store the draft. The caller must have locked the order, so that no other draft is created at the same time.

    Raises:
        NotAllowed: the order already has a draft.
    """
    other = await find_draft_of_order(session, draft.order_id)
    if other is not None:
        raise NotAllowed(DRAFT_EXISTS.format(order_id=draft.order_id, return_id=other.id))
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, draft.order_id))
    session.add(draft)
    await session.flush()
    return draft


async def _lock_draft(
    session: AsyncSession, actor: Actor, return_id: str, step: DraftStep
) -> tuple[ReturnDraft, Order]:
    actor.require(Right.HANDLE_RETURNS)
    order = await lock_order(session, (await find_draft(session, return_id, step)).order_id)
    query = select(ReturnDraft).where(ReturnDraft.id == return_id, ReturnDraft.step == step)
    draft = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if draft is None:
        raise NotFound(f"Return with id: {return_id} no longer has a draft")
    return draft, order


async def _store_items(
    session: AsyncSession, actor: Actor, draft: ReturnDraft, order: Order, items: list[JsonObject]
) -> None:
    before, draft.items = draft.items, items
    try:
        max_units = await _read_max_units(session, draft, order)
        request: dict[str, int] = {}
        for item in items:
            request[item["line_id"]] = request.get(item["line_id"], 0) + int(item["quantity"])
        for line_id, count in request.items():
            if count > max_units.get(line_id, 0):
                raise InvalidData(
                    f"Cannot return more items than what was fulfilled and not returned: "
                    f"{count} of item {line_id}, but there are only {max_units.get(line_id, 0)}"
                )
        for reason_id in {item["reason_id"] for item in items if item["reason_id"]}:
            require_found(await session.get(ReturnReason, reason_id), "Return reason", reason_id)
    except (InvalidData, NotFound):
        draft.items = before
        raise
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.ORDER, order.id))
    await session.flush()


async def _read_max_units(session: AsyncSession, draft: ReturnDraft, order: Order) -> Mapping[str, int]:
    """Return the maximum number of units that the draft may have, by line id."""
    if draft.step == DraftStep.RECEIVE:
        return {line.line_id: line.quantity for line in await list_return_lines(session, draft.id)}
    lines = await list_order_lines(session, order.id)
    if draft.kind == ReturnKind.NOT_SENT:
        return {line.id: line.quantity - line.fulfilled - line.withdrawn for line in lines}
    return await count_returnable_units(session, order, lines)


async def _require_location(session: AsyncSession, order: Order, location_id: str | None) -> None:
    sent_from = {one.location_id for one in await list_order_fulfillments(session, order.id)}
    if location_id and location_id not in sent_from:
        raise NotAllowed(OTHER_LOCATION)


def _to_draft_item(action: Action, units: LineUnits) -> JsonObject:
    return {
        "id": new_id("ordchact"),
        "action": str(action),
        "line_id": units.line_id,
        "quantity": units.quantity,
        "reason_id": units.remark.reason_id,
        "note": units.remark.note,
    }


def _find_item(draft: ReturnDraft, item: DraftItem) -> JsonObject:
    for one in draft.items:
        if one["id"] == item.id and one["action"] == item.action:
            return one
    raise NotFound(f"Action with id: {item.id} was not found in return {draft.id}")
