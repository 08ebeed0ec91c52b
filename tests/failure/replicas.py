"""Three replicas behind a proxy lose machines while people buy: nothing is lost, doubled, or left hanging.

Programs, browsers and staff use the shop while replicas are killed (SIGKILL, each after all are ready again),
PostgreSQL is restarted and frozen, and Redis is emptied and frozen. In the end every approved payment has paid its
order once, every paid order has one label, stock is exact, nobody was answered with 500 and no page was stuck.

`python -m tests.failure.replicas --kills 50` prints the figures, and ends with 1 when something of this is not so.
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
from tests.failure.books import OVER, read_books
from tests.failure.cluster import UNITS, Cluster, open_cluster
from tests.failure.shoppers import Figures, Sender, Street, staff_token
from tools.browser import launch

PROGRAMS, BROWSERS = 3, 2
CALM = 800.0
"""Seconds within which payments, and then labels, are settled after the last failure. The shop asks about a payment of
which it was not told after 7 minutes; a label that was being made is in doubt after 5; a mail whose process was
killed is sent by another after 12."""
FROZEN_DATABASE, FROZEN_REDIS = 25.0, 6.0
"""Seconds: longer than the time limit of a statement; longer than pages wait before they say so."""
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*.*")


@dataclass
class Plan:
    """What goes wrong besides kills, by the number of the kill it follows."""

    cluster: Cluster
    kills: int
    restarts: int
    freezes: int

    def after(self, kill: int) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
        """What follows this kill (from 1), with its name."""
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
        """Whether one of so many, spread over the run, comes after this kill."""
        return int(kill * times / self.kills + shift) > int((kill - 1) * times / self.kills + shift)

    async def _restart(self, mode: str) -> None:
        await asyncio.to_thread(self.cluster.restart_postgresql, mode)

    async def _freeze_redis(self) -> None:
        async with self.cluster.frozen_redis():
            await asyncio.sleep(FROZEN_REDIS)

    async def _empty_redis(self) -> None:
        await asyncio.to_thread(self.cluster.empty_redis)

    async def _freeze_postgresql(self) -> None:
        async with self.cluster.frozen_postgresql():
            await asyncio.sleep(FROZEN_DATABASE)


async def fail_again_and_again(cluster: Cluster, plan: Plan) -> None:
    """Kill replicas, and do what the plan says, each after all are ready again."""
    for kill in range(1, plan.kills + 1):
        await cluster.all_ready()
        await asyncio.sleep(
            random.uniform(1, 3)
        )  # people shop meanwhile; the moment of the kill is what varies
        replica = random.choice(cluster.replicas)
        only_a_worker = kill % 5 == 0
        what = "the serving process" if only_a_worker else "all"
        cluster.note(f"kill {kill}: {what} of replica {cluster.replicas.index(replica)}")
        replica.kill(only_a_worker=only_a_worker)
        for name, fail in plan.after(kill):
            await cluster.all_ready()
            cluster.note(name)
            await fail()
    await cluster.all_ready()


async def calm(cluster: Cluster, left_of: Callable[[Cluster], Awaitable[list[str]]]) -> None:
    """Wait until nothing of this kind is left.

    Raises:
        AssertionError: something is, after `CALM` seconds.
    """
    deadline = time.monotonic() + CALM
    while left := await left_of(cluster):
        assert time.monotonic() < deadline, f"not settled: {left}"
        await asyncio.sleep(1)  # other processes are at work: only their database tells


async def open_payments(cluster: Cluster) -> list[str]:
    """What was decided at the bank and has not arrived."""
    async with cluster.bank.database.read() as session:
        decided = select(SandboxTransaction.invoice).where(SandboxTransaction.state != GatewayState.PENDING)
        final = set((await session.execute(decided)).scalars())
    async with cluster.database.read() as session:
        states = dict((await session.execute(select(PaymentSession.invoice, PaymentSession.state))).all())
    return [f"{invoice} {states.get(invoice)}" for invoice in final if states.get(invoice) not in OVER]


async def open_labels_and_mails(cluster: Cluster) -> list[str]:
    """Labels of which nobody knows whether they were made, and mails that have not left."""
    async with cluster.database.read() as session:
        labels = select(func.count()).where(Fulfillment.state.in_((LabelState.CREATING, LabelState.UNKNOWN)))
        in_doubt = (await session.execute(labels)).scalar_one()
        mails = select(func.count()).select_from(Job).where(Job.kind == "mail.send")
        unsent = (await session.execute(mails)).scalar_one()
    return [*["a label"] * in_doubt, *["a mail"] * unsent]


async def faults(cluster: Cluster) -> list[str]:
    """What is wrong with money, labels and stock."""
    found: list[str] = []
    books, approved = await read_books(cluster.database), await cluster.bank.approved()
    try:
        books.check(approved)
    except AssertionError as error:
        found.append(f"books: {error}")
    if books.attention:
        found.append(f"a person must settle: {Counter(books.attention)}")
    async with cluster.database.read() as session:
        paid = await session.execute(
            select(PaymentCollection.cart_id, PaymentSession.invoice).join(
                PaymentCollection, PaymentCollection.id == PaymentSession.collection_id
            )
        )
        by_cart = Counter(cart for cart, invoice in paid if invoice in approved)
        made = (
            (await session.execute(select(Fulfillment).where(Fulfillment.state == LabelState.CREATED)))
            .scalars()
            .all()
        )
        levels = dict(
            (await session.execute(select(InventoryLevel.variant_id, InventoryLevel.stocked))).all()
        )
    found += [f"paid {times} times: {cart}" for cart, times in by_cart.items() if times > 1]
    sent: Counter[str] = Counter()
    for fulfillment in made:
        for item in fulfillment.items:
            sent[item["variant_id"]] += item["quantity"]
    found += [
        f"stock of {variant} is {stocked}, {sent[variant]} were sent"
        for variant, stocked in levels.items()
        if stocked != UNITS - sent[variant]
    ]
    labels = [label for label in await cluster.carrier.ledger.labels() if label.status != Status.CANCELLED]
    known = Counter(fulfillment.carrier_order_id for fulfillment in made)
    of_order = Counter(fulfillment.order_id for fulfillment in made)
    found += [f"{times} fulfillments of {order}" for order, times in of_order.items() if times > 1]
    found += [f"a label nobody knows: {label.reference}" for label in labels if not known[label.order_id]]
    doubled = Counter(label.reference for label in labels)
    found += [f"{times} labels for {reference}" for reference, times in doubled.items() if times > 1]
    unsent = [order for order in books.orders.values() if order.payment_status == "captured"]
    found += [f"paid and not sent: {order.id}" for order in unsent if not of_order[order.id]]
    return found


async def run(kills: int, restarts: int, freezes: int, folder: Path) -> bool:
    """Do it and print what came of it. Gives whether all is well."""
    figures = Figures()
    async with open_cluster(folder) as cluster, async_playwright() as playwright:
        browser = await launch(playwright)
        street = await Street.of(cluster, figures, folder)
        sender = Sender(cluster, figures, await staff_token(cluster, figures))
        begun = time.monotonic()
        people = [
            *(asyncio.create_task(street.programs()) for _ in range(PROGRAMS)),
            *(asyncio.create_task(street.browsers(browser)) for _ in range(BROWSERS)),
        ]
        sending = asyncio.create_task(sender.work())
        await fail_again_and_again(cluster, Plan(cluster, kills, restarts, freezes))
        cluster.note("nothing fails any more")
        street.is_closing = True
        await asyncio.gather(*people)
        await browser.close()
        cluster.note("everybody has left")
        try:
            await calm(cluster, open_payments)
            sender.is_closing = True
            async with asyncio.timeout(CALM):
                await sending
            await calm(cluster, open_labels_and_mails)
            problems = [*figures.wrong, *await faults(cluster)]
        except (AssertionError, TimeoutError) as error:
            problems = [*figures.wrong, f"never settled: {error!r}", *await faults(cluster)]
        cluster.note("settled")
        books = await read_books(cluster.database)
        waits = sorted(figures.waits)
        print(f"\n{kills} kills, {restarts} restarts of PostgreSQL, in {time.monotonic() - begun:.0f} s")
        print(f"bought: {dict(figures.bought)}")
        print(f"{len(await cluster.bank.approved())} payments approved, {books.paid} orders paid")
        print(f"{sender.sent} labels at once, {sender.doubts} settled at the carrier's desk")
        print(f"answers: {dict(sorted(figures.answers.items()))}")
        print(
            f"requests took {waits[len(waits) // 2]:.2f} s (median), {waits[len(waits) * 99 // 100]:.1f} s (p99),"
            f" {waits[-1]:.1f} s at most, tries included"
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
    parser = argparse.ArgumentParser(description="Let machines fail while people buy.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--restarts", type=int, default=5, help="of PostgreSQL")
    parser.add_argument("--freezes", type=int, default=3, help="of Redis, which is emptied as often")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trompo-replicas-"))
    if not asyncio.run(run(asked.kills, asked.restarts, asked.freezes, folder)):
        sys.exit(1)


if __name__ == "__main__":
    main()
