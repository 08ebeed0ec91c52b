"""A shop whose labels have distinct numbers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.app import Shop
from backend.core.config.settings import Settings


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return a shop with real labels of the embedded carrier, each with a separate number."""
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url, carrier_sandbox=False)
    shop = Shop(settings)
    yield shop
    await shop.stop()
