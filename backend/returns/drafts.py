"""Returns as the platform's programs write them: step by step, and true once they are confirmed.

A program begins the request of a return, adds the units that come back, and confirms it: then it is a return like one
that the office opens. What arrived is written the same way. Until then nothing but the draft changes. An order has one
draft; every step locks the order first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.db.database import locked
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound, require_found
from backend.core.ids import new_id
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import Order, ReturnReason
from backend.orders.service import lines_of_order, lock_order
from backend.returns.forms import LONGEST_REASON, UNITS
from backend.returns.models import DraftStep, Return, ReturnDraft, ReturnKind
from backend.returns.processing import lines_of_return, read_return, receive, require_step
from backend.returns.requests import Remark, open_return, returnable
from backend.returns.states import ReturnState
from backend.staff.rights import Actor, Right

WRITTEN = "return written"
UNDER_WAY = (
    "Order {order_id} already has an existing active order change: its return {return_id} is being written"
)
ELSEWHERE = (
    "What comes back of this order is stocked where it was sent from: another location_id cannot be kept"
)


class Action(StrEnum):
    """What an item of a draft says, in the platform's words."""

    RETURN = "RETURN_ITEM"
    ARRIVED = "RECEIVE_RETURN_ITEM"
    """In good state."""
    DAMAGED = "RECEIVE_DAMAGED_RETURN_ITEM"


STEP_OF = {
    Action.RETURN: DraftStep.REQUEST,
    Action.ARRIVED: DraftStep.RECEIVE,
    Action.DAMAGED: DraftStep.RECEIVE,
}


@dataclass(frozen=True, slots=True)
class Units:
    """So many units of a line of the order."""

    line_id: str
    quantity: int
    remark: Remark = field(default_factory=Remark)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is said of a whole request.

    `location_id` can only be where its units were sent from: they are stocked there again.
    """

    kind: ReturnKind
    reason: str = ""
    location_id: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the draft of a return, by its id and by what it says."""

    return_id: str
    id: str
    action: Action


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What of an item is changed; None stays."""

    quantity: int | None = None
    reason_id: str | None = None
    note: str | None = None


async def begin_request(session: AsyncSession, actor: Actor, order_id: str, asked: Asked) -> ReturnDraft:
    """Begin to write what is to come back of an order.

    Raises:
        NotFound: there is no such order.
        InvalidData: the reason is too long.
        NotAllowed: a draft of it is there already, or its units do not come back to this location.
    """
    actor.require(Right.HANDLE_RETURNS)
    order = await lock_order(session, order_id)
    if len(asked.reason) > LONGEST_REASON:
        raise InvalidData(f"A reason has at most {LONGEST_REASON} characters")
    await _require_place(session, order, asked.location_id)
    draft = ReturnDraft(
        order_id=order.id,
        step=DraftStep.REQUEST,
        kind=asked.kind,
        reason=asked.reason,
        created_by=actor.id,
    )
    return await _begin(session, actor, draft)


async def begin_receipt(session: AsyncSession, actor: Actor, return_id: str) -> ReturnDraft:
    """Begin to write what arrived of a return.

    Raises:
        NotFound: there is no such return.
        NotAllowed: something is being written of its order already.
        Conflict: it is not waited for any more.
    """
    actor.require(Right.HANDLE_RETURNS)
    order = await lock_order(session, (await read_return(session, return_id)).order_id)
    row = await read_return(session, return_id, lock=True)
    require_step(row, ReturnState.RECEIVED)
    draft = ReturnDraft(
        id=row.id, order_id=order.id, step=DraftStep.RECEIVE, kind=row.kind, created_by=actor.id
    )
    return await _begin(session, actor, draft)


async def add_items(
    session: AsyncSession, actor: Actor, return_id: str, action: Action, items: list[Units]
) -> ReturnDraft:
    """Add units that are to come back, or that arrived.

    Raises:
        NotFound: nothing of the kind is being written, or there is no such reason.
        InvalidData: there are not so many units.
    """
    draft, order = await _locked(session, actor, return_id, STEP_OF[action])
    await _write(session, actor, draft, order, [*draft.items, *(_item(action, one) for one in items)])
    return draft


async def change_item(session: AsyncSession, actor: Actor, item: Item, change: ItemChange) -> ReturnDraft:
    """Change one of them.

    Raises:
        NotFound: there is no such item, or reason.
        InvalidData: there are not so many units.
    """
    draft, order = await _locked(session, actor, item.return_id, STEP_OF[item.action])
    old = _found(draft, item)
    said = {"quantity": change.quantity, "reason_id": change.reason_id, "note": change.note}
    new = {**old, **{name: value for name, value in said.items() if value is not None}}
    await _write(session, actor, draft, order, [new if one is old else one for one in draft.items])
    return draft


async def remove_item(session: AsyncSession, actor: Actor, item: Item) -> ReturnDraft:
    """Take one of them out.

    Raises:
        NotFound: there is no such item.
    """
    draft, order = await _locked(session, actor, item.return_id, STEP_OF[item.action])
    old = _found(draft, item)
    await _write(session, actor, draft, order, [one for one in draft.items if one is not old])
    return draft


async def change_request(
    session: AsyncSession, actor: Actor, return_id: str, kind: ReturnKind | None, location_id: str | None
) -> ReturnDraft:
    """Change what is said of the whole request.

    Raises:
        NotFound: it is not being written.
        NotAllowed: its units do not come back to this location.
    """
    draft, order = await _locked(session, actor, return_id, DraftStep.REQUEST)
    await _require_place(session, order, location_id)
    await record(session, actor, WRITTEN, Subject(Thing.ORDER, order.id))
    draft.kind = kind or draft.kind
    await session.flush()
    return draft


async def confirm_request(session: AsyncSession, actor: Actor, return_id: str) -> Return:
    """Open the return that was written: the buyer is told.

    Raises:
        NotFound: it is not being written.
        InvalidData: it has no units, or more than there are by now.
        NotAllowed: there is no money to give back, or what is to be cancelled has a label.
    """
    draft, order = await _locked(session, actor, return_id, DraftStep.REQUEST)
    said = {f"{UNITS}{line}": str(count) for line, count in units_of(draft, Action.RETURN).items()}
    remarks = {one["line_id"]: Remark(one["reason_id"], one["note"]) for one in draft.items}
    typed = {"kind": draft.kind, "reason": draft.reason, **said}
    row = await open_return(session, actor, order.id, typed, return_id=draft.id, remarks=remarks)
    await session.delete(draft)
    await session.flush()
    return row


async def confirm_receipt(session: AsyncSession, actor: Actor, return_id: str) -> Return:
    """The units that were written have arrived: see `backend.returns.processing.receive`.

    Raises:
        NotFound: nothing of the kind is being written.
        InvalidData: nothing arrived.
        Conflict: it is not waited for any more.
    """
    draft, _order = await _locked(session, actor, return_id, DraftStep.RECEIVE)
    good, damaged = units_of(draft, Action.ARRIVED), units_of(draft, Action.DAMAGED)
    arrived = {line: (good.get(line, 0), damaged.get(line, 0)) for line in good.keys() | damaged.keys()}
    row = await receive(session, actor, draft.id, arrived)
    await session.delete(draft)
    await session.flush()
    return row


async def drop(session: AsyncSession, actor: Actor, return_id: str, step: DraftStep) -> None:
    """Write no more of it: what was not confirmed was never said.

    Raises:
        NotFound: nothing of the kind is being written.
    """
    draft, order = await _locked(session, actor, return_id, step)
    await record(session, actor, WRITTEN, Subject(Thing.ORDER, order.id))
    await session.delete(draft)
    await session.flush()


async def order_of_request(session: AsyncSession, actor: Actor, return_id: str) -> str:
    """The id of the order of a request that is being written.

    Raises:
        NotFound: it is not being written.
    """
    actor.require(Right.HANDLE_RETURNS)
    return (await find_draft(session, return_id, DraftStep.REQUEST)).order_id


async def find_draft(session: AsyncSession, return_id: str, step: DraftStep) -> ReturnDraft:
    """What is being written of this return.

    Raises:
        NotFound: nothing of the kind.
    """
    query = select(ReturnDraft).where(ReturnDraft.id == return_id, ReturnDraft.step == step)
    draft = (await session.execute(query)).scalar_one_or_none()
    if draft is None:
        raise NotFound(f"Return with id: {return_id} was not found, or nothing of it is being written")
    return draft


async def draft_of_order(session: AsyncSession, order_id: str) -> ReturnDraft | None:
    """What is being written of a return of this order."""
    return (
        await session.execute(select(ReturnDraft).where(ReturnDraft.order_id == order_id))
    ).scalar_one_or_none()


def units_of(draft: ReturnDraft, action: Action) -> dict[str, int]:
    """The units of each line, by its id, of which a draft says this."""
    units: dict[str, int] = {}
    for item in draft.items:
        if item["action"] == action:
            units[item["line_id"]] = units.get(item["line_id"], 0) + int(item["quantity"])
    return units


async def _begin(session: AsyncSession, actor: Actor, draft: ReturnDraft) -> ReturnDraft:
    """The order is locked: nobody else begins another."""
    other = await draft_of_order(session, draft.order_id)
    if other is not None:
        raise NotAllowed(UNDER_WAY.format(order_id=draft.order_id, return_id=other.id))
    await record(session, actor, WRITTEN, Subject(Thing.ORDER, draft.order_id))
    session.add(draft)
    await session.flush()
    return draft


async def _locked(
    session: AsyncSession, actor: Actor, return_id: str, step: DraftStep
) -> tuple[ReturnDraft, Order]:
    actor.require(Right.HANDLE_RETURNS)
    order = await lock_order(session, (await find_draft(session, return_id, step)).order_id)
    query = select(ReturnDraft).where(ReturnDraft.id == return_id, ReturnDraft.step == step)
    draft = (await session.execute(locked(query))).scalar_one_or_none()
    if draft is None:
        raise NotFound(f"Return with id: {return_id} is not being written any more")
    return draft, order


async def _write(
    session: AsyncSession, actor: Actor, draft: ReturnDraft, order: Order, items: list[JsonObject]
) -> None:
    before, draft.items = draft.items, items
    try:
        most = await _most(session, draft, order)
        asked: dict[str, int] = {}
        for item in items:
            asked[item["line_id"]] = asked.get(item["line_id"], 0) + int(item["quantity"])
        for line_id, count in asked.items():
            if count > most.get(line_id, 0):
                raise InvalidData(
                    f"Cannot return more items than what was fulfilled and is not back: "
                    f"{count} of item {line_id}, of which there are {most.get(line_id, 0)}"
                )
        for reason_id in {item["reason_id"] for item in items if item["reason_id"]}:
            require_found(await session.get(ReturnReason, reason_id), "Return reason", reason_id)
    except (InvalidData, NotFound):
        draft.items = before
        raise
    await record(session, actor, WRITTEN, Subject(Thing.ORDER, order.id))
    await session.flush()


async def _most(session: AsyncSession, draft: ReturnDraft, order: Order) -> Mapping[str, int]:
    """How many units of each line a draft may hold."""
    if draft.step == DraftStep.RECEIVE:
        return {line.line_id: line.quantity for line in await lines_of_return(session, draft.id)}
    lines = await lines_of_order(session, order.id)
    if draft.kind == ReturnKind.NOT_SENT:
        return {line.id: line.quantity - line.fulfilled - line.withdrawn for line in lines}
    return await returnable(session, order, lines)


async def _require_place(session: AsyncSession, order: Order, location_id: str | None) -> None:
    sent_from = {one.location_id for one in await fulfillments_of_order(session, order.id)}
    if location_id and location_id not in sent_from:
        raise NotAllowed(ELSEWHERE)


def _item(action: Action, units: Units) -> JsonObject:
    return {
        "id": new_id("ordchact"),
        "action": str(action),
        "line_id": units.line_id,
        "quantity": units.quantity,
        "reason_id": units.remark.reason_id,
        "note": units.remark.note,
    }


def _found(draft: ReturnDraft, item: Item) -> JsonObject:
    for one in draft.items:
        if one["id"] == item.id and one["action"] == item.action:
            return one
    raise NotFound(f"Action with id: {item.id} was not found in return {draft.id}")
