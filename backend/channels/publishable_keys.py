"""Publishable keys: each names the sales channel that a program sells in (wire: commerce-api, Conventions)."""

from sqlalchemy import select

from backend.channels.models import PublishableKey
from backend.core.caching.version_probe import VersionProbe
from backend.core.db.database import Database


class PublishableKeys:
    """A cache of the keys, invalidated when the catalogue changes."""

    def __init__(self, database: Database, probe: VersionProbe) -> None:
        self._database = database
        self._probe = probe

    async def find_sales_channel(self, key: str) -> str | None:
        """Return the id of the key's sales channel; None if the key is unknown or revoked."""

        async def read() -> str | None:
            query = select(PublishableKey.sales_channel_id).where(
                PublishableKey.token == key, PublishableKey.revoked_at.is_(None)
            )
            async with self._database.read() as session:
                return (await session.execute(query)).scalar_one_or_none()

        return await self._probe.read_cached(("publishable key", key), read)
