"""Admin API of order edits (platform: order edits). The id in the path is the order's, as on the platform."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, false
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
from backend.checkout.carts.wire import CartView
from backend.checkout.routes.dependencies import ShopCheckout
from backend.checkout.service import Checkout
from backend.core.errors import InvalidData, NotFound
from backend.core.money import Cop
from backend.draft_orders.api.routes import find_open_draft
from backend.draft_orders.api.wire import preview_wire as draft_preview_wire
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import EmptyBody
from backend.edge.wire import Deleted, JsonDict, Wire
from backend.order_edits import editing
from backend.order_edits.answers import (
    OrderChangeAnswer,
    OrderChangesAnswer,
    OrderPreviewAnswer,
    PreviewedOrderAnswer,
)
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.edited_order import read_new_line
from backend.order_edits.models import OrderEdit
from backend.order_edits.schemas import (
    AddedEditItems,
    ChangedEdit,
    ChangedEditItem,
    ChangedEditShipping,
    ChangesParameters,
    EditShipping,
    NewEdit,
)
from backend.order_edits.shipping_choice import (
    choose_edit_shipping,
    find_shipping_of_edit,
    remove_edit_shipping,
)
from backend.order_edits.wire import EDIT, edit_wire, preview_wire
from backend.orders.service import list_order_lines, read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.returns.drafts import find_draft_of_order
from backend.returns.wire import build_order_preview
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
Preview = Wire[OrderPreviewAnswer]
SORTABLE = {"created_at": OrderEdit.created_at, "updated_at": OrderEdit.updated_at}
OTHER_PRICE = "The price of a unit is {price} pesos: unit_price cannot be another one"


@router.get("/orders/{order_id}/preview")
async def preview(
    actor: StaffMember, order_id: str, database: Db, fields: RequestedFields, settings: ShopSettings
) -> Wire[PreviewedOrderAnswer]:
    """Return the order with the changes of its open edit, or of a drafted return (`order_change`), if there is one.

    For a draft order, return it with the changes of its own edit.
    """
    await count_reads(database, actor, SubjectType.ORDER, 1)
    async with database.read() as session:
        draft_order = await find_open_draft(session, order_id)
        if draft_order is not None:
            cart_view = CartView(fields, settings.base_url)
            return Wire(
                {"order": fields.pick(await draft_preview_wire(session, actor, draft_order, cart_view))}
            )
        order = await read_order(session, order_id)
        edit = await editing.find_open_edit(session, actor, order_id)
        view = OrderView(fields, settings.base_url, shows_products=True)
        if edit is not None:
            shown = await preview_wire(session, actor, order, edit, view)
            return Wire({"order": fields.pick(shown)})
        (plain,) = await orders_for_staff(session, actor, [order], view)
        draft = await find_draft_of_order(session, order_id)
        return Wire({"order": fields.pick(build_order_preview(plain, draft))})


@router.get("/orders/{order_id}/changes")
async def list_changes(
    actor: StaffMember,
    order_id: str,
    parameters: Annotated[ChangesParameters, read_query(ChangesParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[OrderChangesAnswer]:
    """List all edits of the order, also the ended ones, the newest first; for a draft order, list its open edit."""
    async with database.read() as session:
        draft_order = await find_open_draft(session, order_id)
        if draft_order is not None:
            view = CartView(Fields(), settings.base_url)
            change = (await draft_preview_wire(session, actor, draft_order, view))["order_change"]
            shown = [change] if change is not None and _is_wanted(change, parameters) else []
            return Wire(
                {"order_changes": pick_each(shown, parameters), **paging_fields(len(shown), parameters)}
            )
        order = await read_order(session, order_id)
        conditions = [OrderEdit.order_id == order.id, *_build_conditions(parameters)]
        newest = order_clauses(parameters.order, SORTABLE, [OrderEdit.created_at.desc(), OrderEdit.id.desc()])
        found, count = await read_page(session, OrderEdit, conditions, newest, parameters)
        shown = [await edit_wire(session, edit) for edit in found]
    return Wire({"order_changes": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.post("/order-edits")
async def begin(actor: StaffMember, body: NewEdit, database: Db) -> Wire[OrderChangeAnswer]:
    """Begin an edit of a paid order that is not packed yet. 400 if the order has an open edit."""
    async with database.transaction() as session:
        reason = body.internal_note or body.description or ""
        edit = await editing.begin_edit(session, actor, body.order_id, reason)
        return Wire({"order_change": await edit_wire(session, edit)})


@router.post("/order-changes/{edit_id}")
async def change(
    actor: StaffMember, edit_id: str, body: ChangedEdit, database: Db
) -> Wire[OrderChangeAnswer]:
    """Change the note of an open edit. Only staff see it."""
    async with database.transaction() as session:
        reason = body.internal_note or body.description or ""
        edit = await editing.set_reason(session, actor, edit_id, reason)
        return Wire({"order_change": await edit_wire(session, edit)})


@router.delete("/order-edits/{order_id}")
async def cancel(actor: StaffMember, order_id: str, database: Db) -> Wire[Deleted]:
    """Cancel the open edit of the order. The order does not change."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await editing.cancel_edit(session, actor, edit.id)
    return Wire({"id": order_id, "object": "order-edit", "deleted": True})


@router.post("/order-edits/{order_id}/items")
async def add_items(
    actor: StaffMember, order_id: str, body: AddedEditItems, database: Db, settings: ShopSettings
) -> Preview:
    """Add units of variants to the order's open edit, at their current prices."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        for item in body.items:
            line = await read_new_line(session, order_id, item.variant_id, item.quantity)
            _require_price(item.unit_price, line.unit_price)
            await editing.add_variant(session, actor, edit.id, item.variant_id, item.quantity)
        return await _preview(session, actor, edit, settings.base_url)


@router.post("/order-edits/{order_id}/items/item/{item_id}")
async def change_item(
    *,
    actor: StaffMember,
    order_id: str,
    item_id: str,
    body: ChangedEditItem,
    database: Db,
    settings: ShopSettings,
) -> Preview:
    """Set the number of units that a line of the order has in the open edit; 0 removes the line."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        prices = {line.id: line.unit_price for line in await list_order_lines(session, order_id)}
        _require_price(body.unit_price, prices.get(item_id))
        await editing.set_line_quantity(session, actor, edit.id, item_id, body.quantity)
        return await _preview(session, actor, edit, settings.base_url)


@router.post("/order-edits/{order_id}/items/{action_id}")
async def change_action(
    *,
    actor: StaffMember,
    order_id: str,
    action_id: str,
    body: ChangedEditItem,
    database: Db,
    settings: ShopSettings,
) -> Preview:
    """Set the number of units of an action in the order's open edit. 0 removes an action that adds units."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await editing.change_action(session, actor, edit.id, action_id, body.quantity)
        return await _preview(session, actor, edit, settings.base_url)


@router.delete("/order-edits/{order_id}/items/{action_id}")
async def remove_action(
    actor: StaffMember, order_id: str, action_id: str, database: Db, settings: ShopSettings
) -> Preview:
    """Remove an action from the open edit: its line stays unchanged, or its units are not added."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await editing.remove_action(session, actor, edit.id, action_id)
        return await _preview(session, actor, edit, settings.base_url)


@router.post("/order-edits/{order_id}/shipping-method")
async def add_shipping(
    actor: StaffMember, order_id: str, body: EditShipping, checkout: ShopCheckout
) -> Preview:
    """Replace, in the open edit, the shipping method of the order by this shipping option, at its live price."""
    return await _choose_shipping(checkout, actor, order_id, body.shipping_option_id, body.custom_amount)


@router.post("/order-edits/{order_id}/shipping-method/{action_id}")
async def change_shipping(
    actor: StaffMember, order_id: str, action_id: str, body: ChangedEditShipping, checkout: ShopCheckout
) -> Preview:
    """Price the edit's shipping option again, at the live price. No other `custom_amount` is accepted."""
    async with checkout.database.read() as session:
        edit = await _require_edit(session, actor, order_id)
        shipping = await find_shipping_of_edit(session, actor, edit.id, action_id)
    return await _choose_shipping(checkout, actor, order_id, shipping.option_id, body.custom_amount)


@router.delete("/order-edits/{order_id}/shipping-method/{action_id}")
async def remove_shipping(
    actor: StaffMember, order_id: str, action_id: str, database: Db, settings: ShopSettings
) -> Preview:
    """Remove the shipping option from the open edit: the order keeps its own shipping method."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await find_shipping_of_edit(session, actor, edit.id, action_id)
        await remove_edit_shipping(session, actor, edit.id)
        return await _preview(session, actor, edit, settings.base_url)


@router.post("/order-edits/{order_id}/request")
async def request(
    *,
    actor: StaffMember,
    order_id: str,
    database: Db,
    settings: ShopSettings,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Preview:
    """Mark the order's open edit as requested. The order changes only when the edit is confirmed."""
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await editing.request_edit(session, actor, edit.id)
        return await _preview(session, actor, edit, settings.base_url)


@router.post("/order-edits/{order_id}/confirm")
async def confirm(
    *,
    actor: StaffMember,
    order_id: str,
    database: Db,
    settings: ShopSettings,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Preview:
    """Apply the open edit to the order.

    If the order costs more than was paid, packing waits until the difference is paid; if it costs less, an attention
    row asks staff to refund the difference.
    """
    async with database.transaction() as session:
        edit = await _require_edit(session, actor, order_id)
        await confirm_edit(session, actor, edit.id)
        return await _preview(session, actor, edit, settings.base_url)


async def _require_edit(session: AsyncSession, actor: Actor, order_id: str) -> OrderEdit:
    """Return the open edit of the order.

    Raises:
        NotFound: there is no such order, or it has no open edit.
    """
    actor.require(Right.EDIT_ORDERS)
    edit = await editing.find_open_edit(session, actor, (await read_order(session, order_id)).id)
    if edit is None:
        raise NotFound(f"Order change for order {order_id} was not found")
    return edit


async def _choose_shipping(
    checkout: Checkout, actor: Actor, order_id: str, option_id: str, expected_amount: Cop | None
) -> Preview:
    async with checkout.database.read() as session:
        edit = await _require_edit(session, actor, order_id)
    await choose_edit_shipping(checkout, actor, edit.id, option_id, expected_amount)
    async with checkout.database.read() as session:
        edit = await editing.read_edit(session, actor, edit.id)
        return await _preview(session, actor, edit, checkout.settings.base_url)


async def _preview(session: AsyncSession, actor: Actor, edit: OrderEdit, base_url: str) -> Preview:
    order = await read_order(session, edit.order_id)
    view = OrderView(Fields(), base_url, shows_products=True)
    return Wire({"order_preview": await preview_wire(session, actor, order, edit, view)})


def _build_conditions(parameters: ChangesParameters) -> list[ColumnElement[bool]]:
    is_other_kind = parameters.change_type is not None and EDIT not in parameters.change_type
    return [*in_clauses((OrderEdit.status, parameters.status)), *([false()] if is_other_kind else [])]


def _is_wanted(change: JsonDict, parameters: ChangesParameters) -> bool:
    return all(
        wanted is None or change[name] in wanted
        for name, wanted in (("status", parameters.status), ("change_type", parameters.change_type))
    )


def _require_price(expected: int | None, price: int | None) -> None:
    """Check that the price that the caller expects is the shop's price. A missing price is accepted.

    Raises:
        InvalidData: the prices differ.
    """
    if expected is not None and price is not None and expected != price:
        raise InvalidData(OTHER_PRICE.format(price=price))
