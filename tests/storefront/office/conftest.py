"""Browsers of the staff, one of each role, each with a state of its own."""

from collections.abc import Awaitable, Callable

import pytest
import reflex as rx
from reflex.istate.data import RouterData

from backend.app import Shop
from backend.staff.models import Staff
from backend.staff.rights import Role
from backend.staff.sessions import COOKIE, Browser, open_session

At = Callable[..., Awaitable[rx.State]]


@pytest.fixture
def browser_of(shop: Shop, shopper: Callable[[], rx.State]) -> At:
    """Makes the state of a browser at which somebody of this role is signed in; nobody for None."""

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
