"""Gift wrapping: a product with its own price, IVA and stock, which no product list shows.

A shop offers gift wrapping if it has a product with the SKU `WRAPPING_SKU`. That product is hidden in the
catalogue, and is sold only in the cart.
"""

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import WRAPPING_SKU, Product, Variant, for_sale, has_price
from backend.inventory.statements import available_units_query


def can_be_bought() -> ColumnElement[bool]:
    """Return the SQL condition for variants that are for sale and have a price, or that are the gift wrapping."""
    is_wrapping = (Variant.sku == WRAPPING_SKU) & Product.deleted_at.is_(None)
    return (for_sale() & has_price()) | is_wrapping


_OFFERED = (
    select(Variant, Product)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.sku == WRAPPING_SKU, can_be_bought(), available_units_query(Variant.id) > 0)
)


async def find_gift_wrapping(session: AsyncSession) -> tuple[Variant, Product] | None:
    """Return the gift wrapping, or None if no unit is available."""
    found = (await session.execute(_OFFERED, {"holder": None})).one_or_none()
    return found and (found[0], found[1])
