"""Admin API of draft orders: sales that staff prepare (platform: draft orders).

Prices, stock and rules are the same as on the screen «Vender» and in the shop's carts.
"""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Request
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
from backend.cart.models import Cart
from backend.channels.regions import Regions
from backend.checkout.carts.wire import CartView
from backend.checkout.routes.dependencies import ShopCheckout, View
from backend.checkout.schemas import CartChange, NewCart
from backend.core.errors import ShopError, require_found
from backend.draft_orders.api.answers import ConvertedAnswer, DraftOrderAnswer, DraftOrdersAnswer
from backend.draft_orders.api.schemas import AddedItem, DraftOrderChange, DraftOrdersParameters, NewDraftOrder
from backend.draft_orders.api.wire import draft_order_wire
from backend.draft_orders.counter_sale import convert_to_order
from backend.draft_orders.creation import change_draft, create_draft
from backend.draft_orders.drafts import cancel_draft
from backend.draft_orders.edits import NewUnits
from backend.draft_orders.models import DraftOrder
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    moment_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    search_clauses,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin/draft-orders",
    route_class=WireRoute,
    tags=["admin: draft orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
SELL = require_staff_right(Right.SELL)
"""Dependencies of the routes that change a draft. They refuse roles that may not sell, before anything is read."""
SORTABLE = {"created_at": DraftOrder.created_at, "updated_at": DraftOrder.updated_at}
IS_DRAFT = (
    DraftOrder.canceled_at.is_(None)
    & DraftOrder.exchange_id.is_(None)
    & ~select(Order.id).where(Order.id == DraftOrder.id).exists()
)
"""Condition for drafts that are neither cancelled nor orders, and that belong to no exchange."""


@router.get("")
async def list_draft_orders(
    actor: StaffMember,
    parameters: Annotated[DraftOrdersParameters, read_query(DraftOrdersParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[DraftOrdersAnswer]:
    """List the draft orders, newest first, including those that staff prepare on the screen «Vender»."""

    def conditions(part: DraftOrdersParameters) -> list[ColumnElement[bool]]:
        return _build_conditions(actor, part)

    order = order_clauses(parameters.order, SORTABLE, [DraftOrder.created_at.desc(), DraftOrder.id.desc()])
    view = CartView(Fields(parameters.fields), settings.base_url)
    async with database.read() as session:
        found, count = await read_page(
            session, DraftOrder, [IS_DRAFT, *where_clauses(parameters, conditions)], order, parameters
        )
        shown = [await draft_order_wire(session, actor, draft, view) for draft in found]
    await count_reads(database, actor, SubjectType.ORDER, len(shown))
    return Wire({"draft_orders": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.post("", dependencies=SELL)
async def create(
    *, actor: StaffMember, body: NewDraftOrder, request: Request, checkout: ShopCheckout, view: View
) -> Wire[DraftOrderAnswer]:
    """Create a draft order. The customer does not see it until it has become an order."""
    regions: Regions = request.app.state.regions
    region = await regions.require(body.region_id)
    async with checkout.database.transaction() as session:
        items = [to_new_units(item) for item in body.items or ()]
        draft = await create_draft(
            session, actor, _to_new_cart(body), items, region, body.customer_id or None
        )
        draft_id, cart_id = draft.id, draft.cart_id
    for method in body.shipping_methods or ():
        try:
            await checkout.choose_shipping(cart_id, method.shipping_option_id, ip="")
        except ShopError:
            async with checkout.database.transaction() as session:
                await cancel_draft(session, actor, draft_id)
            raise
    return await _draft_answer(checkout.database, actor, draft_id, view)


@router.get("/{draft_id}")
async def read(actor: StaffMember, draft_id: str, database: Db, view: View) -> Wire[DraftOrderAnswer]:
    """Return the draft order at current prices. 404 after it has become an order."""
    await count_reads(database, actor, SubjectType.ORDER, 1)
    return await _draft_answer(database, actor, draft_id, view)


@router.post("/{draft_id}", dependencies=SELL)
async def change(
    actor: StaffMember, draft_id: str, body: DraftOrderChange, database: Db, view: View
) -> Wire[DraftOrderAnswer]:
    """Change customer, addresses, language or metadata. A new street or municipality removes the shipping method."""
    async with database.transaction() as session:
        await find_draft(session, actor, draft_id)
        values = body.model_dump(
            exclude_unset=True, exclude={"customer_id", "shipping_address", "billing_address"}
        )
        new = CartChange(
            **values, shipping_address=body.shipping_address, billing_address=body.billing_address
        )
        await change_draft(session, actor, draft_id, new, body.customer_id or None)
    return await _draft_answer(database, actor, draft_id, view)


@router.delete("/{draft_id}", dependencies=SELL)
async def delete(actor: StaffMember, draft_id: str, database: Db) -> Wire[Deleted]:
    """Delete the draft order. A checkout that is already open can no longer pay it."""
    async with database.transaction() as session:
        await find_draft(session, actor, draft_id)
        await cancel_draft(session, actor, draft_id)
    return Wire({"id": draft_id, "object": "draft-order", "deleted": True})


@router.post("/{draft_id}/convert-to-order", dependencies=SELL)
async def convert(
    *,
    actor: StaffMember,
    draft_id: str,
    checkout: ShopCheckout,
    settings: ShopSettings,
    fields: RequestedFields,
) -> Wire[ConvertedAnswer]:
    """Convert the draft to an unpaid order. Capture its payment when the money has arrived.

    The draft needs lines, an e-mail address, a delivery address and a shipping method. Its units are reserved for
    `manual_payment_days` of the settings. A repeated call returns the same order.
    """
    days = (await checkout.effective_settings()).manual_payment_days
    async with checkout.database.transaction() as session:
        await convert_to_order(session, actor, settings, draft_id, payable_for=timedelta(days=days))
    async with checkout.database.read() as session:
        order = await read_order(session, draft_id)
        (shown,) = await orders_for_staff(session, actor, [order], OrderView(fields, shows_products=True))
    return Wire({"order": fields.pick(shown)})


def to_new_units(item: AddedItem) -> NewUnits:
    """Convert an item of a request body to units to add."""
    return NewUnits(item.variant_id, item.quantity, item.unit_price, item.metadata)


async def find_draft(session: AsyncSession, actor: Actor, draft_id: str) -> DraftOrder:
    """Return the draft order.

    Raises:
        NotFound: there is no such draft, it was cancelled, or it has become an order.
    """
    actor.require(Right.READ_ORDERS)
    return require_found(await find_open_draft(session, draft_id), "Draft order", draft_id)


async def find_open_draft(session: AsyncSession, draft_id: str) -> DraftOrder | None:
    """Return the draft order; None if there is none, or it was cancelled or has become an order."""
    query = select(DraftOrder).where(DraftOrder.id == draft_id, IS_DRAFT)
    return (await session.execute(query)).scalar_one_or_none()


async def _draft_answer(database: Db, actor: Actor, draft_id: str, view: CartView) -> Wire[DraftOrderAnswer]:
    async with database.read() as session:
        draft = await find_draft(session, actor, draft_id)
        shown = await draft_order_wire(session, actor, draft, view)
    return Wire({"draft_order": view.fields.pick(shown)})


def _to_new_cart(body: NewDraftOrder) -> NewCart:
    """Convert the body to a cart without items and shipping methods: the caller adds them later."""
    return NewCart(
        region_id=body.region_id,
        currency_code=body.currency_code,
        sales_channel_id=body.sales_channel_id or None,
        email=body.email if not body.customer_id else None,
        shipping_address=body.shipping_address,
        billing_address=body.billing_address,
        promo_codes=body.promo_codes,
        locale=body.locale,
        metadata=body.metadata,
    )


def _build_conditions(actor: Actor, part: DraftOrdersParameters) -> list[ColumnElement[bool]]:
    found = moment_clauses(part, DraftOrder.created_at, DraftOrder.updated_at)
    found += in_clauses((DraftOrder.id, part.id))
    cart = select(Cart.id).where(Cart.id == DraftOrder.cart_id)
    places = in_clauses((Cart.region_id, part.region_id), (Cart.sales_channel_id, part.sales_channel_id))
    if places:
        found.append(cart.where(*places).exists())
    sees_customers = actor.may(Right.READ_CUSTOMERS)
    if part.customer_id is not None:
        owner = or_(Cart.customer_id.in_(part.customer_id), Cart.guest_id.in_(part.customer_id))
        found.append(cart.where(owner).exists() if sees_customers else DraftOrder.id.is_(None))
    if part.q:
        columns = (DraftOrder.id, Cart.email) if sees_customers else (DraftOrder.id,)
        found.append(cart.where(*search_clauses(part.q, *columns)).exists())
    return found
