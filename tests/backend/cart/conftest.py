"""The shop in which carts are filled."""

import pytest

from backend.database import Database
from backend.settings import Settings
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def defaults(database: Database, settings: Settings) -> Defaults:
    return await set_up_defaults(database, settings)
