"""Sentences about preorders."""

from datetime import date

from backend.catalog.models import variant_name
from backend.core.dates import day_name
from backend.core.texts import _


def describe_preorder_day(day: date | None) -> str:
    """Return the sentence about a preorder whose units arrive on this day; empty if `day` is None."""
    return "" if day is None else _("Preventa: llega a la tienda el {day}").format(day=day_name(day))


def describe_variant(title: str, preorder_day: date | None) -> str:
    """Return the variant's name and its preorder, to display below the product's title."""
    return " · ".join(filter(None, (variant_name(title), describe_preorder_day(preorder_day))))
