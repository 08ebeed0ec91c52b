"""A shop behind its HTTP API, without a socket: `store` calls it like a storefront, `admin` like staff."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.staff.models import Staff
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.audit_guard import watch_audit
from tests.statements import record_statements
from tests.store_defaults import Defaults, set_up_defaults

SHOPPER = ("190.24.1.1", 50_000)


@pytest.fixture(autouse=True)
def _check_audit_entries() -> Iterator[None]:
    """Check in every test that all writes of staff members leave an audit entry."""
    with watch_audit() as guard:
        yield
    assert not guard.list_unrecorded()


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return a shop without products, with the embedded gateway and carrier. No background work runs."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    yield shop
    await shop.stop()


@pytest.fixture
async def shop_defaults(shop: Shop) -> Defaults:
    return await set_up_defaults(shop.database, shop.settings)


@pytest.fixture
def api(shop: Shop) -> FastAPI:
    return create_api(shop)


@pytest.fixture
async def anyone(api: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client without a key or a token."""
    transport = httpx.ASGITransport(api, client=SHOPPER)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test") as client:
        yield client


@pytest.fixture
async def store(api: FastAPI, shop: Shop, shop_defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    """Return a storefront client with the shop's publishable key."""
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport = httpx.ASGITransport(api, client=SHOPPER)
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield client


@pytest.fixture
async def admin(api: FastAPI, shop: Shop, shop_defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    """Return the owner's browser, signed in with the second factor."""
    async with shop.database.transaction() as session:
        member = Staff(email="ana@trompo.example", password_hash="never used", role="owner")
        session.add(member)
        await session.flush()
        token = await open_session(session, member.id, Browser(SHOPPER[0]), has_second_factor=True)
    transport = httpx.ASGITransport(api, client=SHOPPER)
    headers = {"origin": "http://shop.test", "cookie": f"{COOKIE}={token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield client


@pytest.fixture
async def replica(store: httpx.AsyncClient, shop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client of another replica's API."""
    other = Shop(shop.settings)
    transport = httpx.ASGITransport(create_api(other))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://shop.test", headers=store.headers
    ) as client:
        yield client
    await other.stop()


@pytest.fixture
def statements(shop: Shop) -> Iterator[list[str]]:
    """Record the statements that the shop's sessions run."""
    with record_statements(shop.database) as found:
        yield found
