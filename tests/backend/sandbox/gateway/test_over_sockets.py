"""The complete flow over real sockets: a mounted gateway, a browser, a merchant, and broken connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import OutcomeUnknown
from backend.core.web.http_client import RetryPolicy, ServiceUnavailable
from backend.payment.providers.pse.client import GatewayClient, create_gateway_client, get_gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.payment.providers.pse.requests import GatewayBases
from backend.sandbox.gateway import FaultKind, Operation, SandboxGateway, create_sandbox_gateway
from tests.gateway_kit import FAST_RETRIES, Merchant, bank_payment, serve_app, set_retry_policy


@pytest.fixture
async def database(sqlite_url: str) -> AsyncIterator[Database]:
    database = Database(sqlite_url)
    yield database
    await database.close()


@asynccontextmanager
async def serve_gateway(
    database: Database, settings: Settings
) -> AsyncIterator[tuple[SandboxGateway, GatewayClient]]:
    """Serve a gateway on a separate socket, without a path prefix. Yield the gateway and a client."""
    keys = get_gateway_credentials(settings)
    sandbox = SandboxGateway(database, httpx.AsyncClient(), keys, "http://bank.test")
    async with serve_app(sandbox.app) as url:
        client = GatewayClient(keys, GatewayBases.at_url(url), test_mode=True, policy=FAST_RETRIES)
        async with client:
            yield sandbox, client


async def test_mounted_gateway_works_from_login_to_notification(
    database: Database, settings: Settings
) -> None:
    merchant = Merchant()
    shop = Starlette(routes=[Mount("/hooks", merchant)])
    async with serve_app(shop) as url, httpx.AsyncClient() as http:
        public = settings.model_copy(update={"public_url": url})
        sandbox = create_sandbox_gateway(public, database, http)
        shop.routes.append(Mount("/sandbox/gateway", sandbox.app))
        await sandbox.start()
        async with set_retry_policy(create_gateway_client(public)) as client:
            assert len(await client.get_banks()) == 16
            created = await client.create_bank_payment(
                bank_payment(
                    url_response=f"{url}/order/1", url_confirmation=f"{url}/hooks/payment/gateway_pse"
                )
            )
            assert created.redirect_url.startswith(f"{url}/sandbox/gateway/bank/")
            page = await http.get(created.redirect_url)
            assert 'data-testid="bank-approve"' in page.text
            back = await http.post(created.redirect_url, data={"decision": "approve"})
            assert back.headers["location"].startswith(f"{url}/order/1?ref_payco=")
            (notified,) = await merchant.wait_for_notifications()
            assert notified["x_response"] == "Aceptada"
            report = await client.get_transaction_by_reference(notified["x_ref_payco"])
            assert report.state is GatewayState.ACCEPTED
            again = await http.post(created.redirect_url, data={"decision": "reject"}, follow_redirects=True)
            assert "Esta transacción ya terminó" in again.text
        await sandbox.stop()


async def test_connection_broken_after_creating_a_payment_raises_outcome_unknown(
    database: Database, settings: Settings
) -> None:
    async with serve_gateway(database, settings) as (sandbox, client):
        sandbox.faults.add(Operation.CREATE, FaultKind.DROP_RESPONSE)
        with pytest.raises(OutcomeUnknown, match="RemoteProtocolError"):
            await client.create_bank_payment(bank_payment())
        (reference,) = await client.list_references("TR-1")
        assert (await client.get_transaction_by_reference(reference)).state is GatewayState.PENDING


async def test_silent_gateway_causes_a_timeout(database: Database, settings: Settings) -> None:
    async with serve_gateway(database, settings) as (sandbox, client):
        set_retry_policy(client, RetryPolicy(read=20, write=0.2, pause=0))
        sandbox.faults.add(Operation.CREATE, FaultKind.HANG)
        with pytest.raises(OutcomeUnknown):
            await client.create_bank_payment(bank_payment())
        assert await client.list_references("TR-1") == []
        set_retry_policy(client, RetryPolicy(read=0.2, pause=0))
        sandbox.faults.add(Operation.BANKS, FaultKind.HANG, times=None)
        with pytest.raises(ServiceUnavailable):
            await client.get_banks()


async def test_response_that_arrives_too_slowly_causes_a_timeout(settings: Settings) -> None:
    hung_up = asyncio.Event()

    async def trickle(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(
                    0.02
                )  # the whole response is too slow, but each byte arrives before the read timeout
        except ConnectionError:
            writer.transport.abort()
            hung_up.set()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    policy = RetryPolicy(connect=1, read=0.2, write=0.2, pause=0)
    keys = get_gateway_credentials(settings)
    client = GatewayClient(keys, GatewayBases.at_url(url), test_mode=True, policy=policy)
    async with server, client:
        with pytest.raises(ServiceUnavailable, match="TimeoutError"):
            await client.get_banks()
        await hung_up.wait()
