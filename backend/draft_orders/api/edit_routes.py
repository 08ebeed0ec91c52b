"""Admin API of the edits of draft orders: begin, change, and confirm or cancel (platform: draft order edits)."""

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from backend.checkout.carts.wire import CartView
from backend.checkout.routes.dependencies import ShopCheckout, View
from backend.checkout.service import Checkout
from backend.core.db.database import Database
from backend.draft_orders import edits
from backend.draft_orders.api.answers import DraftOrderPreviewAnswer
from backend.draft_orders.api.routes import find_draft, to_new_units
from backend.draft_orders.api.schemas import (
    AddedItems,
    ChangedItem,
    ChangedMethod,
    ChosenMethod,
    EditCodes,
)
from backend.draft_orders.api.wire import preview_wire
from backend.draft_orders.delivery import choose_expected_option
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import EmptyBody
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin/draft-orders/{draft_id}/edit",
    route_class=WireRoute,
    tags=["admin: draft orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.SELL),
)
Preview = Wire[DraftOrderPreviewAnswer]


@router.post("")
async def begin(
    actor: StaffMember,
    draft_id: str,
    database: Db,
    view: View,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Preview:
    """Begin an edit of a draft order. The draft stays as it is until the edit is confirmed. 400 if it has an edit."""
    async with database.transaction() as session:
        await edits.begin_edit(session, actor, draft_id)
        return await _preview_in(session, actor, draft_id, view)


@router.delete("")
async def cancel(actor: StaffMember, draft_id: str, database: Db) -> Wire[Deleted]:
    """Cancel the edit of a draft order. The draft does not change."""
    async with database.transaction() as session:
        await edits.cancel_edit(session, actor, draft_id)
    return Wire({"id": draft_id, "object": "draft-order-edit", "deleted": True})


@router.post("/request")
async def request_edit(
    actor: StaffMember,
    draft_id: str,
    database: Db,
    view: View,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Preview:
    """Mark the edit of a draft order as requested. It can still be changed."""
    async with database.transaction() as session:
        await edits.request_edit(session, actor, draft_id)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/confirm")
async def confirm(
    actor: StaffMember,
    draft_id: str,
    database: Db,
    view: View,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Preview:
    """Apply the edit to its draft order. 409 if the draft has changed since the edit began."""
    async with database.transaction() as session:
        await edits.confirm_edit(session, actor, draft_id)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/items")
async def add_items(actor: StaffMember, draft_id: str, body: AddedItems, database: Db, view: View) -> Preview:
    """Add units of variants to the edit of a draft order, at the catalogue's prices."""
    items = [to_new_units(item) for item in body.items]
    async with database.transaction() as session:
        await edits.add_items(session, actor, draft_id, items)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/items/item/{item_id}")
async def change_item(  # noqa: PLR0917
    actor: StaffMember, draft_id: str, item_id: str, body: ChangedItem, database: Db, view: View
) -> Preview:
    """Set the new number of units of a draft order's line, in the edit of the draft; 0 removes the line."""
    async with database.transaction() as session:
        await edits.set_item_units(session, actor, draft_id, item_id, body.quantity, body.unit_price)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/items/{action_id}")
async def change_action_item(  # noqa: PLR0917
    actor: StaffMember, draft_id: str, action_id: str, body: ChangedItem, database: Db, view: View
) -> Preview:
    """Set the units of a line that the edit of a draft order added or changed; 0 removes the line."""
    async with database.transaction() as session:
        await edits.change_action_item(session, actor, draft_id, action_id, body.quantity, body.unit_price)
        return await _preview_in(session, actor, draft_id, view)


@router.delete("/items/{action_id}")
async def remove_action_item(
    actor: StaffMember, draft_id: str, action_id: str, database: Db, view: View
) -> Preview:
    """Undo the change of a line in the edit of a draft order."""
    async with database.transaction() as session:
        await edits.remove_action_item(session, actor, draft_id, action_id)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/promotions")
async def add_promotions(
    actor: StaffMember, draft_id: str, body: EditCodes, database: Db, view: View
) -> Preview:
    """Add promotion codes to the edit of a draft order. 400 with the reason if a code gives no discount."""
    async with database.transaction() as session:
        await edits.add_edit_codes(session, actor, draft_id, body.promo_codes)
        return await _preview_in(session, actor, draft_id, view)


@router.delete("/promotions")
async def remove_promotions(
    actor: StaffMember, draft_id: str, database: Db, view: View, body: EditCodes | None = None
) -> Preview:
    """Remove promotion codes from the edit of a draft order."""
    async with database.transaction() as session:
        await edits.remove_edit_codes(session, actor, draft_id, body.promo_codes if body else [])
        return await _preview_in(session, actor, draft_id, view)


@router.post("/shipping-methods")
async def add_shipping_method(
    actor: StaffMember, draft_id: str, body: ChosenMethod, checkout: ShopCheckout, view: View
) -> Preview:
    """Choose a shipping option at its live price in the edit.

    The draft needs lines, an e-mail address and a delivery address.
    """
    async with checkout.database.transaction() as session:
        cart_id = await edits.find_cart_of_edit(session, actor, draft_id)
    await choose_expected_option(checkout, cart_id, body.shipping_option_id, body.custom_amount)
    return await _preview(checkout.database, actor, draft_id, view)


@router.post("/shipping-methods/method/{method_id}")
async def change_shipping_method(  # noqa: PLR0917
    actor: StaffMember,
    draft_id: str,
    method_id: str,
    body: ChangedMethod,
    checkout: ShopCheckout,
    view: View,
) -> Preview:
    """Choose another shipping option at its live price in the edit, or price the current one again."""
    return await _choose_other(checkout, actor, draft_id, method_id, body, view)


@router.delete("/shipping-methods/method/{method_id}")
async def remove_shipping_method(
    actor: StaffMember, draft_id: str, method_id: str, database: Db, view: View
) -> Preview:
    """Remove the shipping method from the edit of a draft order."""
    async with database.transaction() as session:
        await edits.remove_shipping(session, actor, draft_id, method_id)
        return await _preview_in(session, actor, draft_id, view)


@router.post("/shipping-methods/{action_id}")
async def change_action_method(  # noqa: PLR0917
    actor: StaffMember,
    draft_id: str,
    action_id: str,
    body: ChangedMethod,
    checkout: ShopCheckout,
    view: View,
) -> Preview:
    """Choose another shipping option in the edit, instead of the one that the edit added."""
    return await _choose_other(checkout, actor, draft_id, action_id, body, view)


@router.delete("/shipping-methods/{action_id}")
async def remove_action_method(
    actor: StaffMember, draft_id: str, action_id: str, database: Db, view: View
) -> Preview:
    """Undo the change of the shipping method in the edit of a draft order."""
    async with database.transaction() as session:
        await edits.remove_action_shipping(session, actor, draft_id, action_id)
        return await _preview_in(session, actor, draft_id, view)


async def _choose_other(  # noqa: PLR0917
    checkout: Checkout, actor: Actor, draft_id: str, method_id: str, body: ChangedMethod, view: CartView
) -> Preview:
    async with checkout.database.transaction() as session:
        option = await edits.find_option_of_edit(session, actor, draft_id, method_id)
    option_id = body.shipping_option_id or option.id
    await choose_expected_option(checkout, option.cart_id, option_id, body.custom_amount)
    return await _preview(checkout.database, actor, draft_id, view)


async def _preview(database: Database, actor: Actor, draft_id: str, view: CartView) -> Preview:
    async with database.read() as session:
        return await _preview_in(session, actor, draft_id, view)


async def _preview_in(session: AsyncSession, actor: Actor, draft_id: str, view: CartView) -> Preview:
    draft = await find_draft(session, actor, draft_id)
    return Wire({"draft_order_preview": view.fields.pick(await preview_wire(session, actor, draft, view))})
