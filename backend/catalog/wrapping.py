"""Gift wrapping: a product like any other, with its price, IVA and stock, that stands in no list.

A shop offers it as soon as it has a product with this code; hidden in the catalogue, it is bought in a cart only.
"""

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, for_sale
from backend.inventory.service import available_units

WRAPPING_SKU = "ENVOLTURA"


def can_be_bought() -> ColumnElement[bool]:
    """The variant's product is for sale, or is the gift wrapping."""
    return for_sale() | ((Variant.sku == WRAPPING_SKU) & Product.deleted_at.is_(None))


async def offered_wrapping(session: AsyncSession) -> tuple[Variant, Product] | None:
    """The gift wrapping, while there is any to be had."""
    query = select(Variant, Product).join(Product, Product.id == Variant.product_id)
    found = (await session.execute(query.where(Variant.sku == WRAPPING_SKU, can_be_bought()))).one_or_none()
    if found is None:
        return None
    variant, product = found
    units = await available_units(session, [variant.id])
    return (variant, product) if units[variant.id] > 0 else None
