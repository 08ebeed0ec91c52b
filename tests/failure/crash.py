"""Kill the shop (SIGKILL) at every step of a purchase, and check what remains.

A purchase is paid, repeated at another bank, or refunded; the shop is killed in the middle of it and started again.
The bank approves the transactions it has, including those whose answer the shop never read and half of those that
the shopper gave up. In the end every approved payment has paid its order or is in attention, and no unit is
reserved without an order, except by a reservation that expires.

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
from tests.failure.databases import DATABASE_KINDS, empty_database
from tests.failure.scene import START_TIMEOUT_S, Bank, Shop, open_scene
from tests.failure.time_travel import move_moments_back

CREATE_PATH, LOOKUP_PATH = "debitos.json", "response.json"
ONE_HOUR = timedelta(hours=1)
MAX_KILL_DELAY_S = 0.03
"""Maximum delay of a random kill, in seconds: about the duration of the shop's own transactions."""


class Step(StrEnum):
    """A moment of a purchase, at which the shop is killed."""

    CREATE_SENT = "bank.create has arrived at the gateway, which has not acted yet"
    CREATED = "the gateway has acted, its answer is not sent"
    CREATE_ANSWERED = "the answer is being sent; a random moment after"
    ORDERED = "the shopper has been sent to the bank; a random moment around the notification"
    LOOKUP_SENT = "the shop asks the gateway for the payment's state"
    LOOKUP_ANSWERED = "the gateway has answered; a random moment while the payment is recorded"
    PAID = "the order is paid"
    CHANGE_LOOKUP_SENT = "the bank is being changed: the shop asks the gateway for the first payment's state"
    CHANGE_LOOKUP_ANSWERED = "the gateway has answered; a random moment while the first payment is closed"
    SECOND_SENT = "bank.create of the second bank has arrived at the gateway"
    SECOND_CREATED = "the gateway has acted on the second bank, its answer is not sent"
    SECOND_ANSWERED = "the second bank's answer is being sent; a random moment after"
    REFUND = "a random moment while a refund is recorded"


class Point(Enum):
    """A moment of a gateway call at which the trap can kill the shop."""

    CREATE_ARRIVES = auto()
    CREATE_IS_DONE = auto()
    CREATE_IS_ANSWERED = auto()
    LOOKUP_ARRIVES = auto()
    LOOKUP_IS_ANSWERED = auto()


BUY_POINTS = {
    Step.CREATE_SENT: Point.CREATE_ARRIVES,
    Step.CREATED: Point.CREATE_IS_DONE,
    Step.CREATE_ANSWERED: Point.CREATE_IS_ANSWERED,
}
LOOKUP_POINTS = {Step.LOOKUP_SENT: Point.LOOKUP_ARRIVES, Step.LOOKUP_ANSWERED: Point.LOOKUP_IS_ANSWERED}
CHANGE_POINTS = {
    Step.CHANGE_LOOKUP_SENT: Point.LOOKUP_ARRIVES,
    Step.CHANGE_LOOKUP_ANSWERED: Point.LOOKUP_IS_ANSWERED,
    Step.SECOND_SENT: Point.CREATE_ARRIVES,
    Step.SECOND_CREATED: Point.CREATE_IS_DONE,
    Step.SECOND_ANSWERED: Point.CREATE_IS_ANSWERED,
}


@dataclass
class Trap:
    """A wrapper of the gateway's application that kills the shop once, at the chosen point."""

    gateway: ASGIApp
    shop: Shop | None = None
    point: Point | None = None
    has_killed: asyncio.Event = field(default_factory=asyncio.Event)

    def set_point(self, point: Point) -> None:
        self.point = point
        self.has_killed.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_create, is_lookup = path.endswith(CREATE_PATH), path.endswith(LOOKUP_PATH)
        request = await receive()
        while request.get("more_body"):
            more = await receive()
            request = {**more, "body": request["body"] + more["body"]}
        if (is_create and self.point is Point.CREATE_ARRIVES) or (
            is_lookup and self.point is Point.LOOKUP_ARRIVES
        ):
            self._schedule_kill()

        async def receive_request() -> Message:
            return request

        async def send_or_kill(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and is_create and self.point is Point.CREATE_IS_DONE:
                self._schedule_kill()
            await send(message)

        await self.gateway(scope, receive_request, send_or_kill)
        if (is_create and self.point is Point.CREATE_IS_ANSWERED) or (
            is_lookup and self.point is Point.LOOKUP_IS_ANSWERED
        ):
            self._schedule_kill(random.uniform(0, MAX_KILL_DELAY_S))

    def _schedule_kill(self, after: float = 0.0) -> None:
        self.point = None
        asyncio.get_running_loop().call_later(after, self._kill)

    def _kill(self) -> None:
        assert self.shop is not None
        self.shop.kill()
        self.has_killed.set()

    async def wait(self) -> None:
        """Wait until the trap has killed the shop."""
        async with asyncio.timeout(START_TIMEOUT_S):
            await self.has_killed.wait()


@dataclass
class Figures:
    """Results of a run."""

    kills: int = 0
    approved: int = 0
    paid: int = 0
    refunded: int = 0
    attention: int = 0
    """Approved payments that a staff member must resolve."""
    failed_jobs: list[str] = field(default_factory=list)
    """Kinds of the jobs that were given up. Repeated kills may end any running job."""
    steps: Counter[Step] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass
class CrashRun:
    """A run: the shop, the trap and the bank, and the payments that shoppers have abandoned."""

    shop: Shop
    trap: Trap
    bank: Bank
    undecided: set[str] = field(default_factory=set)
    """Invoices of abandoned payments that the bank never decides."""

    async def crash_at(self, step: Step) -> None:
        """Make one purchase, kill the shop at this step, and open it again."""
        if step in BUY_POINTS:
            self.trap.set_point(BUY_POINTS[step])
            await self._click("/test/buy")
            await self.trap.wait()
        elif step in CHANGE_POINTS:
            await self._crash_bank_change(CHANGE_POINTS[step])
        elif step is Step.REFUND:
            await self._crash_refund()
        else:
            await self._crash_payment(step)
        await self._reopen()
        await self.bank.decide_all("approve", frozenset(self.undecided))

    async def _reopen(self) -> None:
        """Expire the job claims of the dead process, so that nothing waits for them, and open the shop."""
        await self.shop.wait_until_ended()
        await move_moments_back(self.bank.shop_database, ONE_HOUR, only=Job)
        await self.shop.open()

    async def _crash_payment(self, step: Step) -> None:
        if step in LOOKUP_POINTS:
            self.trap.set_point(LOOKUP_POINTS[step])
        await self._click("/test/buy")
        await self.bank.decide_all("approve", frozenset(self.undecided))
        if step in LOOKUP_POINTS:
            await self.trap.wait()
            return
        if step is Step.PAID:
            await self.wait_until_settled()
        else:
            await asyncio.sleep(random.uniform(0, MAX_KILL_DELAY_S))  # the test varies the moment of the kill
        self.shop.kill()

    async def _crash_bank_change(self, point: Point) -> None:
        order_id = await self._click("/test/buy")
        first = await self.bank.find_invoice(order_id)
        self.undecided.add(first)
        self.trap.set_point(point)
        await self._click(f"/test/change-bank/{order_id}")
        await self.trap.wait()
        await self._reopen()
        # the shopper clicks again and is not locked out
        assert await self._click(f"/test/change-bank/{order_id}")
        if random.random() < 0.5:
            self.undecided.discard(first)  # the bank still approves the first payment
        await self.bank.decide_all("approve", frozenset(self.undecided))
        self.shop.kill()

    async def _crash_refund(self) -> None:
        order_id = await self._click("/test/buy")
        await self.bank.decide_all("approve", frozenset(self.undecided))
        await self.wait_until_settled()
        path = f"/test/refund/{order_id}"
        clicking = asyncio.create_task(self._click(path))
        await asyncio.sleep(random.uniform(0, MAX_KILL_DELAY_S))
        self.shop.kill()
        await clicking
        await self._reopen()
        assert await self._click(path)  # the same transfer again: recorded once
        self.shop.kill()

    async def _click(self, path: str) -> str:
        """Send the request of a button. Return the order's id, or an empty string if the shop was killed."""
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(timeout=START_TIMEOUT_S) as client:
                answer = await client.post(f"{self.shop.url}{path}")
                assert answer.is_success, answer.text
                return str(answer.json()["order_id"])
        return ""

    async def wait_until_settled(self) -> Books:
        """Wait until every approved payment has paid its order or is in attention. Return the books at that moment."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            books = await read_books(self.bank.shop_database)
            missing = await self.bank.list_approved_invoices() - books.accounted_invoices
            if not missing:
                return books
            assert time.monotonic() < deadline, [
                payment for payment in books.payments if payment.invoice in missing
            ]
            self.shop.assert_alive()
            await asyncio.sleep(0.02)  # another process does the work: only its database can be polled


async def run(kills: int, *, steps: tuple[Step, ...] = tuple(Step), database_url: str = "") -> Figures:
    """Kill the shop `kills` times, then check every payment that the bank approved.

    Raises:
        AssertionError: a payment was lost or counted twice.
    """
    figures = Figures()
    started = time.monotonic()
    traps: list[Trap] = []

    def create_trap(app: ASGIApp) -> Trap:
        traps.append(Trap(app))
        return traps[0]

    with tempfile.TemporaryDirectory() as folder:
        scene = open_scene(Path(folder), database_url=database_url, wrap_gateway=create_trap)
        async with scene as ([shop], bank):
            traps[0].shop = shop
            run_of_kills = CrashRun(shop, traps[0], bank)
            await shop.open()
            for number in range(kills):
                step = steps[number % len(steps)]
                await run_of_kills.crash_at(step)
                figures.steps[step] += 1
            await bank.decide_all("approve", frozenset(run_of_kills.undecided))
            books = await run_of_kills.wait_until_settled()
            books.check(await bank.list_approved_invoices())
            approved = await bank.list_approved_invoices()
            figures.kills, figures.approved = shop.kills, len(approved)
            figures.paid, figures.refunded = books.paid_count, books.refunded_count
            figures.attention = sum(
                payment.is_in_attention for payment in books.payments if payment.invoice in approved
            )
            figures.failed_jobs = books.failed_jobs
            shop.kill()
            await shop.wait_until_ended()
    figures.seconds = time.monotonic() - started
    return figures


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(
        description="Kill the shop while customers pay, and check the payments afterwards."
    )
    parser.add_argument("--kills", type=int, default=len(Step))
    parser.add_argument("--database", choices=DATABASE_KINDS, default="sqlite")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, empty_database(arguments.database, Path(folder)) as url:
        figures = asyncio.run(run(arguments.kills, database_url=url))
    print(f"{figures.kills} kills in {figures.seconds:.0f} s on {arguments.database}")
    print(
        f"{figures.approved} payments approved, {figures.paid} orders paid, {figures.refunded} of them refunded"
    )
    print(f"{figures.attention} in attention; jobs that were given up: {figures.failed_jobs}")
    for step, count in figures.steps.items():
        print(f"  {count:4d}  {step}")


if __name__ == "__main__":
    main()
