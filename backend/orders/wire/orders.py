"""Conversion of orders to the commerce platform's JSON: as they were sold, with their payments and fulfillments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.line_products import NO_PRODUCTS, LineProducts, line_products, wants_products
from backend.core.db.tables import JsonObject
from backend.edge.query import Fields
from backend.edge.wire import (
    address_view,
    adjustment_views,
    cart_totals_view,
    derive_sibling_id,
    iso,
    part_totals_view,
    stamps,
    with_raw_amounts,
)
from backend.orders.answers import (
    AddressOut,
    FulfillmentLabel,
    FulfillmentOut,
    MethodAmounts,
    OrderAddress,
    OrderOut,
    OrderShippingMethod,
    OrderStub,
    OrderSummary,
)
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.returning_units import (
    NO_RETURNING_UNITS,
    ReturningUnits,
    select_arrived_units,
    select_requested_units,
)
from backend.orders.service import compute_order_totals
from backend.orders.states import METADATA, TRACKING, TRACKING_URL
from backend.orders.wire.lines import line_wire, sold_tax_line
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.payments import list_refunds
from backend.payment.wire import collection_wire, sum_captures, sum_refunds
from backend.pricing import PartTotals

_LINES = (
    select(OrderLine, select_requested_units(), select_arrived_units())
    .where(OrderLine.order_id.in_(bindparam("order_ids", expanding=True)))
    .order_by(OrderLine.id)
)
_FULFILLMENTS = FULFILLMENTS.where(Fulfillment.order_id.in_(bindparam("order_ids", expanding=True)))
_PAYMENTS = (
    select(PaymentCollection, PaymentSession)
    .outerjoin(PaymentSession, PaymentSession.collection_id == PaymentCollection.id)
    .where(PaymentCollection.cart_id.in_(bindparam("cart_ids", expanding=True)))
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)


@dataclass(frozen=True)
class OrderRows:
    """The rows of other tables that belong to an order."""

    lines: list[OrderLine] = field(default_factory=list)
    payment_sessions: list[PaymentSession] = field(default_factory=list)
    refunds: list[Refund] = field(default_factory=list)
    collections: list[PaymentCollection] = field(default_factory=list)
    fulfillments: list[Fulfillment] = field(default_factory=list)
    returning_units: dict[str, ReturningUnits] = field(default_factory=dict)
    """Units that are being returned, by line id."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """Selected fields of orders, and `base_url`, the prefix of the URLs of pictures.

    With `shows_products`, lines include their products unless `fields` excludes them. The commerce platform does
    the same when it returns a single order.
    """

    fields: Fields = field(default_factory=Fields)
    base_url: str = ""
    shows_products: bool = False


PLAIN = OrderView()


async def order_wire(
    session: AsyncSession, order: Order, rows: OrderRows | None = None, *, view: OrderView = PLAIN
) -> OrderOut:
    """Convert the order to the platform's JSON, with all data that its owner and staff may see.

    `rows` are the order's rows of other tables, if they are already read.
    """
    rows = rows or (await _read_rows(session, [order]))[order.id]
    return _to_order_wire(order, rows, await _read_products(session, [rows], view), view.base_url)


async def orders_wire(
    session: AsyncSession, orders: Sequence[Order], view: OrderView = PLAIN
) -> list[OrderOut]:
    """Convert the orders to the platform's JSON, in the given order.

    Runs four queries for any number of orders, and four more for requested products.
    """
    rows = await _read_rows(session, orders)
    known = await _read_products(session, rows.values(), view)
    return [_to_order_wire(order, rows[order.id], known, view.base_url) for order in orders]


async def _read_products(session: AsyncSession, rows: Iterable[OrderRows], view: OrderView) -> LineProducts:
    if not wants_products(view.fields, by_default=view.shows_products):
        return NO_PRODUCTS
    ids = [line.product_id for one in rows for line in one.lines]
    return await line_products(session, ids, view.fields, view.base_url)


def fulfillment_wire(fulfillment: Fulfillment, option_id: str | None = None) -> FulfillmentOut:
    """Convert a fulfillment with its label to the platform's JSON.

    `data.state` is the state of the label; `data.stage` is the state of the parcel at the carrier.
    """
    return {
        "id": fulfillment.id,
        "location_id": fulfillment.location_id,
        "provider_id": fulfillment.provider_id,
        "provider": {"id": fulfillment.provider_id},
        "shipping_option_id": option_id,
        "shipping_option": {"id": option_id} if option_id else None,
        "delivery_address_id": derive_sibling_id("fuladdr", fulfillment.id),
        "delivery_address": {"id": derive_sibling_id("fuladdr", fulfillment.id)},
        "requires_shipping": True,
        "packed_at": fulfillment.data.get("packed_at"),
        "shipped_at": iso(fulfillment.shipped_at),
        "delivered_at": iso(fulfillment.delivered_at),
        "canceled_at": iso(fulfillment.canceled_at),
        "marked_shipped_by": None,
        "created_by": None,
        "data": {
            "state": fulfillment.state,
            "reference": fulfillment.reference,
            "carrier": fulfillment.data.get("carrier"),
            "carrier_order_id": fulfillment.carrier_order_id,
            "stage": fulfillment.stage,
            "tracking": fulfillment.data.get(TRACKING),
            "tracked_at": iso(fulfillment.tracked_at),
        },
        "metadata": fulfillment.data.get(METADATA) or None,
        "labels": _labels_wire(fulfillment),
        "items": [
            {
                "id": f"fulit_{fulfillment.id.partition('_')[2]}{place}",
                "line_item_id": item.get("line_item_id"),
                "title": item.get("title"),
                "sku": item.get("sku"),
                "quantity": item.get("quantity"),
                "fulfillment_id": fulfillment.id,
            }
            for place, item in enumerate(fulfillment.items)
        ],
        **stamps(fulfillment.created_at, fulfillment.updated_at),
        "deleted_at": None,
    }


def order_stub(order: Order) -> OrderStub:
    """Return the data that any caller with the order's id may see: its statuses, but no customer data and no items."""
    return {
        "id": order.id,
        "display_id": order.number,
        "status": order.status,
        "payment_status": order.payment_status,
        "fulfillment_status": order.fulfillment_status,
        "currency_code": order.currency_code,
        "total": order.total,
        **stamps(order.created_at, order.updated_at),
    }


def get_customer_id(order: Order) -> str | None:
    """Return the id of the order's customer or guest; None for an old order that stores neither."""
    return order.customer_id or order.guest_id


def _to_order_wire(order: Order, rows: OrderRows, known: LineProducts, base_url: str) -> OrderOut:
    owed = [
        collection_wire(collection, rows.payment_sessions, rows.refunds) for collection in rows.collections
    ]
    prices = compute_order_totals(order, rows.lines)
    return {
        "id": order.id,
        "status": order.status,
        "version": 1,
        "display_id": order.number,
        "custom_display_id": None,
        "currency_code": order.currency_code,
        "region_id": order.region_id,
        "sales_channel_id": order.sales_channel_id,
        "customer_id": get_customer_id(order),
        "email": order.email,
        "locale": order.locale,
        "metadata": order.meta or None,
        "payment_status": order.payment_status,
        "fulfillment_status": order.fulfillment_status,
        "canceled_at": iso(order.canceled_at),
        **stamps(order.created_at, order.updated_at),
        **cart_totals_view(prices),
        "summary": _summary_wire(order, rows),
        "items": [
            line_wire(
                order,
                line,
                part,
                rows.fulfillments,
                returning_units=rows.returning_units.get(line.id, NO_RETURNING_UNITS),
                line_products=known,
                base_url=base_url,
            )
            for line, part in zip(rows.lines, prices.lines, strict=True)
        ],
        "shipping_address": _order_address_wire(order, order.shipping_address, ""),
        "billing_address": _order_address_wire(order, order.billing_address, "b"),
        "shipping_methods": [shipping_method_wire(order, prices.shipping)],
        "payment_collections": owed,
        "fulfillments": [
            fulfillment_wire(fulfillment, order.shipping_option_id) for fulfillment in rows.fulfillments
        ],
        "credit_lines": [],
        "transactions": [],
    }


def _summary_wire(order: Order, rows: OrderRows) -> OrderSummary:
    paid, refunded = sum_captures(rows.payment_sessions), sum_refunds(rows.refunds)
    summary: OrderSummary = {
        "paid_total": paid,
        "refunded_total": refunded,
        "accounting_total": order.total,
        "credit_line_total": 0,
        "transaction_total": paid - refunded,
        "pending_difference": order.total - paid + refunded,
        "current_order_total": order.total,
        "original_order_total": order.total,
    }
    return with_raw_amounts(summary)


def address_wire(address_id: str, address: JsonObject) -> AddressOut:
    """Convert an address to the platform's JSON, with every field that the platform has."""
    return {"id": address_id, **address_view(address)}


def _order_address_wire(order: Order, address: JsonObject, ending: str) -> OrderAddress:
    return {
        **address_wire(f"{derive_sibling_id('ordaddr', order.id)}{ending}", address),
        "customer_id": get_customer_id(order),
        **stamps(order.created_at, order.updated_at),
        "deleted_at": None,
    }


def get_shipping_method_id(order_id: str) -> str:
    """Return the id of the order's shipping method. An order has one."""
    return derive_sibling_id("ordsm", order_id)


def shipping_method_wire(order: Order, part: PartTotals) -> OrderShippingMethod:
    """Convert the order's shipping method to the platform's JSON. `part` has its totals."""
    method_id = get_shipping_method_id(order.id)
    moments = stamps(order.created_at, order.updated_at)
    amounts: MethodAmounts = {"amount": part.original_total, **part_totals_view(part)}
    return {
        "id": method_id,
        "order_id": order.id,
        "name": order.shipping_name,
        "description": None,
        **with_raw_amounts(amounts),
        "is_tax_inclusive": True,
        "is_custom_amount": False,
        "shipping_option_id": order.shipping_option_id,
        "data": order.shipping_data,
        "metadata": None,
        **moments,
        "deleted_at": None,
        "tax_lines": [sold_tax_line("ordsmtxl", order.id, part, moments, shipping_method_id=method_id)],
        "adjustments": adjustment_views("ordsmadj", order.id, part, shipping_method_id=method_id),
        "detail": {
            "id": derive_sibling_id("ordspmv", order.id),
            "order_id": order.id,
            "shipping_method_id": method_id,
            "version": 1,
            "return_id": None,
            "exchange_id": None,
            "claim_id": None,
            **moments,
            "deleted_at": None,
        },
    }


def _labels_wire(fulfillment: Fulfillment) -> list[FulfillmentLabel]:
    tracking_url = fulfillment.data.get(TRACKING_URL) or ""
    if fulfillment.tracking_number is None and fulfillment.label_url is None and not tracking_url:
        return []
    return [
        {
            "id": derive_sibling_id("fulla", fulfillment.id),
            "tracking_number": fulfillment.tracking_number or "",
            "tracking_url": tracking_url,
            "label_url": fulfillment.label_url or "",
            "fulfillment_id": fulfillment.id,
        }
    ]


async def _read_rows(session: AsyncSession, orders: Sequence[Order]) -> dict[str, OrderRows]:
    ids, of_cart = [order.id for order in orders], {order.cart_id: order.id for order in orders}
    rows: dict[str, OrderRows] = defaultdict(OrderRows)
    for line, requested, arrived in await session.execute(_LINES, {"order_ids": ids}):
        rows[line.order_id].lines.append(line)
        rows[line.order_id].returning_units[line.id] = ReturningUnits(int(requested), int(arrived))
    for fulfillment in (await session.execute(_FULFILLMENTS, {"order_ids": ids})).scalars():
        rows[fulfillment.order_id].fulfillments.append(fulfillment)
    for collection, payment in await session.execute(_PAYMENTS, {"cart_ids": list(of_cart)}):
        owed = rows[of_cart[collection.cart_id]]
        if not owed.collections:  # one per cart
            owed.collections.append(collection)
        if payment is not None:
            owed.payment_sessions.append(payment)
    order_of = {payment.id: owed for owed in rows.values() for payment in owed.payment_sessions}
    for refund in await list_refunds(session, order_of):
        order_of[refund.payment_session_id].refunds.append(refund)
    return rows
