"""Conversion of order lines to the commerce platform's JSON: the line as it was sold, and the state of its units."""

from collections.abc import Iterable
from typing import cast

from typing_extensions import Unpack

from backend.catalog.api.line_products import NO_PRODUCTS, LineProducts
from backend.edge.wire import (
    JsonDict,
    PartOf,
    Stamps,
    adjustment_views,
    derive_sibling_id,
    exact_value,
    part_totals_view,
    stamps,
    tax_line_view,
    with_raw_amounts,
)
from backend.media.picture_urls import to_absolute_picture_url
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
from backend.orders.fulfillments import is_canceled_by_carrier
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.returning_units import NO_RETURNING_UNITS, ReturningUnits
from backend.pricing import PartTotals, price_of_units


def line_wire(
    order: Order,
    line: OrderLine,
    part: PartTotals,
    fulfillments: Iterable[Fulfillment],
    *,
    returning_units: ReturningUnits = NO_RETURNING_UNITS,
    line_products: LineProducts = NO_PRODUCTS,
    base_url: str = "",
) -> OrderItemOut:
    """Convert a line to the commerce platform's JSON.

    Args:
        order: the order.
        line: the line.
        part: the totals of the line.
        fulfillments: the fulfillments of the order.
        returning_units: units that are being returned.
        line_products: current products and variants, if they are to be included.
        base_url: prefix of the URLs of pictures.
    """
    detail = _line_detail_wire(order, line, fulfillments, returning_units)
    moments = stamps(line.created_at, line.updated_at)
    fields: OrderItemFields = {
        "id": line.id,
        "title": line.title,
        "subtitle": line.variant_title,
        "thumbnail": to_absolute_picture_url(line.thumbnail, base_url),
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
        **with_raw_amounts(
            UnitPrices(unit_price=line.unit_price, compare_at_unit_price=line.compare_at_price)
        ),
        **with_raw_amounts(Quantity(quantity=line.quantity)),
        **with_raw_amounts(part_totals_view(part)),
        **with_raw_amounts(_totals_of_units(line, part, detail)),
        "metadata": line.meta,
        "line_item_metadata": line.meta,
        **moments,
        "deleted_at": None,
        "tax_lines": [sold_tax_line("ordlitxl", line.id, part, moments, item_id=line.id)],
        "adjustments": adjustment_views("ordliadj", line.id, part, item_id=line.id),
        "detail": detail,
        "variant": line_products.variants.get(line.variant_id) or _sold_variant_wire(line, base_url),
    }
    shown = cast(OrderItemOut, fields)
    if line.product_id in line_products.products:
        shown["product"] = line_products.products[line.product_id]
    return shown


def _totals_of_units(line: OrderLine, part: PartTotals, units: UnitCounts) -> UnitTotals:
    def total_of(count: int) -> int:
        return price_of_units(part.total, line.quantity, count)

    # units for which no further return can be requested
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
    """Return the IVA of a sold line or shipping method. `moments`: the times of its creation and latest change."""
    return {
        **tax_line_view(prefix, owner_id, part.tax_rate, **part_of),
        "raw_rate": exact_value(part.tax_rate),
        "tax_rate_id": None,
        **with_raw_amounts(TaxTotals(total=part.tax_total, subtotal=part.original_tax_total)),
        **moments,
        "deleted_at": None,
    }


def _sold_variant_wire(line: OrderLine, base_url: str) -> JsonDict:
    """Return the data of the variant and its product as they were stored with the order line."""
    return {
        "id": line.variant_id,
        "title": line.variant_title,
        "sku": line.sku,
        "product_id": line.product_id,
        "product": {
            "id": line.product_id,
            "title": line.title,
            "handle": line.product_handle,
            "thumbnail": to_absolute_picture_url(line.thumbnail, base_url),
        },
    }


def _line_detail_wire(
    order: Order, line: OrderLine, fulfillments: Iterable[Fulfillment], returning_units: ReturningUnits
) -> LineDetail:
    active = [fulfillment for fulfillment in fulfillments if fulfillment.canceled_at is None]
    quantities: UnitCounts = {
        "quantity": line.quantity,
        "fulfilled_quantity": line.fulfilled,
        "shipped_quantity": _count_units(
            line, [one for one in active if one.shipped_at and not is_canceled_by_carrier(one)]
        ),
        "delivered_quantity": _count_units(
            line, [fulfillment for fulfillment in active if fulfillment.delivered_at]
        ),
        "return_requested_quantity": returning_units.requested,
        "return_received_quantity": line.returned + returning_units.arrived,
        "return_dismissed_quantity": 0,
        "written_off_quantity": line.withdrawn,
    }
    return {
        "id": derive_sibling_id("orditem", line.id),
        "order_id": order.id,
        "item_id": line.id,
        "version": 1,
        **with_raw_amounts(quantities),
        **with_raw_amounts(UnitPrices(unit_price=None, compare_at_unit_price=None)),
        "metadata": None,
        **stamps(line.created_at, line.updated_at),
        "deleted_at": None,
    }


def _count_units(line: OrderLine, fulfillments: Iterable[Fulfillment]) -> int:
    return sum(
        int(item["quantity"])
        for fulfillment in fulfillments
        for item in fulfillment.items
        if item.get("line_item_id") == line.id
    )
