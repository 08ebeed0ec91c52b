"""Fixtures: browsers of the staff with one state each, and a shopper's API client."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.staff.models import Staff
from backend.staff.rights import Role
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.store_defaults import Defaults

BrowserFactory = Callable[..., Awaitable[rx.State]]


@pytest.fixture
def browser_of(shop: Shop, shopper: Callable[[], rx.State]) -> BrowserFactory:
    """Return a function that creates the state of a browser, signed in as a new staff member of a role.

    With the role None, the browser is signed out.
    """

    async def make(role: Role | None, path: str = "/oficina", *, second_factor: bool = True) -> rx.State:
        root = shopper()
        cookie = ""
        if role is not None:
            async with shop.database.transaction() as session:
                member = Staff(
                    email=f"{role}{id(root)}@trompo.example", password_hash="never used", role=role
                )
                session.add(member)
                await session.flush()
                token = await open_session(
                    session, member.id, Browser("190.24.1.1"), has_second_factor=second_factor
                )
            cookie = f"{COOKIE}={token}"
        root.router = RouterData.from_router_data(
            {"headers": {"cookie": cookie}, "pathname": path, "asPath": path, "token": f"page{id(root)}"}
        )
        return root

    return make


@pytest.fixture
async def store(shop: Shop, defaults: Defaults) -> AsyncIterator[httpx.AsyncClient]:
    """Yield an API client of a shopper."""
    del defaults
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    transport = httpx.ASGITransport(create_api(shop), client=("190.24.1.1", 50_000))
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=headers) as client:
        yield client
