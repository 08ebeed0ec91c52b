"""A shop in English. `tests/test_english.py` starts these tests in a separate process."""

import pytest

from backend.app import Shop
from backend.core.texts import language
from tests.store_defaults import Defaults, add_product
from tests.storefront.conftest import defaults, shop, shopper

__all__ = ["defaults", "shop", "shopper"]


@pytest.fixture(autouse=True, scope="session")
def _in_english() -> None:
    assert language == "en"


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Create a product without Spanish text. Return its variant."""
    async with shop.database.transaction() as session:
        return await add_product(
            session,
            defaults,
            "robot",
            title="Robot",
            description="It walks.",
            stock=5,
            price=18_900,
            featured=True,
        )
