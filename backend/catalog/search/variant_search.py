"""Variants by words, in lists of those of all products."""

from sqlalchemy import ColumnElement, or_

from backend.catalog.models import Product, Variant
from backend.core.collation import MOST_WORDS, fold


def with_words(text: str | None) -> list[ColumnElement[bool]]:
    """The conditions of `q` on variants that are joined with their products: each word is a part of one of the texts.

    These are the SKU, the bar code, the variant's title and that of its product; accents do not matter in the last.
    Every row is read: so nothing is folded here, and the product's title is looked at as it is kept folded.
    """
    return [
        or_(
            Product.title_key.contains(fold(word), autoescape=True),
            Variant.sku.icontains(word, autoescape=True),
            Variant.ean.contains(word, autoescape=True),
            Variant.title.icontains(word, autoescape=True),
        )
        for word in (text or "").split()[:MOST_WORDS]
    ]
