"""Search for variants by words, for lists of the variants of all products."""

from sqlalchemy import ColumnElement, or_

from backend.catalog.models import Product, Variant
from backend.core.collation import MAX_SEARCH_WORDS, fold


def variant_text_conditions(text: str | None) -> list[ColumnElement[bool]]:
    """Return the conditions of `q` on variants joined with their products: each word must be part of one of the texts.

    The texts are the SKU, the bar code, the variant's title and the product's title, which is compared without
    accents. The query reads every row, so no column is folded in it: it uses the stored folded title.
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
