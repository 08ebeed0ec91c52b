from collections.abc import AsyncIterator

import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.gateway_kit import GatewayPractice, open_practice


@pytest.fixture
async def practice(database: Database, settings: Settings) -> AsyncIterator[GatewayPractice]:
    """Yield a sandbox gateway. The tests run on SQLite and on PostgreSQL."""
    async with open_practice(database, settings) as parts:
        yield parts
