"""What several tests of the catalogue look at: another replica, and the statements that the shop ran."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from backend.app import Shop, create_api
from tests.statements import statements_of


@pytest.fixture
async def replica(store: httpx.AsyncClient, shop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    """Another process of the same shop."""
    other = Shop(shop.settings)
    transport = httpx.ASGITransport(create_api(other))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://shop.test", headers=store.headers
    ) as client:
        yield client
    await other.stop()


@pytest.fixture
def statements(shop: Shop) -> Iterator[list[str]]:
    """The statements that the shop's sessions ran."""
    with statements_of(shop.database) as found:
        yield found
