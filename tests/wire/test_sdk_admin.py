"""Every SDK method that docs/api.md lists as working: the SDK calls it and reads back what it wrote."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from sqlalchemy import delete, select

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey, Region
from backend.core.config.settings import Settings
from backend.customers.models import Customer, CustomerAddress
from backend.exports.service import JOB as EXPORT
from backend.imports.confirmation import JOB as IMPORT
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import create_staff
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.gateway_kit import serve_app
from tests.node_packages import NODE_FOLDER, find_packages, node_environment
from tests.store_defaults import set_up_defaults
from tests.wire.sdk_methods import HERE, list_working_methods

TIMEOUT_S = 120
MIN_METHODS = 280


@asynccontextmanager
async def run_imports_and_exports(shop: Shop) -> AsyncIterator[None]:
    """Run import and export jobs as soon as they exist. Jobs of other kinds wait."""

    async def run_jobs() -> None:
        while True:
            await shop.worker.run_due(IMPORT, EXPORT)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(run_jobs())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_every_sdk_method_with_a_route_works(postgresql_url: str, tmp_path: Path) -> None:
    """Call every method on PostgreSQL, the stricter database. The routes' own tests run on both databases."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=postgresql_url))
    await set_up_defaults(shop.database, shop.settings)
    owner = await create_staff(shop.database, COMMAND_LINE, "ana@trompo.example", "una clave larga")
    async with shop.database.transaction() as session:
        session.add(Staff(email="luis@trompo.example", password_hash="never used", role=Role.SHOP))
        customer = Customer(email="eva@example.com")
        session.add(customer)
        await session.flush()
        session.add(CustomerAddress(customer_id=customer.id, address={"address_1": "Calle 1"}))
        await session.execute(delete(Region))  # the SDK creates it
        cookie = await open_session(session, owner, Browser("127.0.0.1"), has_second_factor=True)
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    api = create_api(shop)
    async with serve_app(api) as url, run_imports_and_exports(shop):
        process = await asyncio.create_subprocess_exec(
            NODE_FOLDER / "node",
            HERE / "admin.mjs",
            env=node_environment(
                SDK_FOLDER=str(find_packages(HERE)),
                SHOP_URL=url,
                PUBLISHABLE_KEY=key,
                STAFF_COOKIE=f"{COOKIE}={cookie}",
            ),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(TIMEOUT_S):
            out, errors = await process.communicate()
    await shop.stop()
    assert process.returncode == 0, errors.decode()
    working = {name for name in list_working_methods(api) if name.startswith("admin.")}
    assert working - set(json.loads(out)) == set()
    assert len(working) >= MIN_METHODS
