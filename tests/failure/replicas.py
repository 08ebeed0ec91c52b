"""Three replicas behind a proxy lose machines while customers buy: nothing is lost, doubled or left unfinished.

Programs, browsers and staff use the shop while replicas are killed (SIGKILL, each after all are ready again),
PostgreSQL is restarted and frozen, and Redis is emptied and frozen. In the end every approved payment has paid its
order once, every paid order has one label, stock is exact, no request was answered with 500 and no page was stuck.

`python -m tests.failure.replicas --kills 50` prints the figures, and exits with 1 if one of these does not hold.
"""

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import async_playwright
from sqlalchemy import func, select

from backend.inventory.models import InventoryLevel
from backend.jobs.models import Job
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.orders.models import Fulfillment
from backend.orders.states import LabelState
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.carrier.labels import Status
from tests.failure.books import FINAL_STATES, read_books
from tests.failure.cluster import INITIAL_STOCK, Cluster, open_cluster
from tests.failure.shoppers import Crowd, Figures, OrderShipper, staff_token
from tools.browser import launch

PROGRAMS, BROWSERS = 3, 2
SETTLE_TIMEOUT_S = 800.0
"""Seconds within which payments, and then labels, are finished after the latest failure.

The shop polls a payment without a notification after 7 minutes; a label whose creation was interrupted is in doubt
after 5; another process sends the mail of a killed process after 12.
"""
POSTGRESQL_FREEZE_S, REDIS_FREEZE_S = 25.0, 6.0
"""Seconds: longer than a statement's timeout; longer than a page waits before it reports the failure."""
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*.*")


@dataclass
class FailurePlan:
    """The restarts and freezes of PostgreSQL and Redis in a run, each after a certain kill."""

    cluster: Cluster
    kills: int
    restarts: int
    freezes: int

    def failures_after(self, kill: int) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        """Return the failures after this kill (counted from 1), with their names."""
        found: list[tuple[str, Callable[[], Awaitable[None]]]] = []
        if self._is_due(kill, self.restarts, 0.5):
            mode = "immediate" if self._number(kill, self.restarts) % 2 else "fast"
            found.append((f"PostgreSQL restarted ({mode})", lambda: self._restart(mode)))
        if self._is_due(kill, self.freezes, 0.25):
            found.append(("Redis frozen", self._freeze_redis))
        if self._is_due(kill, self.freezes, 0.75):
            found.append(("Redis emptied", self._empty_redis))
        if kill == (self.kills + 1) // 2:
            found.append(("PostgreSQL frozen", self._freeze_postgresql))
        return found

    def _number(self, kill: int, times: int) -> int:
        return int(kill * times / self.kills)

    def _is_due(self, kill: int, times: int, shift: float) -> bool:
        """Return True if one of `times` failures, spread over the run, follows this kill."""
        return int(kill * times / self.kills + shift) > int((kill - 1) * times / self.kills + shift)

    async def _restart(self, mode: str) -> None:
        await asyncio.to_thread(self.cluster.restart_postgresql, mode)

    async def _freeze_redis(self) -> None:
        async with self.cluster.freeze_redis():
            await asyncio.sleep(REDIS_FREEZE_S)

    async def _empty_redis(self) -> None:
        await asyncio.to_thread(self.cluster.flush_redis)

    async def _freeze_postgresql(self) -> None:
        async with self.cluster.freeze_postgresql():
            await asyncio.sleep(POSTGRESQL_FREEZE_S)


async def run_failures(cluster: Cluster, plan: FailurePlan) -> None:
    """Kill replicas and run the plan's failures, each after all replicas are ready again."""
    for kill in range(1, plan.kills + 1):
        await cluster.wait_until_ready()
        await asyncio.sleep(
            random.uniform(1, 3)
        )  # customers buy in the meantime; the test varies the moment of the kill
        replica = random.choice(cluster.replicas)
        only_a_worker = kill % 5 == 0
        part = "the serving process" if only_a_worker else "all"
        cluster.log_event(f"kill {kill}: {part} of replica {cluster.replicas.index(replica)}")
        replica.kill(only_a_worker=only_a_worker)
        for name, fail in plan.failures_after(kill):
            await cluster.wait_until_ready()
            cluster.log_event(name)
            await fail()
    await cluster.wait_until_ready()


async def wait_until_none(
    cluster: Cluster, find_remaining: Callable[[Cluster], Awaitable[list[str]]]
) -> None:
    """Wait until `find_remaining` returns nothing.

    Raises:
        AssertionError: something remains after `SETTLE_TIMEOUT_S` seconds.
    """
    deadline = time.monotonic() + SETTLE_TIMEOUT_S
    while remaining := await find_remaining(cluster):
        assert time.monotonic() < deadline, f"not finished: {remaining}"
        await asyncio.sleep(1)  # other processes do the work: only their database can be polled


async def find_open_payments(cluster: Cluster) -> list[str]:
    """Return the payments that the bank has decided and the shop has not recorded."""
    async with cluster.bank.database.read() as session:
        decided = select(SandboxTransaction.invoice).where(SandboxTransaction.state != GatewayState.PENDING)
        final = set((await session.execute(decided)).scalars())
    async with cluster.database.read() as session:
        states = dict((await session.execute(select(PaymentSession.invoice, PaymentSession.state))).all())
    return [
        f"{invoice} {states.get(invoice)}" for invoice in final if states.get(invoice) not in FINAL_STATES
    ]


async def find_open_labels_and_mails(cluster: Cluster) -> list[str]:
    """Return a text for each label with an unknown outcome, and for each unsent mail."""
    async with cluster.database.read() as session:
        labels = select(func.count()).where(Fulfillment.state.in_((LabelState.CREATING, LabelState.UNKNOWN)))
        in_doubt = (await session.execute(labels)).scalar_one()
        mails = select(func.count()).select_from(Job).where(Job.kind == "mail.send")
        unsent = (await session.execute(mails)).scalar_one()
    return [*["a label"] * in_doubt, *["a mail"] * unsent]


async def find_faults(cluster: Cluster) -> list[str]:
    """Return the errors in payments, labels and stock."""
    found: list[str] = []
    books, approved = await read_books(cluster.database), await cluster.bank.list_approved_invoices()
    try:
        books.check(approved)
    except AssertionError as error:
        found.append(f"books: {error}")
    if books.attention:
        found.append(f"in attention: {Counter(books.attention)}")
    async with cluster.database.read() as session:
        paid = await session.execute(
            select(PaymentCollection.cart_id, PaymentSession.invoice).join(
                PaymentCollection, PaymentCollection.id == PaymentSession.collection_id
            )
        )
        by_cart = Counter(cart for cart, invoice in paid if invoice in approved)
        labels_created = (
            (await session.execute(select(Fulfillment).where(Fulfillment.state == LabelState.CREATED)))
            .scalars()
            .all()
        )
        levels = dict(
            (await session.execute(select(InventoryLevel.variant_id, InventoryLevel.stocked))).all()
        )
    found += [f"paid {times} times: {cart}" for cart, times in by_cart.items() if times > 1]
    sent: Counter[str] = Counter()
    for fulfillment in labels_created:
        for item in fulfillment.items:
            sent[item["variant_id"]] += item["quantity"]
    found += [
        f"stock of {variant} is {stocked}, {sent[variant]} were sent"
        for variant, stocked in levels.items()
        if stocked != INITIAL_STOCK - sent[variant]
    ]
    labels = [
        label for label in await cluster.carrier.ledger.list_labels() if label.status != Status.CANCELLED
    ]
    fulfilled_labels = Counter(fulfillment.carrier_order_id for fulfillment in labels_created)
    of_order = Counter(fulfillment.order_id for fulfillment in labels_created)
    found += [f"{times} fulfillments of {order}" for order, times in of_order.items() if times > 1]
    found += [
        f"a label without a fulfillment: {label.reference}"
        for label in labels
        if not fulfilled_labels[label.order_id]
    ]
    doubled = Counter(label.reference for label in labels)
    found += [f"{times} labels for {reference}" for reference, times in doubled.items() if times > 1]
    unsent = [order for order in books.orders.values() if order.payment_status == "captured"]
    found += [f"paid and not sent: {order.id}" for order in unsent if not of_order[order.id]]
    return found


async def run(kills: int, restarts: int, freezes: int, folder: Path) -> bool:
    """Run the failures and print the results. Return True if there is no problem."""
    figures = Figures()
    async with open_cluster(folder) as cluster, async_playwright() as playwright:
        browser = await launch(playwright)
        crowd = await Crowd.create(cluster, figures, folder)
        shipper = OrderShipper(cluster, figures, await staff_token(cluster, figures))
        started = time.monotonic()
        customers = [
            *(asyncio.create_task(crowd.run_programs()) for _ in range(PROGRAMS)),
            *(asyncio.create_task(crowd.run_browsers(browser)) for _ in range(BROWSERS)),
        ]
        sending = asyncio.create_task(shipper.ship_orders())
        await run_failures(cluster, FailurePlan(cluster, kills, restarts, freezes))
        cluster.log_event("no more failures")
        crowd.is_closing = True
        await asyncio.gather(*customers)
        await browser.close()
        cluster.log_event("all customers have finished")
        try:
            await wait_until_none(cluster, find_open_payments)
            shipper.is_closing = True
            async with asyncio.timeout(SETTLE_TIMEOUT_S):
                await sending
            await wait_until_none(cluster, find_open_labels_and_mails)
            problems = [*figures.wrong, *await find_faults(cluster)]
        except (AssertionError, TimeoutError) as error:
            problems = [*figures.wrong, f"never finished: {error!r}", *await find_faults(cluster)]
        cluster.log_event("finished")
        books = await read_books(cluster.database)
        waits = sorted(figures.waits)
        print(f"\n{kills} kills, {restarts} restarts of PostgreSQL, in {time.monotonic() - started:.0f} s")
        print(f"bought: {dict(figures.bought)}")
        print(
            f"{len(await cluster.bank.list_approved_invoices())} payments approved, {books.paid_count} orders paid"
        )
        print(f"{shipper.sent} labels created directly, {shipper.doubts} resolved at the carrier's desk")
        print(f"answers: {dict(sorted(figures.answers.items()))}")
        print(
            f"requests took {waits[len(waits) // 2]:.2f} s (median), {waits[len(waits) * 99 // 100]:.1f} s (p99),"
            f" {waits[-1]:.1f} s at most, retries included"
        )
        tracebacks = [
            found for replica in cluster.replicas for found in TRACEBACK.findall(replica.log.read_text())
        ]
        print(f"tracebacks in the logs: {len(tracebacks)}", *tracebacks, sep="\n")
    for problem in problems:
        print(f"WRONG: {problem}")
    print("all is well" if not problems else f"{len(problems)} things are wrong; see {folder}")
    return not problems


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Let machines fail while customers buy.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--restarts", type=int, default=5, help="of PostgreSQL")
    parser.add_argument("--freezes", type=int, default=3, help="of Redis, which is emptied as often")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trompo-replicas-"))
    if not asyncio.run(run(arguments.kills, arguments.restarts, arguments.freezes, folder)):
        sys.exit(1)


if __name__ == "__main__":
    main()
