"""One shop for all attacks of a worker: the production build, served as a shop is."""

from collections.abc import Iterator

import pytest

from tests.attacks.surface import surface
from tests.e2e.conftest import ShopServer

STAFF = ("staff@trompo.example", "una clave muy larga")


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """A running shop that strangers send anything to."""
    environment = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "TRUSTED_PROXIES": "127.0.0.1"}
    shop = ShopServer(tmp_path_factory.mktemp("attacked"), environment, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@pytest.fixture(scope="session")
def reachable(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Every route and every event handler that there is."""
    return surface(tmp_path_factory.mktemp("surface"))
