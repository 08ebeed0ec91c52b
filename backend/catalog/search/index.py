"""Update the shoppers' and the staff's search index after products change."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.derived_models import ProductTerm
from backend.catalog.models import Product, Variant
from backend.catalog.search.engine import search_engine
from backend.catalog.search.query_words import MAX_TERM_LENGTH, split_words


async def index_products(session: AsyncSession, product_ids: Sequence[str]) -> None:
    """Update the search indexes for these products.

    The shoppers' index contains only products for sale. The staff's index contains all products that are not
    deleted.
    """
    await _index_for_staff(session, product_ids)
    await search_engine(session).index(session, product_ids)


def staff_terms(title: str, handle: str, codes: Iterable[str]) -> set[str]:
    """Return the words by which staff find a product.

    These are the words of title and handle, and the product's codes, whole and in parts.
    """
    terms = {*split_words(title), *split_words(handle)}
    for code in codes:
        parts = split_words(code)
        terms.update(parts, ["".join(parts)[:MAX_TERM_LENGTH]] if parts else [])
    return terms


async def _index_for_staff(session: AsyncSession, product_ids: Sequence[str]) -> None:
    await session.execute(delete(ProductTerm).where(ProductTerm.product_id.in_(product_ids)))
    not_deleted = select(Product.id, Product.title, Product.handle).where(
        Product.id.in_(product_ids), Product.deleted_at.is_(None)
    )
    products = (await session.execute(not_deleted)).all()
    codes: dict[str, list[str]] = {product_id: [] for product_id, _title, _handle in products}
    variants = select(Variant.product_id, Variant.sku, Variant.ean).where(Variant.product_id.in_(codes))
    for product_id, sku, ean in await session.execute(variants):
        codes[product_id] += [code for code in (sku, ean) if code]
    rows = [
        {"term": term, "product_id": product_id}
        for product_id, title, handle in products
        for term in staff_terms(title, handle, codes[product_id])
    ]
    if rows:
        await session.execute(insert(ProductTerm), rows)
