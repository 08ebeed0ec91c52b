"""Totals as the platform shows them. Prices hold the IVA: what is before tax is what is left of them."""

from typing import Any

from backend.edge.wire import JsonDict, exact, sibling_id
from backend.money import IVA_PERCENT, Cop, tax_inside

_PARTS = ("total", "subtotal", "tax_total")


def totals(item_total: Cop, shipping_total: Cop) -> JsonDict:
    """Every total of a cart or an order. The parts add up to the peso: shipping bears the tax that items leave."""
    total = item_total + shipping_total
    tax, item_tax = tax_inside(total), tax_inside(item_total)
    shipping_tax = tax - item_tax
    whole = {"total": total, "subtotal": total - tax, "tax_total": tax}
    items = {"total": item_total, "subtotal": item_total - item_tax, "tax_total": item_tax}
    shipping = {"total": shipping_total, "subtotal": shipping_total - shipping_tax, "tax_total": shipping_tax}
    return {
        **_named("", whole),
        **_named("item_", items),
        **_named("shipping_", shipping),
        **dict.fromkeys(("discount_total", "discount_subtotal", "discount_tax_total"), 0),
        **dict.fromkeys(("item_discount_total", "shipping_discount_total"), 0),
        **dict.fromkeys(("credit_line_total", "credit_line_subtotal", "credit_line_tax_total"), 0),
    }


def priced(amount: Cop) -> JsonDict:
    """The totals of one line or one way to ship, at its whole price."""
    tax = tax_inside(amount)
    plain = {"total": amount, "subtotal": amount - tax, "tax_total": tax}
    discounts = dict.fromkeys(("discount_total", "discount_subtotal", "discount_tax_total"), 0)
    return {**plain, **{f"original_{name}": value for name, value in plain.items()}, **discounts}


def tax_line(prefix: str, owner_id: str, **more: Any) -> JsonDict:
    """The IVA, as a line of tax."""
    return {
        "id": sibling_id(prefix, owner_id),
        "description": "IVA",
        "code": "IVA",
        "rate": IVA_PERCENT,
        "provider_id": "tp_system",
        "data": None,
        "metadata": None,
        **more,
    }


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


def _named(prefix: str, parts: JsonDict) -> JsonDict:
    """The parts and, as there are no discounts, the same again as what they were originally."""
    return {f"{before}{prefix}{name}": parts[name] for before in ("", "original_") for name in _PARTS}
