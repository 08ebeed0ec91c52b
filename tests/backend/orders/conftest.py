"""A shop in which each label has its own number."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.app import Shop
from backend.core.config.settings import Settings


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Yield a shop whose embedded carrier is not in sandbox mode, so that each label has its own number."""
    settings = Settings(data_dir=tmp_path / "data", database_url=database_url, carrier_sandbox=False)
    shop = Shop(settings)
    yield shop
    await shop.stop()
