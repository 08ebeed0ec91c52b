"""A stockroom with ten wooden tops, a staff member, and its movements."""

from collections.abc import Sequence

from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Variant
from backend.inventory.models import StockMovement
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product

ANA = Actor("user_ana", Role.STOCKROOM)
EAN = "7701234567897"


async def wooden_tops(shop: Shop, defaults: Defaults) -> tuple[str, str]:
    """Create ten units, and return their variant and location."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo-de-madera", stock=10)
        (await session.get_one(Variant, variant_id)).ean = EAN
    return variant_id, defaults.location_id


async def moved(shop: Shop) -> Sequence[StockMovement]:
    """Return every stock movement, oldest first."""
    async with shop.database.read() as session:
        query = select(StockMovement).order_by(StockMovement.created_at, StockMovement.id)
        return (await session.execute(query)).scalars().all()
