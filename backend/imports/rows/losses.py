"""Values that an import would empty or take away from products of the shop."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.row_matching import KnownProducts, match_rows
from backend.catalog.importer.row_reader import Row
from backend.catalog.importer.source_rows import find_titled_rows
from backend.catalog.schemas.cell_parsers import normalize_name
from backend.imports.picture_matching import Album
from backend.imports.rows.changes import find_changes, read_current_values
from backend.media.picture_widths import PreparedPicture

CODES = ("sku", "ean")
"""Columns whose change counts as a loss: other programs find the variant by them."""


def find_losses(changes: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """Return the columns of an existing product's row that lose a value.

    Args:
        changes: the value before and after, by column: see `backend.imports.rows.changes.find_changes`.
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


async def count_losses(
    session: AsyncSession, rows: Sequence[Row], pictures: Mapping[str, PreparedPicture], location_id: str
) -> Counter[str]:
    """Return the number of rows that lose a value, by column.

    Args:
        session: the session.
        rows: rows of a file, with all rows of each product.
        pictures: the rows' pictures, by the names in the file.
        location_id: the location whose stock is compared.
    """
    titled = find_titled_rows(rows)
    known = await KnownProducts.read(session, [*rows, *titled.values()])
    matched = [
        (one.row, one.match.product, one.match.variant)
        for one in match_rows(known, rows, titled)
        if one.match is not None and one.match.product is not None
    ]
    pairs = [(product, variant) for _row, product, variant in matched]
    values = await read_current_values(session, pairs, location_id)
    album, places = Album(shop_pictures=dict(pictures)), await ProductGroups.read(session)
    counts: Counter[str] = Counter()
    for (row, _product, _variant), now in zip(matched, values, strict=True):
        counts.update(find_losses(find_changes(row.values, now, album, places)))
    return counts
