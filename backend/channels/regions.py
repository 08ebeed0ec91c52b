"""Regions as new carts need them (wire: commerce-api, Carts)."""

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import Region
from backend.core.caching.version_probe import VersionProbe
from backend.core.db.database import Database
from backend.core.errors import NotFound

NO_REGION = "No regions found"
_FIRST = select(Region).order_by(Region.id).limit(1)
_ONE = select(Region).where(Region.id == bindparam("region_id"))


async def read_region(session: AsyncSession, region_id: str | None) -> Region | None:
    """The region with this id, or the first one; None when there is none."""
    query = _FIRST if region_id is None else _ONE
    return (await session.execute(query, {"region_id": region_id})).scalar_one_or_none()


class Regions:
    """The regions, each read again only after the catalogue has changed."""

    def __init__(self, database: Database, probe: VersionProbe) -> None:
        self._database = database
        self._probe = probe

    async def require(self, region_id: str | None) -> Region:
        """The region with this id, or the first one; to be read, not to be changed.

        Raises:
            NotFound: no such region.
        """

        async def read() -> Region | None:
            async with self._database.read() as session:
                return await read_region(session, region_id)

        region = await self._probe.cached(("region", region_id), read)
        if region is None:
            raise NotFound(NO_REGION)
        return region
