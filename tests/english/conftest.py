"""A shop in English. These tests run in a process of their own, started by `tests/test_english.py`."""

import pytest

from backend.app import Shop
from backend.core.texts import language
from tests.store_defaults import Defaults, make_toy
from tests.storefront.conftest import defaults, shop, shopper

__all__ = ["defaults", "shop", "shopper"]


@pytest.fixture(autouse=True, scope="session")
def _in_english() -> None:
    assert language == "en"


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    """A toy that needs no Spanish. Returns its variant."""
    async with shop.database.transaction() as session:
        return await make_toy(
            session,
            defaults,
            "robot",
            title="Robot",
            description="It walks.",
            stock=5,
            price=18_900,
            featured=True,
        )
