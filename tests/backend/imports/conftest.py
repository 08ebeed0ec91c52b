from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.app import Shop
from backend.catalog.models import Category
from backend.core.config.settings import Settings
from tests.backend.imports.sender import Sender
from tests.store_defaults import Defaults, set_up_defaults


@pytest.fixture
async def shop(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=sqlite_url))
    yield shop
    await shop.stop()


@pytest.fixture
async def defaults(shop: Shop) -> Defaults:
    defaults = await set_up_defaults(shop.database, shop.settings)
    async with shop.database.transaction() as session:
        session.add(Category(name="Madera", handle="madera"))
    return defaults


@pytest.fixture
def sender(shop: Shop, defaults: Defaults) -> Sender:
    return Sender(shop, defaults)
