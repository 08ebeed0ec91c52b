"""Killing the shop (SIGKILL) at every step of a purchase, and looking at what is left.

A purchase is paid, given up for another bank, or refunded; the shop is killed in the middle of it and started again.
The bank approves what it knows, also transactions whose answer the shop never read and, half of the time, those that
the shopper had given up. In the end every approved payment has paid its order or waits for a person, and no unit is
held for nothing.

`python -m tests.failure.crash --kills 200` prints the figures; `--database postgresql` runs it there.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum, StrEnum, auto
from pathlib import Path

import httpx
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.jobs.models import Job
from tests.failure.books import Books, read_books
from tests.failure.databases import KINDS, empty_database
from tests.failure.moments import move_moments_back
from tests.failure.scene import DEADLINE, Bank, Shop, open_scene

CREATE, LOOKUP = "debitos.json", "response.json"
AN_HOUR = timedelta(hours=1)
SOON = 0.03
"""Seconds within which a random kill falls: about as long as the shop's own transactions take."""


class Step(StrEnum):
    """When the shop is killed."""

    CREATE_SENT = "bank.create has arrived at the gateway, which has not acted yet"
    CREATED = "the gateway has acted, its answer is not sent"
    CREATE_ANSWERED = "the answer is on its way; a random moment after"
    ORDERED = "the shopper has been sent to the bank; a random moment around the notification"
    ASKED = "the shop asks the gateway how the payment stands"
    TOLD = "the gateway has told; a random moment in the settling"
    PAID = "the order is paid"
    CHANGE_ASKED = "the bank is being changed: the gateway is asked how the first payment stands"
    CHANGE_TOLD = "the gateway has told; a random moment in the closing"
    SECOND_SENT = "bank.create of the second bank has arrived at the gateway"
    SECOND_CREATED = "the gateway has acted on the second bank, its answer is not sent"
    SECOND_ANSWERED = "the second bank's answer is on its way; a random moment after"
    REFUND = "a refund is being booked; a random moment in it"


class Point(Enum):
    """Where the trap before the gateway can spring."""

    CREATE_ARRIVES = auto()
    CREATE_IS_DONE = auto()
    CREATE_IS_ANSWERED = auto()
    LOOKUP_ARRIVES = auto()
    LOOKUP_IS_ANSWERED = auto()


BUYING = {
    Step.CREATE_SENT: Point.CREATE_ARRIVES,
    Step.CREATED: Point.CREATE_IS_DONE,
    Step.CREATE_ANSWERED: Point.CREATE_IS_ANSWERED,
}
SETTLING = {Step.ASKED: Point.LOOKUP_ARRIVES, Step.TOLD: Point.LOOKUP_IS_ANSWERED}
CHANGING = {
    Step.CHANGE_ASKED: Point.LOOKUP_ARRIVES,
    Step.CHANGE_TOLD: Point.LOOKUP_IS_ANSWERED,
    Step.SECOND_SENT: Point.CREATE_ARRIVES,
    Step.SECOND_CREATED: Point.CREATE_IS_DONE,
    Step.SECOND_ANSWERED: Point.CREATE_IS_ANSWERED,
}


@dataclass
class Trap:
    """Stands before the gateway and kills the shop at the point it is set to, once."""

    gateway: ASGIApp
    shop: Shop | None = None
    point: Point | None = None
    sprung: asyncio.Event = field(default_factory=asyncio.Event)

    def set(self, point: Point) -> None:
        self.point = point
        self.sprung.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_create, is_lookup = path.endswith(CREATE), path.endswith(LOOKUP)
        request = await receive()
        while request.get("more_body"):
            more = await receive()
            request = {**more, "body": request["body"] + more["body"]}
        if (is_create and self.point is Point.CREATE_ARRIVES) or (
            is_lookup and self.point is Point.LOOKUP_ARRIVES
        ):
            self._spring()

        async def arrived() -> Message:
            return request

        async def send_or_kill(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and is_create and self.point is Point.CREATE_IS_DONE:
                self._spring()
            await send(message)

        await self.gateway(scope, arrived, send_or_kill)
        if (is_create and self.point is Point.CREATE_IS_ANSWERED) or (
            is_lookup and self.point is Point.LOOKUP_IS_ANSWERED
        ):
            self._spring(random.uniform(0, SOON))

    def _spring(self, after: float = 0.0) -> None:
        self.point = None
        asyncio.get_running_loop().call_later(after, self._kill)

    def _kill(self) -> None:
        assert self.shop is not None
        self.shop.kill()
        self.sprung.set()

    async def wait(self) -> None:
        """Until it has sprung."""
        async with asyncio.timeout(DEADLINE):
            await self.sprung.wait()


@dataclass
class Figures:
    """What a run came to."""

    kills: int = 0
    approved: int = 0
    paid: int = 0
    refunded: int = 0
    attention: int = 0
    """Approved payments that wait for a person."""
    failed_jobs: list[str] = field(default_factory=list)
    """Kinds of the jobs that were given up. The kills may end any job in flight, again and again."""
    steps: Counter[Step] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass
class Crashes:
    """One run: the shop, what kills it, the bank, and the payments that shoppers have given up."""

    shop: Shop
    trap: Trap
    bank: Bank
    left: set[str] = field(default_factory=set)
    """Invoices of given-up payments about which the bank never decides."""

    async def crash(self, step: Step) -> None:
        """One purchase, killed at this step, and the shop open again."""
        if step in BUYING:
            self.trap.set(BUYING[step])
            await self._press("/test/buy")
            await self.trap.wait()
        elif step in CHANGING:
            await self._change_bank(CHANGING[step])
        elif step is Step.REFUND:
            await self._refund()
        else:
            await self._pay(step)
        await self._open_again()
        await self.bank.decide_all("approve", frozenset(self.left))

    async def _open_again(self) -> None:
        """Open the shop. What the dead one had claimed is free at once: nobody waits for the claims to end."""
        await self.shop.closed()
        await move_moments_back(self.bank.shop_database, AN_HOUR, only=Job)
        await self.shop.open()

    async def _pay(self, step: Step) -> None:
        if step in SETTLING:
            self.trap.set(SETTLING[step])
        await self._press("/test/buy")
        await self.bank.decide_all("approve", frozenset(self.left))
        if step in SETTLING:
            await self.trap.wait()
            return
        if step is Step.PAID:
            await self.everything_is_settled()
        else:
            await asyncio.sleep(random.uniform(0, SOON))  # the moment of the kill is what is being varied
        self.shop.kill()

    async def _change_bank(self, point: Point) -> None:
        order_id = await self._press("/test/buy")
        first = await self.bank.invoice_of(order_id)
        self.left.add(first)
        self.trap.set(point)
        await self._press(f"/test/change-bank/{order_id}")
        await self.trap.wait()
        await self._open_again()
        # the shopper presses again, and is not locked out
        assert await self._press(f"/test/change-bank/{order_id}")
        if random.random() < 0.5:
            self.left.discard(first)  # the bank approves the first one all the same
        await self.bank.decide_all("approve", frozenset(self.left))
        self.shop.kill()

    async def _refund(self) -> None:
        order_id = await self._press("/test/buy")
        await self.bank.decide_all("approve", frozenset(self.left))
        await self.everything_is_settled()
        path = f"/test/refund/{order_id}"
        pressing = asyncio.create_task(self._press(path))
        await asyncio.sleep(random.uniform(0, SOON))
        self.shop.kill()
        await pressing
        await self._open_again()
        assert await self._press(path)  # the same transfer once more: booked once
        self.shop.kill()

    async def _press(self, path: str) -> str:
        """Press a button. Gives the order's id, or nothing when the shop was killed under it."""
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(timeout=DEADLINE) as client:
                answer = await client.post(f"{self.shop.url}{path}")
                assert answer.is_success, answer.text
                return str(answer.json()["order_id"])
        return ""

    async def everything_is_settled(self) -> Books:
        """Wait until every approved payment has paid its order, or waits for a person."""
        deadline = time.monotonic() + DEADLINE
        while True:
            books = await read_books(self.bank.shop_database)
            lost = await self.bank.approved() - books.accounted_for
            if not lost:
                return books
            assert time.monotonic() < deadline, [one for one in books.payments if one.invoice in lost]
            self.shop.assert_alive()
            await asyncio.sleep(0.02)  # another process is at work; there is only its database to look at


async def run(kills: int, *, steps: tuple[Step, ...] = tuple(Step), database_url: str = "") -> Figures:
    """Kill the shop that many times, then check every payment the bank approved.

    Raises:
        AssertionError: a payment was lost, or counted twice.
    """
    figures = Figures()
    started = time.monotonic()
    traps: list[Trap] = []

    def set_a_trap(app: ASGIApp) -> Trap:
        traps.append(Trap(app))
        return traps[0]

    with tempfile.TemporaryDirectory() as folder:
        scene = open_scene(Path(folder), database_url=database_url, around_gateway=set_a_trap)
        async with scene as ([shop], bank):
            traps[0].shop = shop
            crashes = Crashes(shop, traps[0], bank)
            await shop.open()
            for number in range(kills):
                step = steps[number % len(steps)]
                await crashes.crash(step)
                figures.steps[step] += 1
            await bank.decide_all("approve", frozenset(crashes.left))
            books = await crashes.everything_is_settled()
            books.check(await bank.approved())
            approved = await bank.approved()
            figures.kills, figures.approved = shop.kills, len(approved)
            figures.paid, figures.refunded = books.paid, books.refunded
            figures.attention = sum(one.is_in_attention for one in books.payments if one.invoice in approved)
            figures.failed_jobs = books.failed_jobs
            shop.kill()
            await shop.closed()
    figures.seconds = time.monotonic() - started
    return figures


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Kill the shop while people pay, and count what is left.")
    parser.add_argument("--kills", type=int, default=len(Step))
    parser.add_argument("--database", choices=KINDS, default="sqlite")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty_database(asked.database, Path(folder)) as url:
        figures = asyncio.run(run(asked.kills, database_url=url))
    print(f"{figures.kills} kills in {figures.seconds:.0f} s on {asked.database}")
    print(
        f"{figures.approved} payments approved, {figures.paid} orders paid, {figures.refunded} of them refunded"
    )
    print(f"{figures.attention} wait for a person; jobs that were given up: {figures.failed_jobs}")
    for step, count in figures.steps.items():
        print(f"  {count:4d}  {step}")


if __name__ == "__main__":
    main()
