"""Prices as shoppers read them: a free variant is «Gratis»."""

from backend.catalog.models import Variant
from backend.core.money import Cop, format_cop
from backend.core.texts import _

FREE = _("Gratis")


def format_price(variant: Variant) -> str:
    """Return the variant's price. A price of 0 that nobody has typed yet is no gift: it stays `$ 0`."""
    return FREE if not variant.price and variant.has_price else format_cop(variant.price)


def format_sold_price(amount: Cop) -> str:
    """Return what a line of a cart or an order costs before discounts: of 0, it was sold as free."""
    return format_cop(amount) if amount else FREE
