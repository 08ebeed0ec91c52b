"""Where stock lies."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.errors import NotFound
from backend.shipping.models import StockLocation


async def the_location(session: AsyncSession, location_id: str | None = None) -> str:
    """The id of this location; of the only one when none is named.

    Raises:
        NotFound: there is no such location, or there are several to choose from.
    """
    found = await session.execute(select(StockLocation.id, StockLocation.name).order_by(StockLocation.id))
    locations = dict(found.all())
    if location_id is not None:
        if location_id not in locations:
            raise NotFound(f"Stock location with id: {location_id} was not found")
        return location_id
    if len(locations) != 1:
        names = ", ".join(f"{one} ({name})" for one, name in locations.items()) or "none: seed the shop first"
        raise NotFound(f"Name one of the stock locations: {names}")
    return next(iter(locations))
