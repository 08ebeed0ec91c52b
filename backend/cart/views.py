"""What a cart shows."""

from dataclasses import dataclass

from backend.catalog.views import PictureView
from backend.money import Cop


@dataclass(frozen=True, slots=True)
class CartLine:
    """One line of a cart.

    `problem` is what a shopper must know before paying: `gone` (not for sale any more, or none left), `short` (fewer
    left than asked for: `max_quantity`), or None.
    """

    id: str
    variant_id: str
    product_id: str
    product_handle: str
    title: str
    brand: str
    quantity: int
    max_quantity: int
    unit_price: Cop
    unit_price_label: str
    compare_at_label: str | None
    line_total: Cop
    line_total_label: str
    picture: PictureView | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class CartView:
    """A cart with its totals, at today's prices. `shipping_total` is None while nothing is quoted."""

    id: str
    lines: list[CartLine]
    count: int
    item_total: Cop
    item_total_label: str
    shipping_name: str
    shipping_total: Cop | None
    shipping_total_label: str
    total: Cop
    total_label: str
    tax_label: str
    """The IVA that the total holds."""
