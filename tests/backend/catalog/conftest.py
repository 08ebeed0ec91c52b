"""What several tests of the catalogue look at: another replica, and the statements that the shop ran."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from backend.app import Shop, create_api


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
def statements(shop: Shop) -> list[str]:
    """The statements that the shop's sessions ran."""
    found: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.append(statement)

    event.listen(shop.database.engine.sync_engine, "before_cursor_execute", note)
    return found
