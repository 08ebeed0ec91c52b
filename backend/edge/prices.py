"""Totals as the platform shows them: `backend.pricing` has added them up, here they only get their names.

What the platform calls `subtotal` is before tax and before discounts: subtotal − discount_subtotal + tax_total = total.
"""

from typing import Any

from backend.edge.wire import JsonDict, exact, sibling_id
from backend.money import Cop
from backend.pricing import CartTotals, PartTotals, Totals

_DISCOUNTS = ("discount_total", "discount_subtotal", "discount_tax_total")
_NO_CREDIT = dict.fromkeys(("credit_line_total", "credit_line_subtotal", "credit_line_tax_total"), 0)


def totals(cart: CartTotals) -> JsonDict:
    """Every total of a cart or an order."""
    return {
        **_named("", cart),
        **_named("item_", cart.items),
        **_named("shipping_", cart.shipping),
        **_discounts(cart),
        "item_discount_total": cart.items.discount_total,
        "shipping_discount_total": cart.shipping.discount_total,
        **_NO_CREDIT,
    }


def priced(part: Totals) -> JsonDict:
    """The totals of one line or one way to ship."""
    return {**_named("", part), **_discounts(part)}


def tax_line(prefix: str, owner_id: str, rate: int, **more: Any) -> JsonDict:
    """The IVA at `rate` percent, as a line of tax."""
    return {
        "id": sibling_id(prefix, owner_id),
        "description": "IVA",
        "code": "IVA",
        "rate": rate,
        "provider_id": "tp_system",
        "data": None,
        "metadata": None,
        **more,
    }


def adjustments(prefix: str, owner_id: str, part: PartTotals | None, **more: Any) -> list[JsonDict]:
    """What was taken off a line or a way to ship. `prefix` and `owner_id` make the ids."""
    taken = part.adjustments if part else ()
    return [
        {
            "id": f"{sibling_id(prefix, owner_id)}{number}",
            "amount": adjustment.amount,
            "code": adjustment.code or None,
            "description": adjustment.description or None,
            "promotion_id": adjustment.promotion_id,
            "provider_id": None,
            "is_tax_inclusive": True,
            **more,
        }
        for number, adjustment in enumerate(taken)
    ]


def price(price_id: str, amount: Cop, original: Cop | None = None) -> JsonDict:
    """A calculated price. `original` is what it was before it was lowered, where it was."""
    before = amount if original is None else original
    is_sale = before > amount
    return {
        "id": price_id,
        "is_calculated_price_price_list": is_sale,
        "is_calculated_price_tax_inclusive": True,
        "calculated_amount": amount,
        "raw_calculated_amount": exact(amount),
        "is_original_price_price_list": False,
        "is_original_price_tax_inclusive": True,
        "original_amount": before,
        "raw_original_amount": exact(before),
        "currency_code": "cop",
        "calculated_price": _price_row(price_id, "sale" if is_sale else None),
        "original_price": _price_row(price_id, None),
    }


def _price_row(price_id: str, list_type: str | None) -> JsonDict:
    return {
        "id": sibling_id("price", price_id),
        "price_list_id": None,
        "price_list_type": list_type,
        "min_quantity": None,
        "max_quantity": None,
    }


def _named(prefix: str, part: Totals) -> JsonDict:
    return {
        f"{prefix}total": part.total,
        f"{prefix}subtotal": part.original_subtotal,
        f"{prefix}tax_total": part.tax_total,
        f"original_{prefix}total": part.original_total,
        f"original_{prefix}subtotal": part.original_subtotal,
        f"original_{prefix}tax_total": part.original_tax_total,
    }


def _discounts(part: Totals) -> JsonDict:
    return {name: getattr(part, name) for name in _DISCOUNTS}
