"""Scene of the failure tests: shops in separate processes, which can be killed, and a gateway that keeps running.

The gateway and its bank run in this process; each shop runs in another. The shops share one database.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import httpx
import uvicorn
from sqlalchemy import select, update
from starlette.types import ASGIApp

from backend.core.config.settings import (
    SANDBOX_CUST_ID,
    SANDBOX_P_KEY,
    SANDBOX_PRIVATE_KEY,
    SANDBOX_PUBLIC_KEY,
    Settings,
)
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.migrations.runner import upgrade
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.operations.demo.seed import seed
from backend.orders.models import Order
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.pse.client import get_gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway import SandboxGateway
from tests.checkout_steps import CHECKOUT_INPUT
from tests.failure import shop_process
from tests.forks import FORKS
from tests.log_guard import PERSONAL_FIELDS, TOKEN_FILE, find_leaks, read_recorded_tokens
from tests.ports import find_free_port

START_TIMEOUT_S = 90.0
"""Seconds. On a busy machine a shop starts slowly, and its waiting jobs take time to run."""
AppWrapper = Callable[[ASGIApp], ASGIApp]


@dataclass
class Shop:
    """A shop's process, which can be started, killed and started again."""

    environment: dict[str, str]
    port: int
    log: Path
    """File for the output of its processes; a restarted one appends to it."""
    process: ForkServerProcess | None = None
    kills: int = 0

    @property
    def url(self) -> str:
        """Return the shop's address, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    async def open(self) -> None:
        """Start the shop and wait until it answers."""
        self.process = FORKS.Process(
            target=shop_process.serve, args=(self.environment, self.log), daemon=True
        )
        self.process.start()
        async with asyncio.timeout(START_TIMEOUT_S), httpx.AsyncClient() as client:
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get(f"{self.url}/health")).status_code == 200:
                        return
                assert self.process.exitcode is None, f"the shop did not start:\n{self._output}"
                await asyncio.sleep(0.02)  # poll: the process sends no signal when it is ready

    def kill(self) -> None:
        """Send SIGKILL to the process, if it is alive."""
        if self.process is not None and self.process.exitcode is None:
            self.process.kill()
            self.kills += 1

    async def wait_until_ended(self) -> None:
        """Wait until the process has ended."""
        if self.process is not None:
            await asyncio.to_thread(self.process.join)

    def require_clean_log(self) -> None:
        """Check that the log holds no token, no query string and no personal data of shoppers."""
        texts = [text for name, text in CHECKOUT_INPUT.items() if name in PERSONAL_FIELDS | {"address"}]
        personal = {*texts, *(text.replace(" ", "") for text in texts)}
        tokens = read_recorded_tokens(Path(self.environment[TOKEN_FILE]))
        assert find_leaks(self._output, tokens, personal) == []

    @property
    def _output(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def assert_alive(self) -> None:
        """Check that the process did not end by itself."""
        assert self.process is not None
        assert self.process.exitcode is None, "the shop ended by itself"


@dataclass
class Bank:
    """The gateway, its database, and the bank's decisions about pending transactions.

    `shop_database` is the database of all shops in the scene.
    """

    database: Database
    gateway: SandboxGateway
    shop_database: Database

    async def approve_all(self) -> None:
        """Approve every pending transaction."""
        await self.decide_all("approve")

    async def decide_all(self, decision: str, besides: frozenset[str] = frozenset()) -> None:
        """Decide every pending transaction whose invoice is not among `besides`."""
        async with self.database.read() as session:
            waiting = select(SandboxTransaction.bank_token, SandboxTransaction.invoice).where(
                SandboxTransaction.state == GatewayState.PENDING
            )
            found = (await session.execute(waiting)).all()
        for token, invoice in found:
            if invoice not in besides:
                await self.decide(token, decision)

    async def decide(self, token: str, decision: str) -> None:
        """Submit a decision on the bank's page with this token in its address."""
        transport = httpx.ASGITransport(self.gateway.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bank") as browser:
            answer = await browser.post(f"/bank/{token}", data={"decision": decision})
        assert answer.status_code == 303

    async def find_invoice(self, order_id: str) -> str:
        """Return the invoice of the order's newest payment."""
        query = (
            select(PaymentSession.invoice)
            .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
            .join(Order, Order.cart_id == PaymentCollection.cart_id)
            .where(Order.id == order_id)
            .order_by(PaymentSession.created_at.desc())
            .limit(1)
        )
        async with self.shop_database.read() as session:
            return (await session.execute(query)).scalar_one()

    async def list_approved_invoices(self) -> set[str]:
        """Return the invoices that the bank has approved."""
        async with self.database.read() as session:
            accepted = SandboxTransaction.state == GatewayState.ACCEPTED
            return set((await session.execute(select(SandboxTransaction.invoice).where(accepted))).scalars())


@asynccontextmanager
async def open_scene(
    folder: Path, *, database_url: str = "", processes: int = 1, wrap_gateway: AppWrapper = lambda app: app
) -> AsyncIterator[tuple[list[Shop], Bank]]:
    """Open a scene: shops, not started yet, on one database, and a running gateway.

    The database is an SQLite file in the folder unless `database_url` is given. `wrap_gateway` wraps the
    gateway's application. At the end the shops' logs must be clean.
    """
    gateway_port = find_free_port()
    settings = Settings(data_dir=folder / "gateway", port=find_free_port())
    shop_settings = Settings(data_dir=folder / "shop", database_url=database_url)
    database = Database.from_settings(settings)
    await upgrade(database)
    shops = []
    for port in _find_free_ports(processes):
        tokens = {TOKEN_FILE: str(folder / f"tokens-{port}.txt")}
        environment = _build_environment(port, shop_settings, gateway_port) | tokens
        shops.append(Shop(environment, port, folder / f"shop-{port}.log"))
    async with httpx.AsyncClient() as http:
        gateway = SandboxGateway(
            database,
            http,
            get_gateway_credentials(settings),
            f"http://127.0.0.1:{gateway_port}",
            pause=_get_retry_delay,
        )
        config = uvicorn.Config(
            wrap_gateway(gateway.app),
            port=gateway_port,
            log_level="error",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        await gateway.start()
        shop_database = Database.from_settings(shop_settings)
        await upgrade(shop_database)
        await _stock_up(shop_database, shop_settings)
        try:
            yield shops, Bank(database, gateway, shop_database)
        finally:
            for shop in shops:
                shop.kill()
                await shop.wait_until_ended()
            await gateway.stop()
            server.should_exit = True
            await serving
            await database.close()
            await shop_database.close()
    for shop in shops:
        shop.require_clean_log()


def _find_free_ports(count: int) -> list[int]:
    ports: list[int] = []
    while len(ports) < count:
        port = find_free_port()
        if port not in ports:
            ports.append(port)
    return ports


def _build_environment(port: int, settings: Settings, gateway_port: int) -> dict[str, str]:
    return {
        **os.environ,
        "PORT": str(port),
        "DATA_DIR": str(settings.data_dir),
        "DATABASE_URL": settings.database_url,
        "GATEWAY_URL": f"http://127.0.0.1:{gateway_port}",
        "P_CUST_ID_CLIENTE": SANDBOX_CUST_ID,
        "P_KEY": SANDBOX_P_KEY,
        "PUBLIC_KEY": SANDBOX_PUBLIC_KEY,
        "PRIVATE_KEY": SANDBOX_PRIVATE_KEY,
    }


def _get_retry_delay(attempts: int) -> timedelta:
    """Return the delay before the next notification: short at first, later long enough for a slow shop."""
    return timedelta(seconds=min(0.1 * 2 ** (attempts - 1), 8))


async def _stock_up(database: Database, settings: Settings) -> None:
    """Seed the shop with enough units for any number of kills."""
    await seed(database, settings)
    async with database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=100_000))
