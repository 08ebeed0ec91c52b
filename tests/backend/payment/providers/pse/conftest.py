from collections.abc import AsyncIterator

import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.gateway_kit import Practice, open_practice


@pytest.fixture
async def practice(sqlite_url: str, settings: Settings) -> AsyncIterator[Practice]:
    """A gateway to practise with. What is tested is the client, so one kind of database is enough."""
    database = Database(sqlite_url)
    async with open_practice(database, settings) as parts:
        yield parts
    await database.close()
