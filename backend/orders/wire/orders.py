"""Orders as the platform shows them: as they were sold, with their payments and fulfillments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.line_products import NO_PRODUCTS, LineProducts, line_products, wants_products
from backend.core.db.tables import JsonObject
from backend.edge.query import Fields
from backend.edge.wire import address_parts, adjustments, iso, priced, sibling_id, stamps, totals, with_twins
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
from backend.orders.returning_units import NOTHING, ComingBack, arrived_units, requested_units
from backend.orders.service import totals_of
from backend.orders.states import METADATA, TRACKING, TRACKING_URL
from backend.orders.wire.lines import line_wire, sold_tax_line
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.payments import refunds_of
from backend.payment.wire import captured_total, collection_wire, refunded_total
from backend.pricing import PartTotals

_LINES = (
    select(OrderLine, requested_units(), arrived_units())
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
    coming_back: dict[str, ComingBack] = field(default_factory=dict)
    """By line id, where returns ask units of it back."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """How orders are shown: with which fields, and with pictures' addresses that begin with `base_url`.

    `shows_products`: lines have their products where nothing else was asked for, as the platform shows one order.
    """

    fields: Fields = field(default_factory=Fields)
    base_url: str = ""
    shows_products: bool = False


PLAIN = OrderView()


async def order_wire(
    session: AsyncSession, order: Order, rows: OrderRows | None = None, *, view: OrderView = PLAIN
) -> OrderOut:
    """The whole order. For its owner, or for staff. `rows`: those of the order, if they are known."""
    rows = rows or (await _rows_of(session, [order]))[order.id]
    return _order(order, rows, await _products_of(session, [rows], view), view.base_url)


async def orders_wire(
    session: AsyncSession, orders: Sequence[Order], view: OrderView = PLAIN
) -> list[OrderOut]:
    """The orders, in their order. Four queries, however many orders, and as many for products that are asked for."""
    rows = await _rows_of(session, orders)
    known = await _products_of(session, rows.values(), view)
    return [_order(order, rows[order.id], known, view.base_url) for order in orders]


async def _products_of(session: AsyncSession, rows: Iterable[OrderRows], view: OrderView) -> LineProducts:
    if not wants_products(view.fields, by_default=view.shows_products):
        return NO_PRODUCTS
    ids = [line.product_id for one in rows for line in one.lines]
    return await line_products(session, ids, view.fields, view.base_url)


def fulfillment_wire(fulfillment: Fulfillment, option_id: str | None = None) -> FulfillmentOut:
    """A fulfillment with its label. `data.state` says how far the label is, `data.stage` where the carrier has it."""
    return {
        "id": fulfillment.id,
        "location_id": fulfillment.location_id,
        "provider_id": fulfillment.provider_id,
        "provider": {"id": fulfillment.provider_id},
        "shipping_option_id": option_id,
        "shipping_option": {"id": option_id} if option_id else None,
        "delivery_address_id": sibling_id("fuladdr", fulfillment.id),
        "delivery_address": {"id": sibling_id("fuladdr", fulfillment.id)},
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
    """What anybody who knows an order's id may know: how it stands, and nothing of whose it is or what is in it."""
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


def buyer_of(order: Order) -> str | None:
    """The id of its customer, or of the guest; None for an order that is older than guests are known."""
    return order.customer_id or order.guest_id


def _order(order: Order, rows: OrderRows, known: LineProducts, base_url: str) -> OrderOut:
    owed = [
        collection_wire(collection, rows.payment_sessions, rows.refunds) for collection in rows.collections
    ]
    prices = totals_of(order, rows.lines)
    return {
        "id": order.id,
        "status": order.status,
        "version": 1,
        "display_id": order.number,
        "custom_display_id": None,
        "currency_code": order.currency_code,
        "region_id": order.region_id,
        "sales_channel_id": order.sales_channel_id,
        "customer_id": buyer_of(order),
        "email": order.email,
        "locale": order.locale,
        "metadata": order.meta or None,
        "payment_status": order.payment_status,
        "fulfillment_status": order.fulfillment_status,
        "canceled_at": iso(order.canceled_at),
        **stamps(order.created_at, order.updated_at),
        **totals(prices),
        "summary": _summary(order, rows),
        "items": [
            line_wire(
                order,
                line,
                part,
                rows.fulfillments,
                coming_back=rows.coming_back.get(line.id, NOTHING),
                known=known,
                base_url=base_url,
            )
            for line, part in zip(rows.lines, prices.lines, strict=True)
        ],
        "shipping_address": _address(order, order.shipping_address, ""),
        "billing_address": _address(order, order.billing_address, "b"),
        "shipping_methods": [_shipping_method(order, prices.shipping)],
        "payment_collections": owed,
        "fulfillments": [
            fulfillment_wire(fulfillment, order.shipping_option_id) for fulfillment in rows.fulfillments
        ],
        "credit_lines": [],
        "transactions": [],
    }


def _summary(order: Order, rows: OrderRows) -> OrderSummary:
    paid, refunded = captured_total(rows.payment_sessions), refunded_total(rows.refunds)
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
    return with_twins(summary)


def address_wire(address_id: str, address: JsonObject) -> AddressOut:
    """An address with every field the platform has."""
    return {"id": address_id, **address_parts(address)}


def _address(order: Order, address: JsonObject, ending: str) -> OrderAddress:
    return {
        **address_wire(f"{sibling_id('ordaddr', order.id)}{ending}", address),
        "customer_id": buyer_of(order),
        **stamps(order.created_at, order.updated_at),
        "deleted_at": None,
    }


def _shipping_method(order: Order, part: PartTotals) -> OrderShippingMethod:
    method_id = sibling_id("ordsm", order.id)
    moments = stamps(order.created_at, order.updated_at)
    amounts: MethodAmounts = {"amount": part.original_total, **priced(part)}
    return {
        "id": method_id,
        "order_id": order.id,
        "name": order.shipping_name,
        "description": None,
        **with_twins(amounts),
        "is_tax_inclusive": True,
        "is_custom_amount": False,
        "shipping_option_id": order.shipping_option_id,
        "data": order.shipping_data,
        "metadata": None,
        **moments,
        "deleted_at": None,
        "tax_lines": [sold_tax_line("ordsmtxl", order.id, part, moments, shipping_method_id=method_id)],
        "adjustments": adjustments("ordsmadj", order.id, part, shipping_method_id=method_id),
        "detail": {
            "id": sibling_id("ordspmv", order.id),
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
            "id": sibling_id("fulla", fulfillment.id),
            "tracking_number": fulfillment.tracking_number or "",
            "tracking_url": tracking_url,
            "label_url": fulfillment.label_url or "",
            "fulfillment_id": fulfillment.id,
        }
    ]


async def _rows_of(session: AsyncSession, orders: Sequence[Order]) -> dict[str, OrderRows]:
    ids, of_cart = [order.id for order in orders], {order.cart_id: order.id for order in orders}
    rows: dict[str, OrderRows] = defaultdict(OrderRows)
    for line, requested, arrived in await session.execute(_LINES, {"order_ids": ids}):
        rows[line.order_id].lines.append(line)
        rows[line.order_id].coming_back[line.id] = ComingBack(int(requested), int(arrived))
    for fulfillment in (await session.execute(_FULFILLMENTS, {"order_ids": ids})).scalars():
        rows[fulfillment.order_id].fulfillments.append(fulfillment)
    for collection, payment in await session.execute(_PAYMENTS, {"cart_ids": list(of_cart)}):
        owed = rows[of_cart[collection.cart_id]]
        if not owed.collections:  # one a cart
            owed.collections.append(collection)
        if payment is not None:
            owed.payment_sessions.append(payment)
    order_of = {payment.id: owed for owed in rows.values() for payment in owed.payment_sessions}
    for refund in await refunds_of(session, order_of):
        order_of[refund.payment_session_id].refunds.append(refund)
    return rows
