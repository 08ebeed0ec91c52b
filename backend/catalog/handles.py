"""Handles: creation from a title, uniqueness, and lookup of former handles."""

from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Collection, FormerHandle, Product, for_sale
from backend.core.collation import fold
from backend.core.errors import InvalidData

MAX_HANDLE_LENGTH = 200
"""Maximum length in characters of a generated handle."""
_KIND_NAMES = {Product: "Product", Collection: "Product collection", Category: "Product category"}


def is_handle(text: str) -> bool:
    """Return True if the text has only ASCII letters, digits, hyphens, underscores and dots, and is not empty."""
    return bool(text) and all(letter.isascii() and (letter.isalnum() or letter in "-_.") for letter in text)


def make_handle(title: str) -> str:
    """Return the handle for a title: lower case, without accents, with hyphens between the words."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in fold(title))
    return "-".join(letters.split())[:MAX_HANDLE_LENGTH].rstrip("-")


def brand_handle(brand: str) -> str:
    """Return the handle of a brand's page. Brands that differ only in case, accents and signs share one page.

    For a name without ASCII letters and digits, return a digest of the name.
    """
    return make_handle(brand) or f"x{sha256(brand.encode()).hexdigest()[:12]}"


async def require_free_handle(session: AsyncSession, owner: Product | Collection | Category) -> None:
    """Check that the handle of `owner` is not empty, and that no other object of the same kind has it.

    Raises:
        InvalidData: the handle is empty or taken.
    """
    if not owner.handle:
        raise InvalidData("Invalid request: Field 'handle' is required")
    if await is_handle_taken(session, owner, owner.handle):
        raise InvalidData(f"{_KIND_NAMES[type(owner)]} with handle: {owner.handle}, already exists.")


async def is_handle_taken(session: AsyncSession, owner: Product | Collection | Category, handle: str) -> bool:
    """Return True if this handle belongs to another object of the same kind as `owner`."""
    kind = type(owner)
    taken = select(kind.id).where(kind.handle == handle, kind.id != owner.id)
    return (await session.execute(taken)).first() is not None


async def find_current_handle(session: AsyncSession, handle: str) -> str | None:
    """Return the current handle of the product that had this handle before; None if no product for sale had it."""
    found = await session.execute(
        select(Product.handle)
        .join(FormerHandle, FormerHandle.product_id == Product.id)
        .where(FormerHandle.handle == handle, for_sale())
    )
    return found.scalar_one_or_none()


async def is_deleted_product(session: AsyncSession, handle: str) -> bool:
    """Return True if the product that has or had this handle was deleted."""
    former = select(FormerHandle.product_id).where(FormerHandle.handle == handle)
    found = await session.execute(
        select(Product.id)
        .where((Product.handle == handle) | Product.id.in_(former), Product.deleted_at.is_not(None))
        .limit(1)
    )
    return found.scalar_one_or_none() is not None
