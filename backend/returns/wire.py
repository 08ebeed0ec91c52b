"""Conversion of returns to the platform's shape.

On the platform a return is requested, received or cancelled. Whether its refund is approved, paid or denied is in
`metadata`, as the shop's own state (`ReturnState`), and in `refund_amount`.
"""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.edge.wire import JsonDict, derive_sibling_id, iso, stamps, with_raw_amounts
from backend.orders.admin.reasons import RETURN_REASONS
from backend.orders.answers import LineDetail, OrderItemOut, OrderPreview, RequestedUnits, StaffOrderOut
from backend.orders.models import Order, ReturnReason
from backend.returns.answers import RefundAmount, ReturnedUnits, ReturnOut
from backend.returns.drafts import Action, sum_draft_units
from backend.returns.models import DraftStep, Return, ReturnDraft, ReturnLine
from backend.returns.processing import read_return
from backend.returns.states import ReturnState

OPEN, REQUESTED, RECEIVED = "open", "requested", "received"
PARTLY, CANCELED = "partially_received", "canceled"
CHANGES = {DraftStep.REQUEST: "return_request", DraftStep.RECEIVE: "return_receive"}


class ConstantFields(TypedDict):
    """Platform fields that are constant for all returns of this shop."""

    order_version: int
    claim_id: None
    no_notification: bool
    shipping_methods: list[JsonDict]
    deleted_at: None


CONSTANT_FIELDS: ConstantFields = {
    "order_version": 1,
    "claim_id": None,
    "no_notification": False,
    "shipping_methods": [],
    "deleted_at": None,
}
_IS_SHORT = exists(
    select(ReturnLine.line_id).where(
        ReturnLine.return_id == Return.id, ReturnLine.good + ReturnLine.damaged < ReturnLine.quantity
    )
)


def has_status(status: str) -> ColumnElement[bool]:
    """Return the SQL condition for returns that have this platform status."""
    denied = Return.state == ReturnState.DENIED
    if status == CANCELED:
        return denied
    if status == REQUESTED:
        return and_(~denied, Return.received_at.is_(None))
    return and_(~denied, Return.received_at.is_not(None), _IS_SHORT if status == PARTLY else ~_IS_SHORT)


def has_any_status(statuses: Sequence[str]) -> ColumnElement[bool]:
    """Return the SQL condition for returns that have one of these platform statuses."""
    return or_(*(has_status(status) for status in statuses))


async def read_return_wire(session: AsyncSession, return_id: str) -> ReturnOut:
    """Return this return in the platform's shape; if its request is still a draft, return the draft.

    Raises:
        NotFound: there is no such return.
    """
    draft = await session.get(ReturnDraft, return_id)
    if draft is not None and draft.step == DraftStep.REQUEST:
        return await draft_wire(session, draft)
    (shown,) = await returns_wire(session, [await read_return(session, return_id)])
    return shown


async def returns_wire(session: AsyncSession, rows: Sequence[Return]) -> list[ReturnOut]:
    """Convert the returns to the platform's shape, in the given order, with their lines and reasons."""
    lines: dict[str, list[ReturnLine]] = defaultdict(list)
    query = select(ReturnLine).where(ReturnLine.return_id.in_([row.id for row in rows]))
    for line in (await session.execute(query.order_by(ReturnLine.line_id))).scalars():
        lines[line.return_id].append(line)
    reasons = await _read_reasons(session, {line.reason_id for each in lines.values() for line in each})
    numbers = await _read_order_numbers(session, {row.order_id for row in rows})
    return [_return_wire(row, lines[row.id], reasons, numbers.get(row.order_id)) for row in rows]


async def draft_wire(session: AsyncSession, draft: ReturnDraft) -> ReturnOut:
    """Convert the draft of a request to a return with status `open`."""
    reasons = await _read_reasons(session, {item["reason_id"] for item in draft.items})
    numbers = await _read_order_numbers(session, {draft.order_id})
    return {
        "id": draft.id,
        "status": OPEN,
        "display_id": None,
        "order_id": draft.order_id,
        "order": {"id": draft.order_id, "display_id": numbers.get(draft.order_id)},
        "location_id": None,
        **with_raw_amounts(RefundAmount(refund_amount=None)),
        "metadata": {"kind": draft.kind},
        "created_by": draft.created_by,
        "requested_at": None,
        "received_at": None,
        "exchange_id": draft.exchange_id,
        **CONSTANT_FIELDS,
        "canceled_at": None,
        **stamps(draft.created_at, draft.updated_at),
        "items": [
            {
                "id": derive_sibling_id("retitem", item["id"]),
                "return_id": draft.id,
                "item_id": item["line_id"],
                **with_raw_amounts(
                    ReturnedUnits(quantity=item["quantity"], received_quantity=0, damaged_quantity=0)
                ),
                "reason_id": item["reason_id"],
                "reason": reasons.get(item["reason_id"]),
                "note": item["note"] or None,
                "metadata": None,
            }
            for item in draft.items
        ],
    }


def build_order_preview(order: StaffOrderOut, draft: ReturnDraft | None) -> OrderPreview:
    """Return the order for staff, with the changes of its return's draft."""
    if draft is None:
        return {**order, "order_change": None}
    drafted_units = sum_draft_units(draft, Action.RETURN)
    actions: dict[str, list[JsonDict]] = defaultdict(list)
    for item in draft.items:
        actions[item["line_id"]].append(_action_wire(draft, item))
    lines: list[OrderItemOut] = []
    for line in order["items"]:
        requested = line["detail"]["return_requested_quantity"] + drafted_units.get(line["id"], 0)
        detail: LineDetail = {
            **line["detail"],
            **with_raw_amounts(RequestedUnits(return_requested_quantity=requested)),
        }
        lines.append({**line, "detail": detail, "actions": actions[line["id"]]})
    change = {
        "id": derive_sibling_id("ordch", draft.id),
        "order_id": draft.order_id,
        "return_id": draft.id,
        "change_type": CHANGES[DraftStep(draft.step)],
        "status": "pending",
        "created_by": draft.created_by,
        "actions": [one for each in actions.values() for one in each],
        **stamps(draft.created_at, draft.updated_at),
    }
    return {**order, "items": lines, "order_change": change}


def _action_wire(draft: ReturnDraft, item: JsonDict) -> JsonDict:
    return {
        "id": item["id"],
        "order_id": draft.order_id,
        "return_id": draft.id,
        "order_change_id": derive_sibling_id("ordch", draft.id),
        "action": item["action"],
        "reference": "return",
        "reference_id": draft.id,
        "internal_note": item["note"] or None,
        "details": {
            "reference_id": item["line_id"],
            "return_id": draft.id,
            "quantity": item["quantity"],
            "reason_id": item["reason_id"],
        },
        "applied": False,
    }


def _return_wire(
    row: Return, lines: Sequence[ReturnLine], reasons: dict[str, JsonDict], order_number: int | None
) -> ReturnOut:
    return {
        "id": row.id,
        "status": _get_platform_status(row, lines),
        "display_id": row.number,
        "order_id": row.order_id,
        "order": {"id": row.order_id, "display_id": order_number},
        "location_id": None,
        **with_raw_amounts(RefundAmount(refund_amount=row.amount)),
        "metadata": {"kind": row.kind, "state": row.state, "due_at": iso(row.due_at)},
        "created_by": row.asked_by or None,
        "requested_at": iso(row.asked_at),
        "received_at": iso(row.received_at),
        "exchange_id": row.exchange_id,
        **CONSTANT_FIELDS,
        "canceled_at": iso(row.ended_at) if row.state == ReturnState.DENIED else None,
        **stamps(row.created_at, row.updated_at),
        "items": [
            {
                "id": derive_sibling_id("retitem", line.line_id),
                "return_id": row.id,
                "item_id": line.line_id,
                **with_raw_amounts(
                    ReturnedUnits(
                        quantity=line.quantity, received_quantity=line.good, damaged_quantity=line.damaged
                    )
                ),
                "reason_id": line.reason_id,
                "reason": reasons.get(line.reason_id or ""),
                "note": line.note or None,
                "metadata": None,
            }
            for line in lines
        ],
    }


def _get_platform_status(row: Return, lines: Sequence[ReturnLine]) -> str:
    if row.state == ReturnState.DENIED:
        return CANCELED
    if row.received_at is None:
        return REQUESTED
    return RECEIVED if all(line.good + line.damaged >= line.quantity for line in lines) else PARTLY


async def _read_reasons(session: AsyncSession, ids: set[str | None]) -> dict[str, JsonDict]:
    found = select(ReturnReason).where(ReturnReason.id.in_({one for one in ids if one}))
    return {row.id: RETURN_REASONS.to_wire(row) for row in (await session.execute(found)).scalars()}


async def _read_order_numbers(session: AsyncSession, ids: set[str]) -> dict[str, int | None]:
    found = (await session.execute(select(Order).where(Order.id.in_(ids)))).scalars()
    return {order.id: order.number for order in found}
