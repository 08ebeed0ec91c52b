"""One shop for all attacks of a worker: the production build, served as a shop is."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import ShopServer


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """A running shop that strangers send anything to."""
    shop = ShopServer(tmp_path_factory.mktemp("attacked"))
    shop.start()
    yield shop
    shop.stop()
