"""Regions for new carts (wire: commerce-api, Carts)."""

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import Region
from backend.core.caching.version_probe import VersionProbe
from backend.core.db.database import Database
from backend.core.errors import NotFound

NO_REGION = "No regions found"
_FIRST_REGION = select(Region).order_by(Region.id).limit(1)
_REGION_BY_ID = select(Region).where(Region.id == bindparam("region_id"))


async def read_region(session: AsyncSession, region_id: str | None) -> Region | None:
    """Return the region with this id, or by default the first one; None if there is none."""
    query = _FIRST_REGION if region_id is None else _REGION_BY_ID
    return (await session.execute(query, {"region_id": region_id})).scalar_one_or_none()


class Regions:
    """A cache of the regions, invalidated when the catalogue changes."""

    def __init__(self, database: Database, probe: VersionProbe) -> None:
        self._database = database
        self._probe = probe

    async def require(self, region_id: str | None) -> Region:
        """Return the region with this id, or by default the first one. The row is read-only.

        Raises:
            NotFound: there is no such region.
        """

        async def read() -> Region | None:
            async with self._database.read() as session:
                return await read_region(session, region_id)

        region = await self._probe.read_cached(("region", region_id), read)
        if region is None:
            raise NotFound(NO_REGION)
        return region
