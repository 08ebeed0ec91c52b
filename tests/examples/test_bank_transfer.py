"""The example package works from nothing: installed by pip, named by a setting, bought with, confirmed by staff."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey, Region
from backend.core.config.settings import Settings
from backend.staff.models import Staff
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.store_defaults import add_product, set_up_defaults
from tests.store_steps import create_cart_with_shipping, get, post, read_ok

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "trompo-bank-transfer"
ACCOUNT = "Banco de Bogotá, ahorros 000-111222-33"
SHOPPER = ("190.24.1.1", 50_000)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example's package into a new folder. Return the folder."""
    folder = tmp_path_factory.mktemp("installed")
    uv = Path(sys.executable).parent / "uv"
    options = ["--quiet", "--offline", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([uv, "pip", "install", "--python", sys.executable, *options, str(EXAMPLE)], check=True)
    return folder


@pytest.fixture
async def shop(
    installed: Path, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Shop]:
    monkeypatch.syspath_prepend(installed)
    monkeypatch.setenv("BANK_TRANSFER_ACCOUNT", ACCOUNT)
    listed = "pp_system_default,gateway_pse,bank_transfer=trompo_bank_transfer:BankTransfer"
    shop = Shop(Settings(data_dir=tmp_path, database_url=sqlite_url, payment_providers=listed))
    yield shop
    await shop.stop()


def test_installed_example_provider_passes_its_contract_tests(installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(installed), str(ROOT)))}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests")]
    done = subprocess.run(
        tests, cwd=EXAMPLE, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_order_is_paid_by_a_bank_transfer_that_staff_confirm(shop: Shop) -> None:
    defaults = await set_up_defaults(shop.database, shop.settings)
    async with shop.database.transaction() as session:
        await session.execute(update(Region).values(payment_providers=["gateway_pse", "bank_transfer"]))
        variant_id = await add_product(session, defaults, "trompo", stock=3, price=40_000)
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        member = Staff(email="ana@trompo.example", password_hash="never used", role="owner")
        session.add(member)
        await session.flush()
        token = await open_session(session, member.id, Browser(SHOPPER[0]), has_second_factor=True)
    transport = httpx.ASGITransport(create_api(shop), client=SHOPPER)
    shopper = {"x-publishable-api-key": key}
    staff = {"origin": "http://shop.test", "cookie": f"{COOKIE}={token}"}
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=shopper) as store,
        httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=staff) as admin,
    ):
        cart_id = await create_cart_with_shipping(store, variant_id)
        owed = (await post(store, "/store/payment-collections", {"cart_id": cart_id}))["payment_collection"]
        path = f"/store/payment-collections/{owed['id']}/payment-sessions"
        started = await post(store, path, {"provider_id": "bank_transfer"})
        (payment_session,) = started["payment_collection"]["payment_sessions"]
        assert payment_session["data"]["account"] == ACCOUNT
        order = (await post(store, f"/store/carts/{cart_id}/complete"))["order"]
        assert order["payment_status"] == "authorized"
        (payment,) = (await get(admin, "/admin/payments"))["payments"]
        assert payment["provider_id"] == "bank_transfer"
        await read_ok(await admin.post(f"/admin/payments/{payment['id']}/capture"))
        shown = await get(store, f"/store/orders/{order['id']}", token=order["access_token"])
    assert shown["order"]["payment_status"] == "captured"
