"""A storm of notifications: shuffled, duplicated, some forged. In the end every order has its bank's decision.

`python -m tests.failure.storm --notifications 10000 --orders 500` prints the figures; `--database postgresql
--processes 2` lets two shops share the storm and one PostgreSQL. The notifications arrive over real sockets, many
concurrently.
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
from tests.failure.databases import DATABASE_KINDS, empty_database
from tests.failure.scene import Bank, Shop, open_scene

CONCURRENCY = 32
FORGED_SHARE = 0.3
TIMEOUT_S = 120.0


@dataclass
class Figures:
    """Results of a storm; times in milliseconds."""

    notifications: int
    orders: int
    statuses: Counter[int]
    median: float
    p99: float
    slowest: float
    seconds: float
    final_states: Counter[str]


async def run(notifications: int, orders: int, *, database_url: str = "", processes: int = 1) -> Figures:
    """Send the storm to `processes` shops that share a database.

    Raises:
        AssertionError: a payment or an order does not have the state that its bank decided, or is in attention.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = open_scene(Path(folder), database_url=database_url, processes=processes)
        async with scene as (shops, bank):
            for shop in shops:
                await shop.open()
            await bank.gateway.stop()  # only the storm notifies the shops
            await _place_orders(shops, orders)
            expected = await _decide_payments(bank)
            storm = await _build_notifications(bank, notifications)
            started = time.monotonic()
            times, statuses = await _send_notifications(shops, storm)
            seconds = time.monotonic() - started
            final_states = await _check_results(bank, expected)
    ordered = sorted(times)
    return Figures(
        notifications=len(times),
        orders=len(expected),
        statuses=statuses,
        median=statistics.median(ordered) * 1000,
        p99=ordered[int(len(ordered) * 0.99)] * 1000,
        slowest=ordered[-1] * 1000,
        seconds=seconds,
        final_states=final_states,
    )


async def _place_orders(shops: list[Shop], orders: int) -> None:
    limit = asyncio.Semaphore(4)

    async def buy(client: httpx.AsyncClient, shop: Shop) -> None:
        async with limit:
            (await client.post(f"{shop.url}/test/buy")).raise_for_status()

    async with httpx.AsyncClient(timeout=60) as client:
        await asyncio.gather(*(buy(client, shops[number % len(shops)]) for number in range(orders)))


async def _decide_payments(bank: Bank) -> dict[str, str]:
    """Decide every payment at the bank, without a notification.

    Returns:
        The expected payment state of each invoice.
    """
    final_states = (
        (GatewayState.ACCEPTED, "captured"),
        (GatewayState.REJECTED, "rejected"),
        (GatewayState.CANCELED, "canceled"),
    )
    expected: dict[str, str] = {}
    async with bank.database.transaction() as session:
        for number, row in enumerate((await session.execute(select(SandboxTransaction))).scalars().all()):
            row.state, expected[row.invoice] = final_states[number % len(final_states)]
    return expected


async def _build_notifications(bank: Bank, count: int) -> list[dict[str, str]]:
    """Return the notifications: pending and final ones of each transaction, repeated; 30 % have a forged signature."""
    async with bank.database.read() as session:
        transactions = (await session.execute(select(SandboxTransaction))).scalars().all()
    notifications: list[dict[str, str]] = []
    while len(notifications) < count:
        for row in transactions:
            state = random.choice((GatewayState.PENDING, GatewayState(row.state), GatewayState(row.state)))
            notifications.append(_build_notification(row, state))
    notifications = notifications[:count]
    for notification in random.sample(notifications, int(count * FORGED_SHARE)):
        notification["x_cod_transaction_state"], notification["x_response"] = "1", GatewayState.ACCEPTED.text
        notification["x_signature"] = f"{random.getrandbits(256):064x}"
    random.shuffle(notifications)
    return notifications


def _build_notification(row: SandboxTransaction, state: GatewayState) -> dict[str, str]:
    amount = str(row.fields["valor"])
    signed_fields = {
        "reference": str(row.ref_payco),
        "transaction_id": row.transaction_id,
        "amount": amount,
        "currency": "COP",
    }
    return {
        "x_cust_id_cliente": SANDBOX_CUST_ID,
        "x_ref_payco": signed_fields["reference"],
        "x_id_invoice": row.invoice,
        "x_transaction_id": row.transaction_id,
        "x_amount": amount,
        "x_currency_code": "COP",
        "x_cod_transaction_state": str(int(state)),
        "x_response": state.text,
        "x_signature": sign(SANDBOX_CUST_ID, SANDBOX_P_KEY, **signed_fields),
    }


async def _send_notifications(
    shops: list[Shop], notifications: list[dict[str, str]]
) -> tuple[list[float], Counter[int]]:
    limit = asyncio.Semaphore(CONCURRENCY)
    times: list[float] = []
    statuses: Counter[int] = Counter()

    async def send(client: httpx.AsyncClient, notification: dict[str, str]) -> None:
        async with limit:
            started = time.monotonic()
            shop = random.choice(shops)
            answer = await client.post(f"{shop.url}/hooks/payment/gateway_pse", data=notification)
            times.append(time.monotonic() - started)
            statuses[answer.status_code] += 1

    limits = httpx.Limits(max_connections=CONCURRENCY)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        await asyncio.gather(*(send(client, notification) for notification in notifications))
    return times, statuses


async def _check_results(bank: Bank, expected: dict[str, str]) -> Counter[str]:
    """Wait until all notifications are processed, then compare every payment and order with the bank."""
    async with asyncio.timeout(TIMEOUT_S):
        while await _count_waiting_jobs(bank):  # noqa: ASYNC110 (another process does the work: only its database can be polled)
            await asyncio.sleep(0.1)
    async with bank.shop_database.read() as session:
        states = dict((await session.execute(select(PaymentSession.invoice, PaymentSession.state))).all())
        ordered = dict((await session.execute(select(Order.cart_id, Order.payment_status))).all())
    assert states == expected
    final_states = Counter(states.values())
    statuses = Counter(ordered.values())
    assert statuses == {
        "captured": final_states["captured"],
        "canceled": final_states["rejected"] + final_states["canceled"],
    }
    books = await read_books(bank.shop_database)
    books.check(await bank.list_approved_invoices(), is_finished=True)
    assert not books.attention
    return final_states


async def _count_waiting_jobs(bank: Bank) -> int:
    async with bank.shop_database.read() as session:
        query = select(func.count()).select_from(Job).where(Job.kind == "payment.notification")
        return (await session.execute(query)).scalar_one()


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Send the shop a storm of notifications.")
    parser.add_argument("--notifications", type=int, default=10_000)
    parser.add_argument("--orders", type=int, default=500)
    parser.add_argument("--database", choices=DATABASE_KINDS, default="sqlite")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty_database(arguments.database, Path(folder)) as url:
        storm = run(
            arguments.notifications, arguments.orders, database_url=url, processes=arguments.processes
        )
        figures = asyncio.run(storm)
    print(f"{figures.notifications} notifications for {figures.orders} orders in {figures.seconds:.1f} s")
    print(f"on {arguments.database} with {arguments.processes} processes")
    print(f"answers: {dict(figures.statuses)}")
    print(
        f"answered in {figures.median:.1f} ms (median), {figures.p99:.1f} ms (p99), {figures.slowest:.1f} ms (slowest)"
    )
    print(f"ends: {dict(figures.final_states)}")


if __name__ == "__main__":
    main()
