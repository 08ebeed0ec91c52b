"""The whole way over real sockets: mounted below a path, a browser, a merchant, and connections that break."""

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
from backend.payment.providers.pse.client import GatewayClient, gateway_client, gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.payment.providers.pse.requests import GatewayBases
from backend.sandbox.gateway import Kind, Operation, SandboxGateway, sandbox_gateway
from tests.gateway_kit import HASTE, Merchant, hasty, payment, served


@pytest.fixture
async def database(sqlite_url: str) -> AsyncIterator[Database]:
    database = Database(sqlite_url)
    yield database
    await database.close()


@asynccontextmanager
async def alone(
    database: Database, settings: Settings
) -> AsyncIterator[tuple[SandboxGateway, GatewayClient]]:
    """The gateway at the root of a socket of its own, and a client of it."""
    keys = gateway_credentials(settings)
    sandbox = SandboxGateway(database, httpx.AsyncClient(), keys, "http://bank.test")
    async with served(sandbox.app) as url:
        client = GatewayClient(keys, GatewayBases.under(url), test_mode=True, policy=HASTE)
        async with client:
            yield sandbox, client


async def test_mounted_in_a_shop_it_works_from_login_to_notification(
    database: Database, settings: Settings
) -> None:
    merchant = Merchant()
    shop = Starlette(routes=[Mount("/hooks", merchant)])
    async with served(shop) as url, httpx.AsyncClient() as http:
        public = settings.model_copy(update={"public_url": url})
        sandbox = sandbox_gateway(public, database, http)
        shop.routes.append(Mount("/sandbox/gateway", sandbox.app))
        await sandbox.start()
        async with hasty(gateway_client(public)) as client:
            assert len(await client.get_banks()) == 16
            created = await client.create_bank_payment(
                payment(url_response=f"{url}/order/1", url_confirmation=f"{url}/hooks/payment/gateway_pse")
            )
            assert created.redirect_url.startswith(f"{url}/sandbox/gateway/bank/")
            page = await http.get(created.redirect_url)
            assert 'data-testid="bank-approve"' in page.text
            back = await http.post(created.redirect_url, data={"decision": "approve"})
            assert back.headers["location"].startswith(f"{url}/order/1?ref_payco=")
            (told,) = await merchant.told()
            assert told["x_response"] == "Aceptada"
            report = await client.transaction_by_reference(told["x_ref_payco"])
            assert report.state is GatewayState.ACCEPTED
            again = await http.post(created.redirect_url, data={"decision": "reject"}, follow_redirects=True)
            assert "Esta transacción ya terminó" in again.text
        await sandbox.stop()


async def test_a_connection_that_breaks_after_the_create_leaves_the_outcome_unknown(
    database: Database, settings: Settings
) -> None:
    async with alone(database, settings) as (sandbox, client):
        sandbox.faults.add(Operation.CREATE, Kind.DROP_RESPONSE)
        with pytest.raises(OutcomeUnknown, match="RemoteProtocolError"):
            await client.create_bank_payment(payment())
        (reference,) = await client.references_of("TR-1")
        assert (await client.transaction_by_reference(reference)).state is GatewayState.PENDING


async def test_a_gateway_that_says_nothing_is_not_waited_for_for_ever(
    database: Database, settings: Settings
) -> None:
    async with alone(database, settings) as (sandbox, client):
        hasty(client, RetryPolicy(read=20, write=0.2, pause=0))
        sandbox.faults.add(Operation.CREATE, Kind.HANG)
        with pytest.raises(OutcomeUnknown):
            await client.create_bank_payment(payment())
        assert await client.references_of("TR-1") == []
        hasty(client, RetryPolicy(read=0.2, pause=0))
        sandbox.faults.add(Operation.BANKS, Kind.HANG, times=None)
        with pytest.raises(ServiceUnavailable):
            await client.get_banks()


async def test_an_answer_that_trickles_in_is_not_waited_for_for_ever(settings: Settings) -> None:
    hung_up = asyncio.Event()

    async def trickle(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(
                    0.02
                )  # slower than the answer, quicker than any timeout between two bytes
        except ConnectionError:
            writer.transport.abort()
            hung_up.set()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    policy = RetryPolicy(connect=1, read=0.2, write=0.2, pause=0)
    keys = gateway_credentials(settings)
    client = GatewayClient(keys, GatewayBases.under(url), test_mode=True, policy=policy)
    async with server, client:
        with pytest.raises(ServiceUnavailable, match="TimeoutError"):
            await client.get_banks()
        await hung_up.wait()
