"""Orders as the platform shows them: as they were sold, with their payments and fulfillments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.edge.wire import (
    JsonDict,
    adjustments,
    exact,
    iso,
    priced,
    sibling_id,
    stamps,
    tax_line,
    totals,
    with_twins,
)
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.service import totals_of
from backend.orders.states import TRACKING
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.payment.payments import refunds_of
from backend.payment.wire import captured_total, collection_wire, refunded_total
from backend.pricing import PartTotals
from backend.staff.rights import Actor, Right
from backend.tables import JsonObject

_LINES = (
    select(OrderLine)
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

ADDRESS_FIELDS = (
    "first_name",
    "last_name",
    "company",
    "address_1",
    "address_2",
    "city",
    "postal_code",
    "country_code",
    "province",
    "phone",
    "metadata",
)


@dataclass(frozen=True)
class OrderRows:
    """The rows of other tables that belong to an order."""

    lines: list[OrderLine] = field(default_factory=list)
    payment_sessions: list[PaymentSession] = field(default_factory=list)
    refunds: list[Refund] = field(default_factory=list)
    collections: list[PaymentCollection] = field(default_factory=list)
    fulfillments: list[Fulfillment] = field(default_factory=list)


async def order_wire(session: AsyncSession, order: Order, rows: OrderRows | None = None) -> JsonDict:
    """The whole order. For its owner, or for staff. `rows`: those of the order, if they are known."""
    return _order(order, rows or (await _rows_of(session, [order]))[order.id])


async def orders_wire(session: AsyncSession, orders: Sequence[Order]) -> list[JsonDict]:
    """The orders, in their order. Four queries, however many orders."""
    rows = await _rows_of(session, orders)
    return [_order(order, rows[order.id]) for order in orders]


async def orders_for_staff(session: AsyncSession, actor: Actor, orders: Sequence[Order]) -> list[JsonDict]:
    """The orders with what only staff may see: whose document the invoice is for.

    Raises:
        Forbidden: see `Actor.require`.
    """
    actor.require(Right.READ_ORDERS)
    shown = await orders_wire(session, orders)
    return [{**wire, "payer": order.payer} for wire, order in zip(shown, orders, strict=True)]


def fulfillment_wire(fulfillment: Fulfillment, option_id: str | None = None) -> JsonDict:
    """A fulfillment with its label. `data.state` says how far the label is, `data.stage` where the carrier has it."""
    return {
        "id": fulfillment.id,
        "location_id": fulfillment.location_id,
        "provider_id": fulfillment.provider_id,
        "provider": {"id": fulfillment.provider_id},
        "shipping_option_id": option_id,
        "shipping_option": {"id": option_id} if option_id else None,
        "delivery_address_id": sibling_id("fuladdr", fulfillment.id),
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
        "metadata": None,
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


def order_stub(order: Order) -> JsonDict:
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


def _order(order: Order, rows: OrderRows) -> JsonDict:
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
            _item(order, line, part, rows.fulfillments)
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


def _summary(order: Order, rows: OrderRows) -> JsonDict:
    paid, refunded = captured_total(rows.payment_sessions), refunded_total(rows.refunds)
    return with_twins(
        {
            "paid_total": paid,
            "refunded_total": refunded,
            "accounting_total": order.total,
            "credit_line_total": 0,
            "transaction_total": paid - refunded,
            "pending_difference": order.total - paid + refunded,
            "current_order_total": order.total,
            "original_order_total": order.total,
        }
    )


def _item(order: Order, line: OrderLine, part: PartTotals, fulfillments: Iterable[Fulfillment]) -> JsonDict:
    return {
        "id": line.id,
        "title": line.title,
        "subtitle": line.variant_title,
        "thumbnail": line.thumbnail,
        "variant_id": line.variant_id,
        "product_id": line.product_id,
        "product_title": line.title,
        "product_handle": line.product_handle,
        "variant_sku": line.sku,
        "variant_title": line.variant_title,
        "requires_shipping": True,
        "is_giftcard": False,
        "is_discountable": True,
        "is_tax_inclusive": True,
        "is_custom_price": False,
        "unit_price": line.unit_price,
        "raw_unit_price": exact(line.unit_price),
        "compare_at_unit_price": line.compare_at_price,
        "quantity": line.quantity,
        "raw_quantity": exact(line.quantity),
        **priced(part),
        "metadata": line.meta,
        **stamps(line.created_at, line.updated_at),
        "tax_lines": [tax_line("ordlitxl", line.id, part.tax_rate, item_id=line.id)],
        "adjustments": adjustments("ordliadj", line.id, part, item_id=line.id),
        "detail": _detail(order, line, fulfillments),
        "variant": {
            "id": line.variant_id,
            "title": line.variant_title,
            "sku": line.sku,
            "product_id": line.product_id,
            "product": {
                "id": line.product_id,
                "title": line.title,
                "handle": line.product_handle,
                "thumbnail": line.thumbnail,
            },
        },
    }


def _detail(order: Order, line: OrderLine, fulfillments: Iterable[Fulfillment]) -> JsonDict:
    standing = [fulfillment for fulfillment in fulfillments if fulfillment.canceled_at is None]
    return {
        "id": sibling_id("orditem", line.id),
        "order_id": order.id,
        "item_id": line.id,
        "version": 1,
        "quantity": line.quantity,
        "fulfilled_quantity": line.fulfilled,
        "shipped_quantity": _units(line, [fulfillment for fulfillment in standing if fulfillment.shipped_at]),
        "delivered_quantity": _units(
            line, [fulfillment for fulfillment in standing if fulfillment.delivered_at]
        ),
        "return_requested_quantity": 0,
        "return_received_quantity": line.returned,
        "return_dismissed_quantity": 0,
        "written_off_quantity": line.withdrawn,
        "metadata": None,
        **stamps(line.created_at, line.updated_at),
    }


def _units(line: OrderLine, fulfillments: Iterable[Fulfillment]) -> int:
    return sum(
        int(item["quantity"])
        for fulfillment in fulfillments
        for item in fulfillment.items
        if item.get("line_item_id") == line.id
    )


def address_wire(address_id: str, address: JsonObject) -> JsonDict:
    """An address with every field the platform has."""
    return {"id": address_id, **{name: address.get(name) for name in ADDRESS_FIELDS}}


def _address(order: Order, address: JsonObject, ending: str) -> JsonDict:
    return {
        **address_wire(f"{sibling_id('ordaddr', order.id)}{ending}", address),
        "customer_id": buyer_of(order),
        **stamps(order.created_at, order.updated_at),
    }


def _shipping_method(order: Order, part: PartTotals) -> JsonDict:
    method_id = sibling_id("ordsm", order.id)
    return {
        "id": method_id,
        "order_id": order.id,
        "name": order.shipping_name,
        "description": None,
        "amount": part.original_total,
        "raw_amount": exact(part.original_total),
        "is_tax_inclusive": True,
        "is_custom_amount": False,
        "shipping_option_id": order.shipping_option_id,
        "data": order.shipping_data,
        "metadata": None,
        **priced(part),
        **stamps(order.created_at, order.updated_at),
        "tax_lines": [tax_line("ordsmtxl", order.id, part.tax_rate, shipping_method_id=method_id)],
        "adjustments": adjustments("ordsmadj", order.id, part, shipping_method_id=method_id),
    }


def _labels_wire(fulfillment: Fulfillment) -> list[JsonDict]:
    if fulfillment.tracking_number is None and fulfillment.label_url is None:
        return []
    return [
        {
            "id": sibling_id("fulla", fulfillment.id),
            "tracking_number": fulfillment.tracking_number or "",
            "tracking_url": "",
            "label_url": fulfillment.label_url or "",
            "fulfillment_id": fulfillment.id,
        }
    ]


async def _rows_of(session: AsyncSession, orders: Sequence[Order]) -> dict[str, OrderRows]:
    ids, of_cart = [order.id for order in orders], {order.cart_id: order.id for order in orders}
    rows: dict[str, OrderRows] = defaultdict(OrderRows)
    for line in (await session.execute(_LINES, {"order_ids": ids})).scalars():
        rows[line.order_id].lines.append(line)
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
