"""The gateway's unchanged official SDK against the test gateway over a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.client import GatewayClient, get_gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.payment.providers.pse.requests import GatewayBases
from backend.sandbox.gateway import SandboxGateway
from tests.gateway_kit import Merchant, serve_app, set_retry_policy
from tests.node_packages import NODE_FOLDER, find_packages, node_environment

HERE = Path(__file__).parent / "official_sdk"

PAYMENT = {
    "bank": "1022",
    "invoice": "SDK-1",
    "description": "pay test",
    "value": "10000",
    "tax": "0",
    "tax_base": "0",
    "currency": "COP",
    "type_person": "0",
    "doc_type": "CC",
    "doc_number": "10358519",
    "name": "José Ñuño",
    "last_name": "PAYCO",
    "email": "no-responder@payco.co",
    "country": "CO",
    "cell_phone": "3010000001",
    "ip": "190.0.0.1",
    "url_response": "http://merchant.test/return",
    "url_confirmation": "http://merchant.test/hook",
    "method_confirmation": "POST",
}


@pytest.fixture(scope="session")
def sdk() -> Path:
    """Return the folder in which the SDK is installed."""
    return find_packages(HERE)


async def pay_with_the_sdk(sdk: Path, url: str, keys: dict[str, str]) -> dict[str, Any]:
    """Run the SDK in Node with all of its addresses at `url`, and return its output."""
    process = await asyncio.create_subprocess_exec(
        *(str(NODE_FOLDER / "node"), "--require", str(HERE / "offline.cjs"), str(HERE / "pay.cjs")),
        *(json.dumps(keys), json.dumps(PAYMENT)),
        cwd=sdk,
        env=node_environment(
            NODE_PATH=str(sdk / "node_modules"), BASE_URL_SDK=url, SECURE_URL_SDK=url, BASE_URL_APIFY=url
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    output: dict[str, Any] = json.loads(out)
    return output


@pytest.fixture
async def database(sqlite_url: str) -> AsyncIterator[Database]:
    database = Database(sqlite_url)
    yield database
    await database.close()


@pytest.mark.xdist_group("official-sdk")
async def test_official_sdk_lists_banks_and_pays(sdk: Path, database: Database, settings: Settings) -> None:
    keys = get_gateway_credentials(settings)
    merchant = Merchant()
    notified = httpx.AsyncClient(transport=httpx.ASGITransport(merchant))
    sandbox = SandboxGateway(database, notified, keys, "http://bank.test")
    async with serve_app(sandbox.app) as url:
        given = {
            "apiKey": keys.public_key.get_secret_value(),
            "privateKey": keys.private_key.get_secret_value(),
        }
        output = await pay_with_the_sdk(sdk, url, given)
        assert {str(bank["bankCode"]) for bank in output["banks"]["data"]} >= {"0", "1022", "1077"}
        created = output["created"]["data"]
        assert output["created"]["text_response"] == "Transaccion Creada Exitosamente"
        assert created["urlbanco"].startswith("http://bank.test/bank/")
        assert output["found"]["data"]["factura"] == "SDK-1"
        assert output["charged"]["data"]["x_response"] == "Pendiente"

        # the shop's own client finds the transaction that the SDK created
        async with set_retry_policy(GatewayClient(keys, GatewayBases.at_url(url), test_mode=True)) as ours:
            report = await ours.get_transaction(created["ticketId"])
    assert (report.state, report.invoice) == (GatewayState.PENDING, "SDK-1")
    await notified.aclose()
