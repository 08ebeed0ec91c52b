"""Handles of all products, categories and collections for `/sitemap.xml`."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import is_visible_category
from backend.catalog.count_cache import get_or_count
from backend.catalog.models import Category, Collection, Product, Variant, for_sale


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """Handle of a product, category or collection, and the time of its latest change."""

    handle: str
    changed_at: datetime


async def list_category_entries(session: AsyncSession) -> list[SitemapEntry]:
    """Return the sitemap entries of the categories that shoppers see."""
    query = select(Category.handle, Category.updated_at).where(is_visible_category())
    rows = await session.execute(query.order_by(Category.handle))
    return [SitemapEntry(handle, changed_at) for handle, changed_at in rows]


async def list_collection_entries(session: AsyncSession) -> list[SitemapEntry]:
    """Return the sitemap entries of the collections that shoppers see."""
    query = select(Collection.handle, Collection.updated_at).where(Collection.is_active)
    rows = await session.execute(query.order_by(Collection.handle))
    return [SitemapEntry(handle, changed_at) for handle, changed_at in rows]


async def count_products(session: AsyncSession) -> int:
    """Count the products for sale."""

    async def count() -> int:
        return (
            await session.execute(select(func.count()).select_from(Product).where(for_sale()))
        ).scalar_one()

    return await get_or_count(session, "products for sale", count)


async def list_product_entries(session: AsyncSession, *, offset: int = 0, limit: int) -> list[SitemapEntry]:
    """Return a page of the products for sale in creation order.

    Changes of their variants count as changes of the product.
    """
    newest = func.max(Variant.updated_at)
    rows = await session.execute(
        select(
            Product.handle,
            case((newest > Product.updated_at, newest), else_=Product.updated_at).label("changed_at"),
        )
        .join(Variant, Variant.product_id == Product.id)
        .where(for_sale())
        .group_by(Product.id)
        .order_by(Product.id)
        .offset(offset)
        .limit(limit)
    )
    return [SitemapEntry(handle, changed_at) for handle, changed_at in rows]
