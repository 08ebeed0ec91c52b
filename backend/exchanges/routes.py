"""Admin API of exchanges (platform: exchanges). API clients prepare and request them; staff settle them in the office.

No shipping provider collects goods from customers, so there are no routes for the shipping of what comes back.
"""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
from backend.checkout.routes.dependencies import ShopCheckout
from backend.core.db.database import Database
from backend.draft_orders.edits import require_price
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    in_clauses,
    moment_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire, derive_sibling_id
from backend.exchanges import preparation
from backend.exchanges.answers import (
    ExchangeAnswer,
    ExchangeOfOrder,
    ExchangePreview,
    ExchangeReturn,
    ExchangesAnswer,
    RequestedExchange,
)
from backend.exchanges.delivery import (
    deliver_with_option,
    find_outbound_method,
    price_delivery_again,
    take_new_order_along,
)
from backend.exchanges.models import Exchange
from backend.exchanges.schemas import (
    ExchangeShipping,
    ExchangesParameters,
    InboundItems,
    NewExchange,
    OutboundItemChange,
    OutboundItems,
    ShippingChange,
)
from backend.exchanges.wire import exchange_preview_wire, exchange_wire
from backend.returns import drafts
from backend.returns.admin_routes import join_notes, to_line_units
from backend.returns.drafts import Action, DraftItem, ItemChange
from backend.returns.schemas import Confirmation, ReturnItemChange
from backend.returns.wire import read_return_wire
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin/exchanges",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
SORTABLE = {
    "created_at": Exchange.created_at,
    "updated_at": Exchange.updated_at,
    "display_id": Exchange.number,
}
ITEM, METHOD = "cali", "casm"
"""Prefixes of the ids of cart lines and of shipping methods, from which the ids of actions are derived."""


@router.get("")
async def list_exchanges(
    actor: StaffMember,
    parameters: Annotated[ExchangesParameters, read_query(ExchangesParameters)],
    database: Db,
) -> Wire[ExchangesAnswer]:
    """List the exchanges, newest first."""

    def conditions(part: ExchangesParameters) -> list[ColumnElement[bool]]:
        found = moment_clauses(part, Exchange.created_at, Exchange.updated_at)
        return [*found, *in_clauses((Exchange.id, part.id), (Exchange.order_id, part.order_id))]

    order = order_clauses(parameters.order, SORTABLE, [Exchange.created_at.desc(), Exchange.number.desc()])
    async with database.read() as session:
        found, count = await read_page(
            session, Exchange, where_clauses(parameters, conditions), order, parameters
        )
        shown = [await exchange_wire(session, one) for one in found]
    await count_reads(database, actor, SubjectType.ORDER, len(shown))
    return Wire({"exchanges": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.post("")
async def begin(actor: StaffMember, body: NewExchange, database: Db) -> Wire[ExchangeOfOrder]:
    """Begin an exchange of sent units of an order. 400 if a return or an exchange of the order is being prepared."""
    reason = join_notes(body.description, body.internal_note)
    async with database.transaction() as session:
        exchange = await preparation.begin_exchange(session, actor, body.order_id, reason)
        shown = await exchange_wire(session, exchange)
        return Wire({"exchange": shown, "order": await exchange_preview_wire(session, actor, exchange)})


@router.get("/{exchange_id}")
async def read(
    actor: StaffMember, exchange_id: str, database: Db, fields: RequestedFields
) -> Wire[ExchangeAnswer]:
    """Return the exchange. `difference_due` is the price of the new order less that of the returned units."""
    await count_reads(database, actor, SubjectType.ORDER, 1)
    async with database.read() as session:
        exchange = await preparation.read_exchange(session, actor, exchange_id)
        return Wire({"exchange": fields.pick(await exchange_wire(session, exchange))})


@router.post("/{exchange_id}/cancel")
async def cancel(
    actor: StaffMember,
    exchange_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the customer is always notified
) -> Wire[ExchangeAnswer]:
    """Cancel the exchange, and deny its return if it was requested. 400 after its units have arrived."""
    async with database.transaction() as session:
        exchange = await preparation.cancel_exchange(session, actor, exchange_id)
        return Wire({"exchange": await exchange_wire(session, exchange)})


@router.post("/{exchange_id}/inbound/items")
async def add_inbound_items(
    actor: StaffMember, exchange_id: str, body: InboundItems, database: Db
) -> Wire[ExchangeReturn]:
    """Add units of the order to the units that the exchange takes back."""
    items = [to_line_units(item) for item in body.items]
    async with database.transaction() as session:
        exchange = await _lock(session, actor, exchange_id)
        await drafts.change_request(session, actor, exchange.return_id, None, body.location_id)
        await drafts.add_items(session, actor, exchange.return_id, Action.RETURN, items)
        return await _return_answer(session, actor, exchange)


@router.post("/{exchange_id}/inbound/items/{action_id}")
async def change_inbound_item(
    actor: StaffMember, exchange_id: str, action_id: str, body: ReturnItemChange, database: Db
) -> Wire[ExchangeReturn]:
    """Change the number, reason or note of units that the exchange takes back."""
    change = ItemChange(body.quantity, body.reason_id, body.internal_note)
    async with database.transaction() as session:
        exchange = await _lock(session, actor, exchange_id)
        item = DraftItem(exchange.return_id, action_id, Action.RETURN)
        await drafts.change_item(session, actor, item, change)
        return await _return_answer(session, actor, exchange)


@router.delete("/{exchange_id}/inbound/items/{action_id}")
async def remove_inbound_item(
    actor: StaffMember, exchange_id: str, action_id: str, database: Db
) -> Wire[ExchangeReturn]:
    """Remove units from the units that the exchange takes back."""
    async with database.transaction() as session:
        exchange = await _lock(session, actor, exchange_id)
        item = DraftItem(exchange.return_id, action_id, Action.RETURN)
        await drafts.remove_item(session, actor, item)
        return await _return_answer(session, actor, exchange)


@router.post("/{exchange_id}/outbound/items")
async def add_outbound_items(
    actor: StaffMember, exchange_id: str, body: OutboundItems, database: Db
) -> Wire[ExchangePreview]:
    """Add units of variants to the exchange's new order, at the catalogue's prices."""
    async with database.transaction() as session:
        for item in body.items:
            await require_price(session, item.variant_id, item.unit_price)
            await preparation.add_outbound_units(session, actor, exchange_id, item.variant_id, item.quantity)
        return await _preview_answer(session, actor, exchange_id)


@router.post("/{exchange_id}/outbound/items/{action_id}")
async def change_outbound_item(
    actor: StaffMember, exchange_id: str, action_id: str, body: OutboundItemChange, database: Db
) -> Wire[ExchangePreview]:
    """Set the units of a variant in the exchange's new order."""
    async with database.transaction() as session:
        if body.quantity is not None:
            item_id = derive_sibling_id(ITEM, action_id)
            await preparation.set_outbound_units(session, actor, exchange_id, item_id, body.quantity)
        return await _preview_answer(session, actor, exchange_id)


@router.delete("/{exchange_id}/outbound/items/{action_id}")
async def remove_outbound_item(
    actor: StaffMember, exchange_id: str, action_id: str, database: Db
) -> Wire[ExchangePreview]:
    """Remove units from the exchange's new order."""
    async with database.transaction() as session:
        item_id = derive_sibling_id(ITEM, action_id)
        await preparation.set_outbound_units(session, actor, exchange_id, item_id, 0)
        return await _preview_answer(session, actor, exchange_id)


@router.post("/{exchange_id}/outbound/shipping-method")
async def add_outbound_shipping(
    actor: StaffMember, exchange_id: str, body: ExchangeShipping, checkout: ShopCheckout
) -> Wire[ExchangePreview]:
    """Choose the new order's shipping option at its live price, and its address.

    Without an address in the body, the new order is sent to the address of the original order.
    """
    sent = body.shipping_address
    address = None if sent is None else sent.model_dump(exclude_none=True)
    await deliver_with_option(
        checkout, actor, exchange_id, body.shipping_option_id, body.custom_amount, address
    )
    return await _read_preview(checkout.database, actor, exchange_id)


@router.post("/{exchange_id}/outbound/shipping-method/{action_id}")
async def change_outbound_shipping(
    actor: StaffMember, exchange_id: str, action_id: str, body: ShippingChange, checkout: ShopCheckout
) -> Wire[ExchangePreview]:
    """Price the new order's shipping method again. A `custom_amount` other than the live price is refused."""
    method_id = derive_sibling_id(METHOD, action_id)
    await price_delivery_again(checkout, actor, exchange_id, method_id, body.custom_amount)
    return await _read_preview(checkout.database, actor, exchange_id)


@router.delete("/{exchange_id}/outbound/shipping-method/{action_id}")
async def remove_outbound_shipping(
    actor: StaffMember, exchange_id: str, action_id: str, database: Db
) -> Wire[ExchangePreview]:
    """Remove the new order's shipping method, because the customer takes the products along."""
    async with database.transaction() as session:
        await find_outbound_method(session, actor, exchange_id, derive_sibling_id(METHOD, action_id))
        await take_new_order_along(session, actor, exchange_id)
        return await _preview_answer(session, actor, exchange_id)


@router.post("/{exchange_id}/request")
async def request(
    actor: StaffMember,
    exchange_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the customer is always notified
) -> Wire[RequestedExchange]:
    """Request the units back from the customer. Staff settle the exchange in the office when they have arrived."""
    async with database.transaction() as session:
        exchange = await preparation.request_exchange(session, actor, exchange_id)
        preview = await exchange_preview_wire(session, actor, exchange)
        shown = await read_return_wire(session, exchange.return_id)
        answer = await exchange_wire(session, exchange)
        return Wire({"exchange": answer, "order_preview": preview, "return": shown})


@router.delete("/{exchange_id}/request")
async def drop_request(actor: StaffMember, exchange_id: str, database: Db) -> Wire[Deleted]:
    """Cancel the exchange, like `POST …/cancel`."""
    async with database.transaction() as session:
        await preparation.cancel_exchange(session, actor, exchange_id)
    return Wire({"id": exchange_id, "object": "exchange", "deleted": True})


async def _lock(session: AsyncSession, actor: Actor, exchange_id: str) -> Exchange:
    return (await preparation.lock_exchange(session, actor, exchange_id)).exchange


async def _return_answer(session: AsyncSession, actor: Actor, exchange: Exchange) -> Wire[ExchangeReturn]:
    shown = await read_return_wire(session, exchange.return_id)
    preview = await exchange_preview_wire(session, actor, exchange)
    return Wire({"return": shown, "order_preview": preview})


async def _preview_answer(session: AsyncSession, actor: Actor, exchange_id: str) -> Wire[ExchangePreview]:
    exchange = await preparation.read_exchange(session, actor, exchange_id)
    preview = await exchange_preview_wire(session, actor, exchange)
    return Wire({"exchange": await exchange_wire(session, exchange), "order_preview": preview})


async def _read_preview(database: Database, actor: Actor, exchange_id: str) -> Wire[ExchangePreview]:
    async with database.read() as session:
        return await _preview_answer(session, actor, exchange_id)
