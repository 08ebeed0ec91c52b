"""The shop under attack: the production build, served as in production, one for each test worker."""

from collections.abc import Iterator

import pytest

from tests.attacks.surface import read_surface
from tests.e2e.conftest import ShopServer

STAFF = ("staff@trompo.example", "una clave muy larga")


@pytest.fixture(scope="session")
def attacked_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """Start a shop to attack."""
    environment = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "TRUSTED_PROXIES": "127.0.0.1"}
    shop = ShopServer(tmp_path_factory.mktemp("attacked"), environment, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@pytest.fixture(scope="session")
def shop_surface(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return every route and every event handler of the shop."""
    return read_surface(tmp_path_factory.mktemp("surface"))
