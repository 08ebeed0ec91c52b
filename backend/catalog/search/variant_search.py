"""Search for variants by words, for lists of the variants of all products."""

from sqlalchemy import ColumnElement, or_

from backend.catalog.models import Product, Variant
from backend.core.collation import MAX_SEARCH_WORDS, fold


def variant_text_conditions(text: str | None) -> list[ColumnElement[bool]]:
    """Return the SQL conditions of the parameter `q`, for variants joined with their products.

    Each word must be part of the SKU, the bar code, the variant's title or the product's title. Only the product's
    title is compared without accents, because the database stores it without accents (`title_key`).
    """
    return [
        or_(
            Product.title_key.contains(fold(word), autoescape=True),
            Variant.sku.icontains(word, autoescape=True),
            Variant.ean.contains(word, autoescape=True),
            Variant.title.icontains(word, autoescape=True),
        )
        for word in (text or "").split()[:MAX_SEARCH_WORDS]
    ]
