"""Regions as new carts need them (wire: commerce-api, Carts)."""

from sqlalchemy import bindparam, select

from backend.catalog.models import Region
from backend.catalog.version_probe import VersionProbe
from backend.database import Database
from backend.errors import NotFound

NO_REGION = "No regions found"
_FIRST = select(Region).order_by(Region.id).limit(1)
_ONE = select(Region).where(Region.id == bindparam("region_id"))


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
        query = _FIRST if region_id is None else _ONE

        async def read() -> Region | None:
            async with self._database.read() as session:
                return (await session.execute(query, {"region_id": region_id})).scalar_one_or_none()

        region = await self._probe.cached(f"region {region_id}", read)
        if region is None:
            raise NotFound(NO_REGION)
        return region
