"""The shop under attack: the production build, served as in production, one for each test worker."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.attacks.surface import read_surface
from tests.e2e.conftest import ShopServer, demo_data
from tests.shared_results import SharedResults

__all__ = ["demo_data"]

STAFF = ("staff@trompo.example", "una clave muy larga")


@pytest.fixture(scope="session")
def attacked_shop(tmp_path_factory: pytest.TempPathFactory, demo_data: Path) -> Iterator[ShopServer]:
    """Start a shop to attack."""
    environment = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "TRUSTED_PROXIES": "127.0.0.1"}
    shop = ShopServer(tmp_path_factory.mktemp("attacked"), environment, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@pytest.fixture(scope="session")
def shop_surface(
    shared_results: SharedResults, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[str]]:
    """Return every route and every event handler of the shop. One pytest worker lists them for all workers."""

    def create(file: Path) -> None:
        file.write_bytes(orjson.dumps(read_surface(tmp_path_factory.mktemp("surface"))))

    surface: dict[str, list[str]] = orjson.loads(
        shared_results.create_file("surface.json", create).read_bytes()
    )
    return surface
