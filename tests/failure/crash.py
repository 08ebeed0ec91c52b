"""Killing the shop (SIGKILL) at every step between "create sent" and "order paid", and looking at what is left.

The gateway and its bank live in this process and go on; the shop lives in another, which is killed and started again.
The bank approves every transaction it knows, also those whose answer the shop never read. In the end each of them must
be exactly one paid order that holds exactly one unit of stock.

`python -m tests.failure.crash --kills 200` prints the figures.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

import httpx
import uvicorn
from sqlalchemy import func, select, update
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.database import Database
from backend.demo.seed import seed
from backend.inventory.models import InventoryLevel, Reservation
from backend.migrations import upgrade
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.pse import gateway_credentials
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway import SandboxGateway
from backend.sandbox.models import SandboxTransaction
from backend.settings import SANDBOX_CUST_ID, SANDBOX_P_KEY, SANDBOX_PRIVATE_KEY, SANDBOX_PUBLIC_KEY, Settings
from tests.ports import free_port

CREATE, LOOKUP = "debitos.json", "response.json"
SOON = 0.03
"""Seconds within which a random kill falls: about as long as the shop's own transactions take."""
DEADLINE = 90.0
"""Seconds: on a busy machine a shop takes its time to open, and what it was doing waits for its turn again."""


class Step(StrEnum):
    """When the shop is killed."""

    CREATE_SENT = "bank.create has arrived at the gateway, which has not acted yet"
    CREATED = "the gateway has acted, its answer is not sent"
    CREATE_ANSWERED = "the answer is on its way; a random moment after"
    ORDERED = "the shopper has been sent to the bank; a random moment around the notification"
    ASKED = "the shop asks the gateway how the payment stands"
    TOLD = "the gateway has told; a random moment in the settling"
    PAID = "the order is paid"


@dataclass
class Shop:
    """The shop's process: started, killed, started again."""

    environment: dict[str, str]
    port: int
    process: asyncio.subprocess.Process | None = None
    kills: int = 0

    async def open(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.failure.shop_process", env=self.environment
        )
        async with asyncio.timeout(DEADLINE), httpx.AsyncClient() as client:
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get(f"http://127.0.0.1:{self.port}/health")).status_code == 200:
                        return
                assert self.process.returncode is None, "the shop did not start"
                await asyncio.sleep(0.02)  # between two looks at a process that tells nobody when it is ready

    def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            self.kills += 1

    async def closed(self) -> None:
        if self.process is not None:
            await self.process.wait()


@dataclass
class Trap:
    """Stands before the gateway and kills the shop at the step it is set to, once."""

    gateway: ASGIApp
    shop: Shop
    step: Step | None = None
    sprung: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, step: Step) -> None:
        self.step = step
        self.sprung.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_create, is_lookup = path.endswith(CREATE), path.endswith(LOOKUP)
        request = await receive()
        while request.get("more_body"):
            more = await receive()
            request = {**more, "body": request["body"] + more["body"]}
        if (is_create and self.step is Step.CREATE_SENT) or (is_lookup and self.step is Step.ASKED):
            self._spring()

        async def arrived() -> Message:
            return request

        async def send_or_kill(message: Message) -> None:
            if message["type"] == "http.response.start" and is_create and self.step is Step.CREATED:
                self._spring()
            await send(message)

        await self.gateway(scope, arrived, send_or_kill)
        if (is_create and self.step is Step.CREATE_ANSWERED) or (is_lookup and self.step is Step.TOLD):
            self._spring(random.uniform(0, SOON))

    def _spring(self, after: float = 0.0) -> None:
        self.step = None
        asyncio.get_running_loop().call_later(after, self._kill)

    def _kill(self) -> None:
        self.shop.kill()
        self.sprung.set()


@dataclass
class Figures:
    """What a run came to."""

    kills: int = 0
    approved: int = 0
    paid: int = 0
    steps: Counter[Step] = field(default_factory=Counter)
    seconds: float = 0.0


async def run(kills: int, *, steps: tuple[Step, ...] = tuple(Step)) -> Figures:
    """Kill the shop that many times, then check every payment the bank approved.

    Raises:
        AssertionError: a payment was lost, or counted twice.
    """
    figures = Figures()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        async with open_scene(Path(folder)) as (shop, trap, bank):
            await shop.open()
            for number in range(kills):
                step = steps[number % len(steps)]
                await _one_crash(shop, trap, bank, step)
                figures.steps[step] += 1
            await bank.approve_all()
            await _everything_is_paid(bank, shop)
            figures.kills, figures.approved = shop.kills, await bank.approved()
            figures.paid = await _check(bank, Path(folder))
            shop.kill()
            await shop.closed()
    figures.seconds = time.monotonic() - started
    return figures


async def _one_crash(shop: Shop, trap: Trap, bank: "Bank", step: Step) -> None:
    before_the_bank = step in (Step.CREATE_SENT, Step.CREATED, Step.CREATE_ANSWERED)
    if before_the_bank:
        trap.set(step)
    await _buy(shop)
    if before_the_bank:
        await _sprung(trap)
    else:
        if step in (Step.ASKED, Step.TOLD):
            trap.set(step)
        await bank.approve_all()
        if step in (Step.ASKED, Step.TOLD):
            await _sprung(trap)
        else:
            if step is Step.PAID:
                await _everything_is_paid(bank, shop)
            else:
                await asyncio.sleep(random.uniform(0, SOON))  # the moment of the kill is what is being varied
            shop.kill()
    await shop.closed()
    await shop.open()
    await bank.approve_all()


async def _buy(shop: Shop) -> None:
    with suppress(httpx.TransportError):  # the shop may be killed under it
        async with httpx.AsyncClient(timeout=DEADLINE) as client:
            answer = await client.post(f"http://127.0.0.1:{shop.port}/test/buy")
            assert answer.is_success, answer.text


async def _sprung(trap: Trap) -> None:
    async with asyncio.timeout(DEADLINE):
        await trap.sprung.wait()


@dataclass
class Bank:
    """The gateway's side: its database, and approving what waits in it."""

    database: Database
    gateway: SandboxGateway
    shop_database: Database

    async def approve_all(self) -> None:
        async with self.database.read() as session:
            waiting = await session.execute(
                select(SandboxTransaction.bank_token).where(SandboxTransaction.state == GatewayState.PENDING)
            )
        transport = httpx.ASGITransport(self.gateway.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bank") as browser:
            for token in waiting.scalars():
                answer = await browser.post(f"/bank/{token}", data={"decision": "approve"})
                assert answer.status_code == 303

    async def approved(self) -> int:
        async with self.database.read() as session:
            accepted = SandboxTransaction.state == GatewayState.ACCEPTED
            return (
                await session.execute(select(func.count()).select_from(SandboxTransaction).where(accepted))
            ).scalar_one()

    async def captured(self) -> int:
        async with self.shop_database.read() as session:
            done = PaymentSession.state == "captured"
            return (
                await session.execute(select(func.count()).select_from(PaymentSession).where(done))
            ).scalar_one()


async def _everything_is_paid(bank: Bank, shop: Shop) -> None:
    async with asyncio.timeout(DEADLINE):
        while await bank.captured() < await bank.approved():
            assert shop.process is not None
            assert shop.process.returncode is None
            await asyncio.sleep(0.02)  # another process is at work; there is only its database to look at


async def _check(bank: Bank, folder: Path) -> int:
    """Every approved payment is one paid order with one unit held.

    Returns:
        How many orders are paid.
    """
    async with bank.database.read() as session:
        accepted = select(SandboxTransaction.invoice).where(SandboxTransaction.state == GatewayState.ACCEPTED)
        approved = set((await session.execute(accepted)).scalars())
    async with bank.shop_database.read() as session:
        captured = select(PaymentSession.invoice).where(PaymentSession.state == "captured")
        assert set((await session.execute(captured)).scalars()) == approved
        paid = (
            (await session.execute(select(Order).where(Order.payment_status == "captured"))).scalars().all()
        )
        assert len(paid) == len({order.cart_id for order in paid}) == len(approved)
        assert all(order.meta == {} for order in paid), "an order is marked for a person to settle"
        held = select(Reservation.holder, Reservation.quantity).where(Reservation.expires_at.is_(None))
        assert {(holder, units) for holder, units in await session.execute(held)} == {
            (order.cart_id, 1) for order in paid
        }
        level = select(InventoryLevel.reserved).where(InventoryLevel.reserved > 0)
        promised = (await session.execute(select(func.sum(Reservation.quantity)))).scalar_one()
        assert (await session.execute(level)).scalars().all() == [promised]
    return len(paid)


@asynccontextmanager
async def open_scene(folder: Path) -> AsyncIterator[tuple[Shop, Trap, Bank]]:
    shop_port, gateway_port = free_port(), free_port()
    settings = Settings(data_dir=folder / "gateway", port=shop_port)
    database = Database.from_settings(settings)
    await upgrade(database)
    shop_settings = Settings(data_dir=folder / "shop")
    environment = {
        **os.environ,
        "PORT": str(shop_port),
        "DATA_DIR": str(shop_settings.data_dir),
        "GATEWAY_URL": f"http://127.0.0.1:{gateway_port}",
        "P_CUST_ID_CLIENTE": SANDBOX_CUST_ID,
        "P_KEY": SANDBOX_P_KEY,
        "PUBLIC_KEY": SANDBOX_PUBLIC_KEY,
        "PRIVATE_KEY": SANDBOX_PRIVATE_KEY,
    }
    shop = Shop(environment, shop_port)
    async with httpx.AsyncClient() as http:
        gateway = SandboxGateway(
            database,
            http,
            gateway_credentials(settings),
            f"http://127.0.0.1:{gateway_port}",
            pause=_pause,
        )
        trap = Trap(gateway.app, shop)
        server = uvicorn.Server(
            uvicorn.Config(
                trap, port=gateway_port, log_level="error", lifespan="off", timeout_graceful_shutdown=1
            )
        )
        serving = asyncio.create_task(server.serve())
        await gateway.start()
        shop_database = Database.from_settings(shop_settings)
        await upgrade(shop_database)
        await _stock_up(shop_database, shop_settings)
        try:
            yield shop, trap, Bank(database, gateway, shop_database)
        finally:
            shop.kill()
            await shop.closed()
            await gateway.stop()
            server.should_exit = True
            await serving
            await database.close()
            await shop_database.close()


def _pause(attempts: int) -> timedelta:
    """Before the gateway tells again: quick at first, and patient enough for a slow start of the shop."""
    return timedelta(seconds=min(0.1 * 2 ** (attempts - 1), 8))


async def _stock_up(database: Database, settings: Settings) -> None:
    """Enough trompos for any number of kills."""
    await seed(database, settings)
    async with database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=100_000))


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Kill the shop while people pay, and count what is left.")
    parser.add_argument("--kills", type=int, default=len(Step))
    figures = asyncio.run(run(parser.parse_args().kills))
    print(f"{figures.kills} kills in {figures.seconds:.0f} s")
    print(f"{figures.approved} payments approved, {figures.paid} paid orders")
    for step, count in figures.steps.items():
        print(f"  {count:4d}  {step}")


if __name__ == "__main__":
    main()
