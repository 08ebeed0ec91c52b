"""HTTP clients of a shop's API without a socket, for code outside the fixtures `store` and `admin`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI
from sqlalchemy import select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.staff.models import Staff
from backend.staff.sessions import COOKIE, Browser, open_session

ORIGIN = "http://shop.test"
CLIENT_ADDRESS = ("190.24.1.1", 50_000)


@asynccontextmanager
async def open_store(shop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the Store API that sends the shop's publishable key."""
    async with _create_client(create_api(shop), await _read_store_headers(shop)) as store:
        yield store


@asynccontextmanager
async def open_clients(shop: Shop) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """Yield a client of the Store API, and a client of an owner who is signed in with a second factor.

    The shop must have its defaults. An owner is created if there is none.
    """
    async with shop.database.transaction() as session:
        owner = (await session.execute(select(Staff).where(Staff.role == "owner").limit(1))).scalar()
        if owner is None:
            owner = Staff(email="olga@trompo.example", password_hash="never used", role="owner")
            session.add(owner)
            await session.flush()
        token = await open_session(session, owner.id, Browser(CLIENT_ADDRESS[0]), has_second_factor=True)
    signed_in = {"origin": ORIGIN, "cookie": f"{COOKIE}={token}"}
    api = create_api(shop)
    async with (
        _create_client(api, await _read_store_headers(shop)) as store,
        _create_client(api, signed_in) as admin,
    ):
        yield store, admin


async def _read_store_headers(shop: Shop) -> dict[str, str]:
    async with shop.database.read() as session:
        key = (await session.execute(select(PublishableKey.token).limit(1))).scalar_one()
    return {"x-publishable-api-key": key}


def _create_client(api: FastAPI, headers: dict[str, str]) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(api, client=CLIENT_ADDRESS)
    return httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)
