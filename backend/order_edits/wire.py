"""Conversion of order edits to the platform's JSON: the change with its actions, and the previewed order."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.edge.wire import JsonDict, cart_totals_view, iso, stamps, with_raw_amounts
from backend.order_edits.edited_order import EditedOrder, compute_edited_order, list_actions
from backend.order_edits.edited_shipping import parse_shipping
from backend.order_edits.models import ActionKind, EditStatus, OrderEdit, OrderEditAction
from backend.orders.answers import OrderItemOut, OrderPreview, OrderSummary
from backend.orders.models import Order, OrderLine
from backend.orders.service import list_order_lines
from backend.orders.wire.lines import line_wire
from backend.orders.wire.orders import OrderView, get_shipping_method_id, shipping_method_wire
from backend.orders.wire.staff import orders_for_staff
from backend.staff.rights import Actor

EDIT = "edit"
ADD_SHIPPING = "SHIPPING_ADD"
"""The platform's kind of an action that adds a shipping method. Here it replaces the only one."""


async def edit_wire(session: AsyncSession, edit: OrderEdit) -> JsonDict:
    """Return an edit with its actions, in the platform's shape."""
    return _change_wire(edit, await list_actions(session, edit.id), await _read_units_before(session, edit))


async def preview_wire(
    session: AsyncSession, actor: Actor, order: Order, edit: OrderEdit, view: OrderView
) -> OrderPreview:
    """Return the order for staff with the changes of its open edit; if the edit has ended, without changes.

    Raises:
        InvalidData: see `backend.order_edits.edited_order.compute_edited_order`.
    """
    (shown,) = await orders_for_staff(session, actor, [order], view)
    actions = await list_actions(session, edit.id)
    before = await _read_units_before(session, edit)
    change = _change_wire(edit, actions, before)
    if edit.status in (EditStatus.CONFIRMED, EditStatus.CANCELED):
        return {**shown, "order_change": change}
    edited = await compute_edited_order(session, order, edit)
    amounts = {"pending_difference": edited.owed - edited.surplus, "current_order_total": edited.totals.total}
    summary = cast(OrderSummary, {**shown["summary"], **with_raw_amounts(cast(JsonDict, amounts))})
    by_reference: dict[str, list[JsonDict]] = defaultdict(list)
    for action in change["actions"]:
        by_reference[action["details"]["reference_id"]].append(action)
    preview = {
        **shown,
        **cart_totals_view(edited.totals),
        "items": _list_items(edited, shown["items"], by_reference, view.base_url),
        "shipping_methods": [_edited_method(edited, by_reference)],
        "summary": summary,
        "order_change": change,
    }
    return cast(OrderPreview, preview)


def _list_items(
    edited: EditedOrder,
    shown: Sequence[OrderItemOut],
    actions: Mapping[str, Sequence[JsonDict]],
    base_url: str,
) -> list[JsonDict]:
    """Return the lines with their new units. A removed line stays, with a quantity of 0, as on the platform."""
    parts = {part.id: part for part in edited.totals.lines}
    known = {item["id"]: item for item in shown}
    items = []
    for one in edited.lines:
        part = parts.get(one.line.id)
        if part is None:
            item: JsonDict = {**known[one.line.id], **with_raw_amounts({"quantity": 0})}
        else:
            copy = OrderLine(**{**one.line.model_dump(), "quantity": one.quantity})
            item = {**line_wire(edited.order, copy, part, (), base_url=base_url)}
            if one.line.id in known:
                item["variant"] = known[one.line.id]["variant"]
        items.append({**item, "actions": actions.get(one.line.id, [])})
    return items


def _edited_method(edited: EditedOrder, actions: Mapping[str, Sequence[JsonDict]]) -> JsonDict:
    """Return the shipping method of the order after the edit, with the action that chooses it."""
    order, shipping = edited.order, edited.shipping
    if shipping is not None:
        chosen = {
            "shipping_option_id": shipping.option_id,
            "shipping_name": shipping.name,
            "shipping_data": shipping.data,
        }
        order = Order(**{**order.model_dump(), **chosen})
    method = shipping_method_wire(order, edited.totals.shipping)
    return {**method, "actions": actions.get(method["id"], [])}


async def _read_units_before(session: AsyncSession, edit: OrderEdit) -> Mapping[str, int]:
    """Return the units of the order's lines before the edit, by line id."""
    if edit.status == EditStatus.CONFIRMED:
        return {str(one["line_id"]): int(one["before"]) for one in edit.changes if "line_id" in one}
    return {line.id: line.quantity for line in await list_order_lines(session, edit.order_id)}


def _change_wire(edit: OrderEdit, actions: Sequence[OrderEditAction], before: Mapping[str, int]) -> JsonDict:
    return {
        "id": edit.id,
        "order_id": edit.order_id,
        "version": 1,
        "change_type": EDIT,
        "status": edit.status,
        "description": None,
        "internal_note": edit.reason or None,
        "created_by": edit.created_by,
        "requested_by": edit.created_by if edit.requested_at else None,
        "requested_at": iso(edit.requested_at),
        "confirmed_by": edit.confirmed_by,
        "confirmed_at": iso(edit.confirmed_at),
        "declined_at": None,
        "canceled_at": iso(edit.canceled_at),
        "metadata": {"total_before": edit.total_before, "total_after": edit.total_after},
        "actions": [
            *(_action_wire(edit, action, before) for action in actions),
            *_shipping_actions(edit),
        ],
        **stamps(edit.created_at, edit.updated_at),
    }


def _shipping_actions(edit: OrderEdit) -> list[JsonDict]:
    """Return the action that replaces the shipping method; none if the order keeps its own."""
    shipping = parse_shipping(edit.shipping)
    if shipping is None:
        return []
    method_id = get_shipping_method_id(edit.order_id)
    return [
        {
            **_action_fields(edit, shipping.id, ADD_SHIPPING),
            "reference": "order_shipping_method",
            "reference_id": method_id,
            "amount": shipping.amount,
            "details": {
                "reference_id": method_id,
                "shipping_option_id": shipping.option_id,
                "amount": shipping.amount,
            },
        }
    ]


def _action_fields(edit: OrderEdit, action_id: str, action: str) -> JsonDict:
    """Return the fields that every action has."""
    return {
        "id": action_id,
        "order_id": edit.order_id,
        "order_change_id": edit.id,
        "action": action,
        "internal_note": None,
        "applied": edit.status == EditStatus.CONFIRMED,
    }


def _action_wire(edit: OrderEdit, action: OrderEditAction, before: Mapping[str, int]) -> JsonDict:
    is_new = action.kind == ActionKind.ADD
    line_id = action.line_id or action.id
    quantity_diff = action.quantity - before.get(line_id, 0 if is_new else action.quantity)
    return {
        **_action_fields(edit, action.id, action.kind),
        "reference": "order_change",
        "reference_id": edit.id,
        "details": {
            "reference_id": line_id,
            "quantity": action.quantity,
            "quantity_diff": quantity_diff,
            **({"variant_id": action.variant_id} if is_new else {}),
        },
    }
