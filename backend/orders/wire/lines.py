"""A line of an order as the platform shows it: as it was sold, and how far its units are."""

from collections.abc import Iterable
from typing import cast

from typing_extensions import Unpack

from backend.catalog.api.line_products import NO_PRODUCTS, LineProducts
from backend.edge.wire import (
    JsonDict,
    PartOf,
    Stamps,
    adjustments,
    exact,
    priced,
    sibling_id,
    stamps,
    tax_line,
    with_twins,
)
from backend.media.picture_urls import absolute_address
from backend.orders.answers import (
    LineDetail,
    OrderItemFields,
    OrderItemOut,
    Quantity,
    SoldTaxLine,
    TaxTotals,
    UnitCounts,
    UnitPrices,
    UnitTotals,
)
from backend.orders.fulfillments import carrier_canceled
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.returning_units import NOTHING, ComingBack
from backend.pricing import PartTotals, price_of_units


def line_wire(
    order: Order,
    line: OrderLine,
    part: PartTotals,
    fulfillments: Iterable[Fulfillment],
    *,
    coming_back: ComingBack = NOTHING,
    known: LineProducts = NO_PRODUCTS,
    base_url: str = "",
) -> OrderItemOut:
    """The line. `known`: its product and variant as they are now, where they are to be shown."""
    detail = _detail(order, line, fulfillments, coming_back)
    moments = stamps(line.created_at, line.updated_at)
    fields: OrderItemFields = {
        "id": line.id,
        "title": line.title,
        "subtitle": line.variant_title,
        "thumbnail": absolute_address(line.thumbnail, base_url),
        "variant_id": line.variant_id,
        "product_id": line.product_id,
        "product_title": line.title,
        "product_description": line.facts.get("product_description"),
        "product_subtitle": line.facts.get("product_subtitle"),
        "product_collection": line.facts.get("product_collection"),
        "product_type": line.facts.get("product_type"),
        "product_type_id": line.facts.get("product_type_id"),
        "product_handle": line.product_handle,
        "variant_sku": line.sku,
        "variant_barcode": None,
        "variant_title": line.variant_title,
        "variant_option_values": None,
        "requires_shipping": True,
        "is_giftcard": False,
        "is_discountable": True,
        "is_tax_inclusive": True,
        "is_custom_price": False,
        **with_twins(UnitPrices(unit_price=line.unit_price, compare_at_unit_price=line.compare_at_price)),
        **with_twins(Quantity(quantity=line.quantity)),
        **with_twins(priced(part)),
        **with_twins(_totals_of_units(line, part, detail)),
        "metadata": line.meta,
        "line_item_metadata": line.meta,
        **moments,
        "deleted_at": None,
        "tax_lines": [sold_tax_line("ordlitxl", line.id, part, moments, item_id=line.id)],
        "adjustments": adjustments("ordliadj", line.id, part, item_id=line.id),
        "detail": detail,
        "variant": known.variants.get(line.variant_id) or _sold_variant(line, base_url),
    }
    shown = cast(OrderItemOut, fields)
    if line.product_id in known.products:
        shown["product"] = known.products[line.product_id]
    return shown


def _totals_of_units(line: OrderLine, part: PartTotals, units: UnitCounts) -> UnitTotals:
    def total_of(count: int) -> int:
        return price_of_units(part.total, line.quantity, count)

    # units that no further return can be asked for
    gone = (
        units["return_requested_quantity"] + units["return_received_quantity"] + units["written_off_quantity"]
    )
    return {
        "refundable_total_per_unit": total_of(1),
        "refundable_total": total_of(units["quantity"] - gone),
        "fulfilled_total": total_of(units["fulfilled_quantity"]),
        "shipped_total": total_of(units["shipped_quantity"]),
        "return_requested_total": total_of(units["return_requested_quantity"]),
        "return_received_total": total_of(units["return_received_quantity"]),
        "return_dismissed_total": total_of(units["return_dismissed_quantity"]),
        "write_off_total": total_of(units["written_off_quantity"]),
    }


def sold_tax_line(
    prefix: str, owner_id: str, part: PartTotals, moments: Stamps, **part_of: Unpack[PartOf]
) -> SoldTaxLine:
    """The IVA of a line or a way to ship that was sold. `moments`: when that was made and last changed."""
    return {
        **tax_line(prefix, owner_id, part.tax_rate, **part_of),
        "raw_rate": exact(part.tax_rate),
        "tax_rate_id": None,
        **with_twins(TaxTotals(total=part.tax_total, subtotal=part.original_tax_total)),
        **moments,
        "deleted_at": None,
    }


def _sold_variant(line: OrderLine, base_url: str) -> JsonDict:
    """What is known of the variant and its product from the sale alone."""
    return {
        "id": line.variant_id,
        "title": line.variant_title,
        "sku": line.sku,
        "product_id": line.product_id,
        "product": {
            "id": line.product_id,
            "title": line.title,
            "handle": line.product_handle,
            "thumbnail": absolute_address(line.thumbnail, base_url),
        },
    }


def _detail(
    order: Order, line: OrderLine, fulfillments: Iterable[Fulfillment], coming_back: ComingBack
) -> LineDetail:
    active = [fulfillment for fulfillment in fulfillments if fulfillment.canceled_at is None]
    quantities: UnitCounts = {
        "quantity": line.quantity,
        "fulfilled_quantity": line.fulfilled,
        "shipped_quantity": _units(
            line, [one for one in active if one.shipped_at and not carrier_canceled(one)]
        ),
        "delivered_quantity": _units(
            line, [fulfillment for fulfillment in active if fulfillment.delivered_at]
        ),
        "return_requested_quantity": coming_back.requested,
        "return_received_quantity": line.returned + coming_back.arrived,
        "return_dismissed_quantity": 0,
        "written_off_quantity": line.withdrawn,
    }
    return {
        "id": sibling_id("orditem", line.id),
        "order_id": order.id,
        "item_id": line.id,
        "version": 1,
        **with_twins(quantities),
        **with_twins(UnitPrices(unit_price=None, compare_at_unit_price=None)),
        "metadata": None,
        **stamps(line.created_at, line.updated_at),
        "deleted_at": None,
    }


def _units(line: OrderLine, fulfillments: Iterable[Fulfillment]) -> int:
    return sum(
        int(item["quantity"])
        for fulfillment in fulfillments
        for item in fulfillment.items
        if item.get("line_item_id") == line.id
    )
