"""Products for sale whose stock is low or used up."""

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, for_sale
from backend.inventory.models import InventoryLevel
from backend.office_settings import read_low_stock


async def select_low_stock(session: AsyncSession) -> Select[str, str, int]:
    """Return the query of the id, the title and the `units` of the products that have low stock.

    `units` are the fewest free units of a variant at a location. The stock is low with as many units as the product's
    own limit, or the shop's.
    """
    usual = await read_low_stock(session)
    free = (InventoryLevel.stocked - InventoryLevel.reserved).label("free")
    return (
        select(Product.id, Product.title, func.min(free).label("units"))
        .join(Variant, Variant.product_id == Product.id)
        .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        .where(free <= func.coalesce(Product.low_stock_at, usual), for_sale())
        .group_by(Product.id, Product.title)
    )
