from collections.abc import AsyncIterator

import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.gateway_kit import GatewayPractice, open_practice


@pytest.fixture
async def practice(sqlite_url: str, settings: Settings) -> AsyncIterator[GatewayPractice]:
    """Yield a sandbox gateway with its client. These tests check the client, so SQLite is enough."""
    database = Database(sqlite_url)
    async with open_practice(database, settings) as parts:
        yield parts
    await database.close()
