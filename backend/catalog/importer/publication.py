"""Status of the products that an import creates or restores.

They are drafts unless the file or a person publishes them. A product with a price of 0 is always a draft.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from backend.catalog.importer.row_matching import MatchedRow
from backend.catalog.importer.row_reader import Note

PUBLISHED, DRAFT = "published", "draft"
PRICE_ZERO = "price zero"
"""Code of the note that a product is a draft because a price is 0."""


def set_new_statuses(
    matched_rows: Sequence[MatchedRow], *, publishes: bool, hidden_lines: Collection[int] = ()
) -> list[MatchedRow]:
    """Return the rows, with a status for each product that they create or restore.

    Args:
        matched_rows: all rows of each product.
        publishes: True if products without a status in the file are published.
        hidden_lines: rows whose new products are drafts, even if the file publishes them.
    """
    hidden = {
        key
        for one in matched_rows
        if (key := _new_product_key(one)) and (_is_unpriced(one) or one.row.line in hidden_lines)
    }
    with_status: set[str] = set()
    results = []
    for one in matched_rows:
        key = _new_product_key(one)
        row = one.row
        if key and _is_unpriced(one):
            row = replace(row, notes=(*row.notes, Note("price", PRICE_ZERO, str(row.get("price") or 0))))
        if key and key not in with_status:
            with_status.add(key)
            status = row.get("status") or (PUBLISHED if publishes else DRAFT)
            if status == PUBLISHED and key in hidden:
                status = DRAFT
            row = replace(row, values={**row.values, "status": status})
        results.append(replace(one, row=row))
    return results


def _new_product_key(matched: MatchedRow) -> str:
    """Return a key of the product that a row creates or restores; empty for any other row."""
    match = matched.match
    if match is None:
        return ""
    if match.product is None:
        return f"handle {matched.row.values['handle']}"
    return f"id {match.product.id}" if match.product.deleted_at is not None else ""


def _is_unpriced(matched: MatchedRow) -> bool:
    """Return True if the row's variant has a price of 0 and may not be sold for it."""
    row, variant = matched.row, matched.match.variant if matched.match is not None else None
    price = row.values.get("price", variant.price if variant is not None else None)
    return price == 0 and not row.values.get("is_free", variant is not None and variant.is_free)
