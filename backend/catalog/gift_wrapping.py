"""Gift wrapping: a product like any other, with its price, IVA and stock, that stands in no list.

A shop offers it as soon as it has a product with this code; hidden in the catalogue, it is bought in a cart only.
"""

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import WRAPPING_SKU, Product, Variant, for_sale, has_price
from backend.inventory.statements import available


def can_be_bought() -> ColumnElement[bool]:
    """Return the condition that the variant is for sale and has a price, or is the gift wrapping."""
    is_wrapping = (Variant.sku == WRAPPING_SKU) & Product.deleted_at.is_(None)
    return (for_sale() & has_price()) | is_wrapping


_OFFERED = (
    select(Variant, Product)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.sku == WRAPPING_SKU, can_be_bought(), available(Variant.id) > 0)
)


async def offered_wrapping(session: AsyncSession) -> tuple[Variant, Product] | None:
    """The gift wrapping, while there is any to be had."""
    found = (await session.execute(_OFFERED, {"holder": None})).one_or_none()
    return found and (found[0], found[1])
