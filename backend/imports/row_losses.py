"""Values that an import would empty or take away from products of the shop."""

from collections.abc import Mapping
from typing import Any

from backend.catalog.importer.columns import OPTIONS
from backend.catalog.schemas.cell_parsers import normalize_name

CODES = ("sku", "ean")
"""Columns whose change counts as a loss: other programs find the variant by them."""


def find_losses(changes: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """Return the columns of an existing product's row that lose a value.

    Args:
        changes: the value before and after, by column: see `backend.imports.row_changes.find_changes`.
    """
    return [column for column, (before, after) in changes.items() if _is_loss(column, before, after)]


def _is_loss(column: str, before: Any, after: Any) -> bool:
    if before in (None, "", (), 0, False):
        return False
    if column in CODES or after in (None, "", ()):
        return True
    if column in ("stock", "price"):
        return bool(after == 0)
    if column == "status":
        return bool(before == "published")
    if column == OPTIONS:
        titles = {normalize_name(title) for title, _value in after}
        return any(normalize_name(title) not in titles for title, _value in before)
    return isinstance(before, tuple) and not set(before) <= set(after)
