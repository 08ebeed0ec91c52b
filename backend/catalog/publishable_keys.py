"""Publishable keys: each names the sales channel that a program sells in (wire: commerce-api, Conventions)."""

from sqlalchemy import select

from backend.catalog.models import PublishableKey
from backend.catalog.version_probe import VersionProbe
from backend.database import Database, db_now


class PublishableKeys:
    """The keys, read again only after the catalogue has changed."""

    def __init__(self, database: Database, probe: VersionProbe) -> None:
        self._database = database
        self._probe = probe

    async def sales_channel(self, key: str) -> str | None:
        """The id of the sales channel that the key names; None when nobody knows the key or it is revoked."""
        ending: str | None = None

        async def read() -> str | None:
            nonlocal ending
            query = select(PublishableKey.sales_channel_id, PublishableKey.revoked_at).where(
                PublishableKey.token == key,
                PublishableKey.revoked_at.is_(None) | (PublishableKey.revoked_at > db_now()),
            )
            async with self._database.read() as session:
                found = (await session.execute(query)).one_or_none()
            if found is None:
                return None
            channel_id, revoked_at = found
            if revoked_at is None:
                return channel_id
            ending = channel_id  # not to be cached: that moment changes nothing in the catalogue
            return None

        return await self._probe.cached(key, read) or ending
