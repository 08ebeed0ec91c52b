"""The shop in which carts are filled."""

import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)
