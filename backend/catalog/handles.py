"""Handles: how they are made, that they are unique, and the products that had one before."""

from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Collection, FormerHandle, Product, for_sale
from backend.core.collation import fold
from backend.core.errors import InvalidData

LONGEST_HANDLE = 200
"""Characters of one that is made."""
_CALLED = {Product: "Product", Collection: "Product collection", Category: "Product category"}


def is_handle(text: str) -> bool:
    """Whether it can be in an address as it is: letters without accents, digits, hyphens, underscores and dots."""
    return bool(text) and all(letter.isascii() and (letter.isalnum() or letter in "-_.") for letter in text)


def handle_from(title: str) -> str:
    """The handle for a title: lower case, without accents, hyphens between the words."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in fold(title))
    return "-".join(letters.split())[:LONGEST_HANDLE].rstrip("-")


def brand_handle(brand: str) -> str:
    """The handle of a brand's page. Brands that differ only in case, accents and signs have one page together.

    A name without any letter or digit that a handle may hold is known by its digest.
    """
    return handle_from(brand) or f"x{sha256(brand.encode()).hexdigest()[:12]}"


async def require_free_handle(session: AsyncSession, owner: Product | Collection | Category) -> None:
    """Refuse a handle that is empty or that another one of the same kind has.

    Raises:
        InvalidData: it is refused.
    """
    kind = type(owner)
    if not owner.handle:
        raise InvalidData("Invalid request: Field 'handle' is required")
    taken = select(kind.id).where(kind.handle == owner.handle, kind.id != owner.id)
    if (await session.execute(taken)).first():
        raise InvalidData(f"{_CALLED[kind]} with handle: {owner.handle}, already exists.")


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
