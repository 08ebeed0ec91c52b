"""Prices as displayed to shoppers; a free variant is «Gratis»."""

from backend.catalog.models import Variant
from backend.core.money import Cop, format_cop
from backend.core.texts import _

FREE = _("Gratis")


def format_price(variant: Variant) -> str:
    """Return the variant's price as text.

    A price of 0 is displayed as free if the variant may be sold for 0. Otherwise its price was not entered yet, and
    `$ 0` is displayed.
    """
    return FREE if not variant.price and variant.has_price else format_cop(variant.price)


def format_sold_price(amount: Cop) -> str:
    """Return the price before discounts of a cart or order line, as text. An amount of 0 is displayed as free."""
    return format_cop(amount) if amount else FREE
