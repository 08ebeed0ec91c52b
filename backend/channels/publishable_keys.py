"""Publishable keys: each names the sales channel that a program sells in (wire: commerce-api, Conventions)."""

from sqlalchemy import select

from backend.channels.models import PublishableKey
from backend.core.caching.version_probe import VersionProbe
from backend.core.db.database import Database


class PublishableKeys:
    """The keys, read again only after the catalogue has changed."""

    def __init__(self, database: Database, probe: VersionProbe) -> None:
        self._database = database
        self._probe = probe

    async def sales_channel(self, key: str) -> str | None:
        """The id of the sales channel that the key names; None when nobody knows the key or it is revoked."""

        async def read() -> str | None:
            query = select(PublishableKey.sales_channel_id).where(
                PublishableKey.token == key, PublishableKey.revoked_at.is_(None)
            )
            async with self._database.read() as session:
                return (await session.execute(query)).scalar_one_or_none()

        return await self._probe.cached(("publishable key", key), read)
