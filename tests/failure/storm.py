"""A storm of notifications: shuffled, duplicated, some forged; afterwards every order stands where the bank says.

`python -m tests.failure.storm --notifications 10000 --orders 500` prints the figures; `--database postgresql
--processes 2` lets two shops share the storm and one PostgreSQL. The notifications come over real sockets, many at
once.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import httpx
from sqlalchemy import func, select

from backend.core.config.settings import SANDBOX_CUST_ID, SANDBOX_P_KEY
from backend.jobs.models import Job
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.providers.pse.reports import GatewayState, sign
from tests.failure.books import read_books
from tests.failure.databases import KINDS, empty_database
from tests.failure.scene import Bank, Shop, open_scene

AT_ONCE = 32
FORGED_SHARE = 0.3
DEADLINE = 120.0


@dataclass
class Figures:
    """What a storm came to; times in milliseconds."""

    notifications: int
    orders: int
    statuses: Counter[int]
    median: float
    p99: float
    slowest: float
    seconds: float
    ends: Counter[str]


async def run(notifications: int, orders: int, *, database_url: str = "", processes: int = 1) -> Figures:
    """Let it storm on so many shops that share a database.

    Raises:
        AssertionError: an answer was not 200, or an order does not stand where the bank says.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = open_scene(Path(folder), database_url=database_url, processes=processes)
        async with scene as (shops, bank):
            for shop in shops:
                await shop.open()
            await bank.gateway.stop()  # nobody is told but by the storm
            await _place(shops, orders)
            wanted = await _decide(bank)
            storm = await _letters(bank, notifications)
            started = time.monotonic()
            times, statuses = await _blow(shops, storm)
            seconds = time.monotonic() - started
            ends = await _calm(bank, wanted)
    ordered = sorted(times)
    return Figures(
        notifications=len(times),
        orders=len(wanted),
        statuses=statuses,
        median=statistics.median(ordered) * 1000,
        p99=ordered[int(len(ordered) * 0.99)] * 1000,
        slowest=ordered[-1] * 1000,
        seconds=seconds,
        ends=ends,
    )


async def _place(shops: list[Shop], orders: int) -> None:
    gate = asyncio.Semaphore(4)

    async def one(client: httpx.AsyncClient, shop: Shop) -> None:
        async with gate:
            (await client.post(f"{shop.url}/test/buy")).raise_for_status()

    async with httpx.AsyncClient(timeout=60) as client:
        await asyncio.gather(*(one(client, shops[number % len(shops)]) for number in range(orders)))


async def _decide(bank: Bank) -> dict[str, str]:
    """The bank decides about every payment, without telling.

    Returns:
        The payment state each invoice must come to.
    """
    ends = (
        (GatewayState.ACCEPTED, "captured"),
        (GatewayState.REJECTED, "rejected"),
        (GatewayState.CANCELED, "canceled"),
    )
    wanted: dict[str, str] = {}
    async with bank.database.transaction() as session:
        for number, row in enumerate((await session.execute(select(SandboxTransaction))).scalars().all()):
            row.state, wanted[row.invoice] = ends[number % len(ends)]
    return wanted


async def _letters(bank: Bank, count: int) -> list[dict[str, str]]:
    """The notifications: for each transaction its pending and its final one, repeated; 30 % with a forged signature."""
    async with bank.database.read() as session:
        transactions = (await session.execute(select(SandboxTransaction))).scalars().all()
    letters: list[dict[str, str]] = []
    while len(letters) < count:
        for row in transactions:
            state = random.choice((GatewayState.PENDING, GatewayState(row.state), GatewayState(row.state)))
            letters.append(_letter(row, state))
    letters = letters[:count]
    for letter in random.sample(letters, int(count * FORGED_SHARE)):
        letter["x_cod_transaction_state"], letter["x_response"] = "1", GatewayState.ACCEPTED.text
        letter["x_signature"] = f"{random.getrandbits(256):064x}"
    random.shuffle(letters)
    return letters


def _letter(row: SandboxTransaction, state: GatewayState) -> dict[str, str]:
    amount = str(row.fields["valor"])
    signed = {
        "reference": str(row.ref_payco),
        "transaction_id": row.transaction_id,
        "amount": amount,
        "currency": "COP",
    }
    return {
        "x_cust_id_cliente": SANDBOX_CUST_ID,
        "x_ref_payco": signed["reference"],
        "x_id_invoice": row.invoice,
        "x_transaction_id": row.transaction_id,
        "x_amount": amount,
        "x_currency_code": "COP",
        "x_cod_transaction_state": str(int(state)),
        "x_response": state.text,
        "x_signature": sign(SANDBOX_CUST_ID, SANDBOX_P_KEY, **signed),
    }


async def _blow(shops: list[Shop], letters: list[dict[str, str]]) -> tuple[list[float], Counter[int]]:
    gate = asyncio.Semaphore(AT_ONCE)
    times: list[float] = []
    statuses: Counter[int] = Counter()

    async def one(client: httpx.AsyncClient, letter: dict[str, str]) -> None:
        async with gate:
            started = time.monotonic()
            shop = random.choice(shops)
            answer = await client.post(f"{shop.url}/hooks/payment/gateway_pse", data=letter)
            times.append(time.monotonic() - started)
            statuses[answer.status_code] += 1

    limits = httpx.Limits(max_connections=AT_ONCE)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        await asyncio.gather(*(one(client, letter) for letter in letters))
    return times, statuses


async def _calm(bank: Bank, wanted: dict[str, str]) -> Counter[str]:
    """Wait until the inbox is worked off, then compare every payment and order with the bank."""
    async with asyncio.timeout(DEADLINE):
        while await _waiting(bank):  # noqa: ASYNC110 (another process is at work: only its database tells)
            await asyncio.sleep(0.1)
    async with bank.shop_database.read() as session:
        states = dict((await session.execute(select(PaymentSession.invoice, PaymentSession.state))).all())
        ordered = dict((await session.execute(select(Order.cart_id, Order.payment_status))).all())
    assert states == wanted
    ends = Counter(states.values())
    statuses = Counter(ordered.values())
    assert statuses == {"captured": ends["captured"], "canceled": ends["rejected"] + ends["canceled"]}
    books = await read_books(bank.shop_database)
    books.check(await bank.approved(), is_over=True)
    assert not books.attention
    return ends


async def _waiting(bank: Bank) -> int:
    async with bank.shop_database.read() as session:
        open_ones = select(func.count()).select_from(Job).where(Job.kind == "payment.notification")
        return (await session.execute(open_ones)).scalar_one()


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Send the shop a storm of notifications.")
    parser.add_argument("--notifications", type=int, default=10_000)
    parser.add_argument("--orders", type=int, default=500)
    parser.add_argument("--database", choices=KINDS, default="sqlite")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty_database(asked.database, Path(folder)) as url:
        storm = run(asked.notifications, asked.orders, database_url=url, processes=asked.processes)
        figures = asyncio.run(storm)
    print(f"{figures.notifications} notifications for {figures.orders} orders in {figures.seconds:.1f} s")
    print(f"on {asked.database} with {asked.processes} processes")
    print(f"answers: {dict(figures.statuses)}")
    print(
        f"answered in {figures.median:.1f} ms (median), {figures.p99:.1f} ms (p99), {figures.slowest:.1f} ms (slowest)"
    )
    print(f"ends: {dict(figures.ends)}")


if __name__ == "__main__":
    main()
