"""Conversion of draft orders to the platform's JSON: the content of the draft's cart in the fields of an order."""

from collections.abc import Mapping
from typing import Any, cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import SalesChannel
from backend.channels.wire import channel_wire
from backend.checkout.answers import CartItemOut, CartOut
from backend.checkout.carts.wire import CartView, cart_wire
from backend.draft_orders.api.answers import DraftItemOut, DraftMethodOut, DraftOrderOut, DraftOrderPreviewOut
from backend.draft_orders.edits import ACTION, CartContent, find_edit, find_same_line, read_content
from backend.draft_orders.models import DraftOrder, DraftOrderEdit
from backend.edge.wire import JsonDict, derive_sibling_id, iso, stamps, with_raw_amounts
from backend.orders.answers import OrderSummary, UnitCounts, UnitPrices
from backend.staff.rights import Actor, Right

ADD, UPDATE = "ITEM_ADD", "ITEM_UPDATE"
ADD_METHOD, REMOVE_METHOD = "SHIPPING_ADD", "SHIPPING_REMOVE"
ADD_CODE, REMOVE_CODE = "PROMOTION_ADD", "PROMOTION_REMOVE"
HIDDEN = ("cart_id", "completed_at", "shipping_address_id", "billing_address_id", "payment_collection")


async def draft_order_wire(
    session: AsyncSession, actor: Actor, draft: DraftOrder, view: CartView, cart_id: str | None = None
) -> DraftOrderOut:
    """Return the draft with the content of its cart, or of the cart `cart_id`.

    Without the right to see customers, the customer and their e-mail address are left out.
    """
    cart = await cart_wire(session, cart_id or draft.cart_id, view)
    channel = await session.get(SalesChannel, cart["sales_channel_id"])
    shown = {name: value for name, value in cart.items() if name not in HIDDEN}
    if not actor.may(Right.READ_CUSTOMERS):
        shown |= {"email": None, "customer_id": None, "customer": None}
    return cast(
        DraftOrderOut,
        {
            **shown,
            "id": draft.id,
            "display_id": None,
            "status": "draft",
            "is_draft_order": True,
            "version": 1,
            "payment_status": "not_paid",
            "fulfillment_status": "not_fulfilled",
            **stamps(draft.created_at, cart["updated_at"]),
            "summary": _summary_wire(cart),
            "items": [_item_wire(draft, item) for item in cart["items"]],
            "shipping_methods": cart["shipping_methods"],
            "payment_collections": [],
            "fulfillments": [],
            "transactions": [],
            "sales_channel": channel_wire(channel) if channel is not None else None,
        },
    )


async def preview_wire(
    session: AsyncSession, actor: Actor, draft: DraftOrder, view: CartView
) -> DraftOrderPreviewOut:
    """Return the draft with the changes of its edit; without an edit, return the unchanged draft."""
    actor.require(Right.READ_ORDERS)
    edit = await find_edit(session, draft.id)
    if edit is None:
        return {**await draft_order_wire(session, actor, draft, view), "order_change": None}
    shown = await draft_order_wire(session, actor, draft, view, edit.cart_id)
    before, after = await read_content(session, draft.cart_id), await read_content(session, edit.cart_id)
    actions = [*_item_actions(edit, before, after), *_other_actions(edit, before, after)]
    by_reference: dict[str, list[JsonDict]] = {}
    for action in actions:
        by_reference.setdefault(action["reference_id"], []).append(action)
    original_ids = {line.id: same.id for line in after.lines if (same := find_same_line(before.lines, line))}
    items: list[DraftItemOut] = [
        {**item, "id": original_ids.get(item["id"], item["id"]), "actions": by_reference.get(item["id"], [])}
        for item in shown["items"]
    ]
    methods: list[DraftMethodOut] = [
        {**method, "actions": by_reference.get(method["id"], [])} for method in shown["shipping_methods"]
    ]
    return {
        **shown,
        "items": items,
        "shipping_methods": methods,
        "order_change": _change_wire(edit, actions),
    }


def _item_wire(draft: DraftOrder, item: CartItemOut) -> DraftItemOut:
    quantity = item["quantity"]
    units: UnitCounts = {
        "quantity": quantity,
        "fulfilled_quantity": 0,
        "shipped_quantity": 0,
        "delivered_quantity": 0,
        "return_requested_quantity": 0,
        "return_received_quantity": 0,
        "return_dismissed_quantity": 0,
        "written_off_quantity": 0,
    }
    prices = UnitPrices(unit_price=item["unit_price"], compare_at_unit_price=item["compare_at_unit_price"])
    fields = {name: value for name, value in item.items() if name != "cart_id"}
    return cast(
        DraftItemOut,
        {
            **fields,
            **with_raw_amounts(prices),
            **with_raw_amounts({"quantity": quantity}),
            "is_custom_price": False,
            "detail": {
                "id": derive_sibling_id("orditem", item["id"]),
                "order_id": draft.id,
                "item_id": item["id"],
                "version": 1,
                **with_raw_amounts(units),
                **with_raw_amounts(prices),
                "metadata": None,
                **stamps(item["created_at"], item["updated_at"]),
                "deleted_at": None,
            },
        },
    )


def _summary_wire(cart: CartOut) -> OrderSummary:
    total = cart["total"]
    summary: OrderSummary = {
        "paid_total": 0,
        "refunded_total": 0,
        "accounting_total": total,
        "credit_line_total": 0,
        "transaction_total": 0,
        "pending_difference": total,
        "current_order_total": total,
        "original_order_total": total,
    }
    return with_raw_amounts(summary)


def _item_actions(edit: DraftOrderEdit, before: CartContent, after: CartContent) -> list[JsonDict]:
    """Return an action for each changed line.

    `reference_id` of an action is the id of the line in the edit, or in the draft if the edit removes the line.
    """
    actions = []
    for line in after.lines:
        same = find_same_line(before.lines, line)
        if same is None:
            details = {"reference_id": line.id, "quantity": line.quantity}
            actions.append(_action_wire(edit, ADD, line.id, details))
        elif same.quantity != line.quantity:
            details = {
                "reference_id": same.id,
                "quantity": line.quantity,
                "quantity_diff": line.quantity - same.quantity,
            }
            actions.append(_action_wire(edit, UPDATE, line.id, details))
    for line in before.lines:
        if find_same_line(after.lines, line) is None:
            details = {"reference_id": line.id, "quantity": 0, "quantity_diff": -line.quantity}
            actions.append(_action_wire(edit, UPDATE, line.id, details))
    return actions


def _other_actions(edit: DraftOrderEdit, before: CartContent, after: CartContent) -> list[JsonDict]:
    """Return the actions for a changed shipping method, and for added and removed codes."""
    actions, old, new = [], before.method, after.method
    has_changed = (old and (old.shipping_option_id, old.amount)) != (
        new and (new.shipping_option_id, new.amount)
    )
    if old is not None and has_changed:
        actions.append(_action_wire(edit, REMOVE_METHOD, old.id, {"reference_id": old.id}))
    if new is not None and has_changed:
        details = {"reference_id": new.id, "amount": new.amount, "shipping_option_id": new.shipping_option_id}
        actions.append(_action_wire(edit, ADD_METHOD, new.id, details))
    for action, name, codes, others in (
        (ADD_CODE, "added_code", after.codes, before.codes),
        (REMOVE_CODE, "removed_code", before.codes, after.codes),
    ):
        new_codes = [code for code in codes if code not in others]
        actions += [_action_wire(edit, action, f"{edit.id}{code}", {name: code}) for code in new_codes]
    return actions


def _action_wire(edit: DraftOrderEdit, action: str, owner_id: str, details: Mapping[str, Any]) -> JsonDict:
    return {
        "id": derive_sibling_id(ACTION, owner_id),
        "order_id": edit.draft_order_id,
        "order_change_id": edit.id,
        "version": 1,
        "action": action,
        "reference": "order",
        "reference_id": owner_id,
        "details": dict(details),
        "internal_note": None,
        "applied": False,
    }


def _change_wire(edit: DraftOrderEdit, actions: list[JsonDict]) -> JsonDict:
    return {
        "id": edit.id,
        "order_id": edit.draft_order_id,
        "version": 1,
        "change_type": "edit",
        "status": "pending" if edit.requested_at is None else "requested",
        "created_by": edit.created_by,
        "requested_at": iso(edit.requested_at),
        "actions": actions,
        **stamps(edit.created_at, edit.updated_at),
    }
