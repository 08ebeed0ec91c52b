"""The handles of all products and categories, for `/sitemap.xml`."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.count_cache import counted
from backend.catalog.models import Category, Product, Variant, for_sale


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """The handle of a product or a category, and when it last changed."""

    handle: str
    changed_at: datetime


async def listed_categories(session: AsyncSession) -> list[SitemapEntry]:
    """Return all categories: each has its page."""
    rows = await session.execute(select(Category.handle, Category.updated_at).order_by(Category.handle))
    return [SitemapEntry(handle, changed_at) for handle, changed_at in rows]


async def count_products(session: AsyncSession) -> int:
    """How many products are for sale."""

    async def count() -> int:
        return (
            await session.execute(select(func.count()).select_from(Product).where(for_sale()))
        ).scalar_one()

    return await counted(session, "products for sale", count)


async def listed_products(session: AsyncSession, *, offset: int = 0, limit: int) -> list[SitemapEntry]:
    """A page of the products for sale, in the order they were created. A new price or variant changes a product too."""
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
