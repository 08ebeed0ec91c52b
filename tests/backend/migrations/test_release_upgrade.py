"""The current code restores the backup of each stored release, and its own backup, and continues the orders.

| of the release | after the upgrade |
|---|---|
| products, and their pictures | sold as before |
| customer | signs in with the same password |
| order whose payment is at the bank | paid when the bank approves |
| paid order | packed |
"""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, select

from backend import subscriptions  # noqa: F401 - so that orders follow their payments
from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.config.version import VERSION
from backend.core.db.database import Database
from backend.media.picture_store import open_picture_store
from backend.operations.backup.restore import restore
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.start import prepare
from tests.api_clients import open_clients
from tests.backend.migrations.release_fixture import (
    LOGIN,
    PRODUCTS,
    RELEASES,
    backup_name,
    write_backup,
)
from tests.backend.operations.conftest import POSTGRESQL_18
from tests.backend.orders.paying import read_order_status, report_payment
from tests.failure.databases import DATABASE_KINDS
from tests.postgresql_clones import drop_database, execute_statements
from tests.store_steps import get, post

CURRENT = "current"
MAX_BYTES = 150_000
"""Maximum size of one backup: both are stored for each release."""
STORED = sorted(folder.name for folder in RELEASES.glob("*")) if RELEASES.is_dir() else []


@pytest.fixture(params=[CURRENT, *STORED])
def release(request: pytest.FixtureRequest) -> str:
    """Return a stored version, or `CURRENT` for a backup that the current code writes."""
    name: str = request.param
    return name


@pytest.fixture(params=DATABASE_KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database."""
    name: str = request.param
    return name


@pytest.fixture
def empty_url(request: pytest.FixtureRequest, kind: str) -> str:
    """Return the URL of an empty database of this kind, for the upgraded shop."""
    url: str = request.getfixturevalue(f"empty_{kind}_url")
    return url


@pytest.fixture
def server(request: pytest.FixtureRequest, kind: str) -> URL | None:
    """Return the PostgreSQL server; None for SQLite."""
    return request.getfixturevalue("postgresql") if kind == "postgresql" else None


@pytest.fixture
async def backup(
    kind: str, release: str, server: URL | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return the backup of the release. PostgreSQL's backup programs are those of the tests' server."""
    monkeypatch.setenv("PATH", f"{POSTGRESQL_18}:{os.environ['PATH']}")
    file = tmp_path / backup_name(kind)
    if release != CURRENT:
        return RELEASES / release / file.name
    if server is None:
        await write_backup(f"sqlite+aiosqlite:///{tmp_path / 'former.db'}", file)
        return file
    name = f"former_{uuid4().hex}"
    await execute_statements(server, f'CREATE DATABASE "{name}"')
    await write_backup(server.set(database=name).render_as_string(hide_password=False), file)
    await drop_database(server, name)
    return file


@pytest.fixture
async def shop(backup: Path, empty_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return the current shop on the release's database and files."""
    settings = Settings(data_dir=tmp_path / "upgraded", database_url=empty_url, port=1)
    database = Database.from_settings(settings)
    await restore(settings, database, open_picture_store(settings), backup, replace=False)
    await database.close()
    await prepare(settings)
    shop = Shop(settings)
    yield shop
    await shop.stop()


async def find_order(shop: Shop, payment_status: str) -> Order:
    async with shop.database.read() as session:
        query = select(Order).where(Order.payment_status == payment_status)
        return (await session.execute(query)).scalar_one()


def test_backups_of_every_minor_release_since_1_0_are_stored() -> None:
    """Check the stored backups. `make release` writes the missing one: see `docs/versions.md`."""
    major, minor, _patch = map(int, VERSION.split("."))
    minors = range(minor + 1) if major >= 1 else range(0)
    assert set(STORED) >= {f"{major}.{number}.0" for number in minors}


async def test_shop_of_a_release_continues_after_the_upgrade(shop: Shop, backup: Path) -> None:
    assert len(await asyncio.to_thread(backup.read_bytes)) < MAX_BYTES
    waiting, paid = await find_order(shop, "awaiting"), await find_order(shop, "captured")
    async with shop.database.read() as session:
        query = select(PaymentSession.id).where(PaymentSession.state == "pending_authorization")
        payment_id = (await session.execute(query)).scalar_one()
    async with open_clients(shop) as (store, admin):
        products = (await get(store, "/store/products", fields="handle,*images"))["products"]
        assert {one["handle"] for one in products} == set(PRODUCTS)
        for product in products:
            picture = await store.get(product["images"][0]["url"])
            assert (picture.status_code, picture.headers["content-type"][:6]) == (200, "image/")
        assert (await post(store, "/auth/customer/emailpass", LOGIN))["token"]

        await report_payment(shop, payment_id, ProviderState.CAPTURED)
        assert await read_order_status(shop, waiting.id) == ("pending", "captured")

        path = f"/admin/orders/{paid.id}"
        (item,) = (await get(admin, path, fields="*items"))["order"]["items"]
        body = {"items": [{"id": item["id"], "quantity": item["quantity"]}]}
        packed = (await post(admin, f"{path}/fulfillments", body))["order"]
        assert packed["fulfillment_status"] == "fulfilled"
    token = ORDER_LINK.token(shop.settings.signing_key, paid.id)
    view = await shop.placed_orders.get_order_page(paid.id, token)
    assert (view.status, view.journey) == ("paid", "to_collect")
