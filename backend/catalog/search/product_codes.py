"""Search for a product by its exact code: a number is a price only if no product has it as SKU or bar code."""

import re

from sqlalchemy import Select, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.bar_codes import equivalent_codes
from backend.catalog.models import Product, Variant, for_sale
from backend.catalog.search.matches import Matches
from backend.catalog.search.query_intents import ShopperSearch, parse_search
from backend.catalog.search.query_words import MAX_TERM_LENGTH, ParsedQuery, QueryTerm, SearchWords

MIN_CODE_DIGITS = 5
"""Minimum digits of a search that is looked up as a code. A shorter number may be part of a title, such as 100."""
_CODE = re.compile(r"[0-9](?:[ -]?[0-9])*")
"""A code of digits, with or without spaces or hyphens between them."""


async def read_search(session: AsyncSession, text: str, words: SearchWords) -> ShopperSearch:
    """Parse a shopper's search. The exact code of a product for sale finds that product only.

    A bar code may have other leading zeros than the stored one, as scanners report it.
    """
    code = text.strip()
    digits = _to_digits(code)
    is_number = bool(_CODE.fullmatch(code)) and MIN_CODE_DIGITS <= len(digits) <= MAX_TERM_LENGTH
    if is_number and (await session.execute(_products_with_code(code).limit(1))).first():
        return ShopperSearch(ParsedQuery((QueryTerm(digits),)), code=code)
    return parse_search(text, words)


def match_code(code: str) -> Matches:
    """Return the products for sale that have a variant with this SKU or bar code."""
    return Matches(_products_with_code(code).distinct().subquery())


def _products_with_code(code: str) -> Select[str, int]:
    digits = _to_digits(code)
    has_code = or_(Variant.sku.in_({code, digits}), Variant.ean.in_(equivalent_codes(digits)))
    return (
        select(Variant.product_id, literal(1).label("score"))
        .join(Product, Product.id == Variant.product_id)
        .where(for_sale(), has_code)
    )


def _to_digits(code: str) -> str:
    return code.replace(" ", "").replace("-", "")
