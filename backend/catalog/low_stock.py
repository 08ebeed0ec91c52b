"""Products for sale whose stock is low or used up."""

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, for_sale
from backend.inventory.models import InventoryLevel
from backend.office_settings import read_low_stock


async def select_low_stock(session: AsyncSession) -> Select[str, str, int]:
    """Return a query of the products for sale that have low stock, with the columns id, title and `units`.

    A product has low stock if one of its variants has few unreserved units at a location: at most the
    product's limit or, without one, the shop's limit. `units` is the smallest of these numbers of unreserved
    units.
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
