"""Where a handle leads that names no product for sale: elsewhere, nowhere any more, or nowhere at all."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.conditions import for_sale
from backend.catalog.models import FormerHandle, Product


async def moved_to(session: AsyncSession, handle: str) -> str | None:
    """The handle under which the product that once had this one is sold now; None when there is no such product."""
    found = await session.execute(
        select(Product.handle)
        .join(FormerHandle, FormerHandle.product_id == Product.id)
        .where(FormerHandle.handle == handle, for_sale())
    )
    return found.scalar_one_or_none()


async def was_deleted(session: AsyncSession, handle: str) -> bool:
    """Whether the product with this handle, or the one that once had it, has been deleted."""
    former = select(FormerHandle.product_id).where(FormerHandle.handle == handle)
    found = await session.execute(
        select(Product.id)
        .where((Product.handle == handle) | Product.id.in_(former), Product.deleted_at.is_not(None))
        .limit(1)
    )
    return found.scalar_one_or_none() is not None
