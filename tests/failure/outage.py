"""A gateway that fails at a random moment and recovers within 48 hours, repeatedly.

Shoppers buy, return from the bank, choose another bank and click twice while the gateway fails: before it acted on
a call, or after it acted and before its answer arrived. Banks approve, reject, abandon or never decide, within
minutes or many hours. Time passes by moving every stored moment back (deadlines, jobs, transactions), never by
another clock.

In the end every approved payment has paid its order or is in attention, every payment has a final state, and no
reservation is left.

`python -m tests.failure.outage --outages 100` prints the figures; `--database postgresql` runs it there.
"""

import argparse
import asyncio
import logging
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from itertools import count
from pathlib import Path

import httpx
from sqlalchemy import select, update
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import read_cart_view
from backend.catalog.models import Variant
from backend.checkout.placed_orders import PlacedOrder
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.errors import ShopError
from backend.inventory.models import InventoryLevel
from backend.migrations.runner import upgrade
from backend.migrations.sandbox_tables import SandboxTransaction
from backend.operations.demo.seed import seed
from backend.payment.providers.pse.reports import GatewayState
from tests.checkout_steps import CHECKOUT_INPUT
from tests.failure.books import Books, read_books
from tests.failure.databases import DATABASE_KINDS, empty_database
from tests.failure.shop_process import OTHER_BANK, SKU
from tests.failure.time_travel import move_moments_back
from tests.gateway_kit import set_retry_policy

SHOPPERS = 3
"""Number of customers who buy in the minutes before and during the failure."""
MAX_OUTAGE = timedelta(hours=47)
RECOVERY_TIME = timedelta(hours=53)
"""Time after the latest purchase: a reservation, the 48 hours in which the shop polls a payment, and a margin."""
MAX_CALLS_BEFORE_OUTAGE = 40
"""The gateway fails after at most this many calls."""
BANK_DECISIONS = (
    *(GatewayState.ACCEPTED,) * 8,
    *(GatewayState.REJECTED, GatewayState.CANCELED, GatewayState.ABANDONED) * 2,
    GatewayState.FAILED,
    None,
)
"""Decisions of banks, repeated by frequency; None: the bank never decides."""
SLOW_BANK_SHARE = 0.25
"""Share of banks that decide hours after the shopper."""


class FailureMode(StrEnum):
    """The way in which calls fail during an outage."""

    REFUSED = "connection refused"
    SILENT = "no answer"
    PROXY = "a proxy's page with 502"


@dataclass
class FailingGateway:
    """A wrapper that can make the gateway's application fail, at once or after some calls."""

    rng: random.Random
    failure_mode: FailureMode | None = None
    calls_left: int | None = None
    last_call_takes_effect: bool = False
    """True if the call that starts the outage still takes effect."""

    def fail_after(self, calls: int) -> None:
        self.calls_left, self.last_call_takes_effect = calls, self.rng.random() < 0.5

    def fail(self) -> None:
        self.failure_mode, self.calls_left = self.failure_mode or self.rng.choice(list(FailureMode)), None

    def revive(self) -> None:
        self.failure_mode = self.calls_left = None

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return the gateway's application wrapped by this object."""

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            await self._call(app, scope, receive, send)

        return call

    async def _call(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                self.fail()
                if self.last_call_takes_effect:  # a caller cannot distinguish this from a slow gateway
                    await app(scope, receive, _discard)
                    raise httpx.ReadError("the gateway died while it answered")
        match self.failure_mode:
            case None:
                await app(scope, receive, send)
            case FailureMode.REFUSED:
                raise httpx.ConnectError("the gateway is dead")
            case FailureMode.SILENT:
                raise httpx.ReadTimeout("the gateway is dead")
            case FailureMode.PROXY:
                await send({"type": "http.response.start", "status": 502, "headers": []})
                await send({"type": "http.response.body", "body": b"<h1>502 Bad Gateway</h1>"})


async def _discard(_message: object) -> None:
    """Discard a message of the answer, so that the call takes effect without an answer."""


@dataclass
class Decision:
    """A bank's decision about a transaction, and the time until then."""

    state: GatewayState | None
    after: timedelta


@dataclass
class Figures:
    """Results of a run."""

    outages: int = 0
    orders: int = 0
    approved: int = 0
    paid: int = 0
    changed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Errors shown to shoppers who could not start a payment or change the bank."""
    attention: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass
class Scene:
    """A shop whose gateway can fail, and the banks behind it."""

    shop: Shop
    gateway: FailingGateway
    rng: random.Random
    figures: Figures = field(default_factory=Figures)
    decisions: dict[str, Decision] = field(default_factory=dict)
    """Pending decisions by invoice; `after` counts from now."""
    orders: list[PlacedOrder] = field(default_factory=list)
    clients: "count[int]" = field(default_factory=count)

    async def run_outage(self) -> None:
        """Let the gateway fail and recover, and let time pass until every payment must have a final state."""
        self.gateway.fail_after(self.rng.randrange(MAX_CALLS_BEFORE_OUTAGE))
        for _ in range(SHOPPERS):
            await self._simulate_shopper()
            await self._advance(timedelta(minutes=self.rng.uniform(0, 6)))
        self.gateway.fail()
        outage_length = MAX_OUTAGE * self.rng.random() ** 2
        await self._pass_time(outage_length)
        if self.rng.random() < 0.5:  # a customer tries during the outage
            await self._simulate_shopper()
        self.gateway.revive()
        await self._pass_time(RECOVERY_TIME)
        (await self.get_books()).check(await self.list_approved_invoices(), is_finished=True)
        for placed in self.orders:  # no order is lost: its page opens
            await self.shop.placed_orders.get_order_page(placed.order_id, placed.token, refresh=False)
        self.figures.outages += 1

    async def _simulate_shopper(self) -> None:
        """Simulate one shopper until they close the browser."""
        placed = await self._buy()
        if placed is None:
            return
        if self.rng.random() < 0.5:
            await self._return_from_bank(placed)
        if self.rng.random() < 0.4:
            new_order = await self._change_bank(placed)
            if new_order is not None and self.rng.random() < 0.5:
                await self._return_from_bank(new_order)

    async def _buy(self) -> PlacedOrder | None:
        async with self.shop.database.transaction() as session:
            variant_id = (await session.execute(select(Variant.id).where(Variant.sku == SKU))).scalar_one()
            cart_id = await create_empty_cart(session)
            await add_to_cart(session, cart_id, variant_id, self.rng.randint(1, 3))
        return await self._pay(cart_id, CHECKOUT_INPUT["bank"])

    async def _pay(self, cart_id: str, bank: str) -> PlacedOrder | None:
        """Submit the checkout, and again if it fails."""
        form, checkout = {**CHECKOUT_INPUT, "bank": bank}, self.shop.checkout
        await checkout.set_town(cart_id, form["dane_code"], form["address"])
        offer = await checkout.offer_shipping(cart_id, ip="")
        await checkout.offer_shipping(cart_id, self.rng.choice(offer.choices).id, is_choice=True, ip="")
        async with self.shop.database.read() as session:
            total = (await read_cart_view(session, cart_id)).total
        for _try in range(2):
            client = next(self.clients)
            ip = f"190.24.{client // 256 % 256}.{client % 256}"
            try:
                placed = await checkout.place_order(cart_id, form, expected_total=total, ip=ip)
            except ShopError as error:
                self.figures.refused[type(error).__name__] += 1
            else:
                self.figures.orders += 1
                self.orders.append(placed)
                return placed
            finally:
                await self._plan_bank_decisions()
        return None

    async def _return_from_bank(self, placed: PlacedOrder) -> None:
        await self._advance(timedelta(minutes=self.rng.uniform(0, 4)))
        await self.shop.placed_orders.get_order_page(placed.order_id, placed.token)

    async def _change_bank(self, placed: PlacedOrder) -> PlacedOrder | None:
        try:
            cart_id = await self.shop.placed_orders.change_bank(placed.order_id, placed.token)
        except ShopError as error:
            self.figures.refused[type(error).__name__] += 1
            return None
        if not cart_id:
            return None
        self.figures.changed += 1
        return await self._pay(cart_id, OTHER_BANK)

    async def _plan_bank_decisions(self) -> None:
        """Choose the bank's decision for each new transaction."""
        async with self.shop.database.read() as session:
            invoices = (await session.execute(select(SandboxTransaction.invoice))).scalars().all()
        for invoice in invoices:
            if invoice not in self.decisions:
                is_slow = self.rng.random() < SLOW_BANK_SHARE
                hours = self.rng.uniform(0.4, 44) if is_slow else self.rng.uniform(0, 0.33)
                self.decisions[invoice] = Decision(self.rng.choice(BANK_DECISIONS), timedelta(hours=hours))

    async def _pass_time(self, time_left: timedelta) -> None:
        """Let time pass in steps of growing size while the shop works."""
        step = timedelta(minutes=2)
        while time_left > timedelta(0):
            await self._advance(min(step, time_left))
            time_left -= step
            step = min(step * self.rng.uniform(1, 1.4), timedelta(hours=3))

    async def _advance(self, span: timedelta) -> None:
        await move_moments_back(self.shop.database, span)
        for decision in self.decisions.values():
            decision.after -= span
        await self._apply_bank_decisions()
        await self.shop.worker.run_due()

    async def _apply_bank_decisions(self) -> None:
        """Record the due decisions at the gateway, even during an outage.

        The shop learns of them when it next asks the gateway: no notification is sent.
        """
        due = {
            invoice: decision.state
            for invoice, decision in self.decisions.items()
            if decision.after <= timedelta(0) and decision.state is not None
        }
        async with self.shop.database.transaction() as session:
            undecided = select(SandboxTransaction).where(
                SandboxTransaction.state == GatewayState.PENDING, SandboxTransaction.invoice.in_(due)
            )
            for row in (await session.execute(undecided)).scalars():
                row.state = due[row.invoice]

    async def list_approved_invoices(self) -> set[str]:
        """Return the invoices that the bank has approved."""
        async with self.shop.database.read() as session:
            accepted = SandboxTransaction.state == GatewayState.ACCEPTED
            return set((await session.execute(select(SandboxTransaction.invoice).where(accepted))).scalars())

    async def get_books(self) -> Books:
        """Return the shop's books."""
        return await read_books(self.shop.database)


async def run(outages: int, *, database_url: str, folder: Path, rng_seed: int | None = None) -> Figures:
    """Let the gateway of a shop in this process fail `outages` times.

    Args:
        outages: the number of outages.
        database_url: an empty database.
        folder: the shop's data folder.
        rng_seed: the same seed repeats the same run.

    Raises:
        AssertionError: a payment was lost or counted twice, a payment has no final state, or a reservation is left.
    """
    started = time.monotonic()
    rng = random.Random(rng_seed)
    shop = Shop(Settings(data_dir=folder, database_url=database_url))
    try:
        await upgrade(shop.database)
        await seed(shop.database, shop.settings)
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=100_000))
        gateway = FailingGateway(rng)
        shop.sandbox.gateway.app.add_middleware(gateway.wrap)  # type: ignore[union-attr]
        set_retry_policy(shop.payments.providers[GATEWAY_PSE].client)  # type: ignore[attr-defined]
        await shop.worker.schedule()
        scene = Scene(shop, gateway, rng)
        for _ in range(outages):
            await scene.run_outage()
        figures, books = scene.figures, await scene.get_books()
        figures.approved, figures.paid = len(await scene.list_approved_invoices()), books.paid_count
        figures.attention.update(books.attention)
    finally:
        await shop.stop()
    figures.seconds = time.monotonic() - started
    return figures


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(
        description="Let the gateway fail while customers pay, and recover within 48 hours."
    )
    parser.add_argument("--outages", type=int, default=100)
    parser.add_argument("--database", choices=DATABASE_KINDS, default="sqlite")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    logging.disable(logging.ERROR)  # the shop logs the outage as errors
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with empty_database(arguments.database, folder) as url:
            story = run(arguments.outages, database_url=url, folder=folder / "shop", rng_seed=arguments.seed)
            figures = asyncio.run(story)
    print(f"{figures.outages} outages in {figures.seconds:.0f} s on {arguments.database}")
    print(f"{figures.orders} orders, {figures.changed} banks changed, {figures.approved} payments approved")
    print(f"{figures.paid} orders paid; in attention: {dict(figures.attention)}")
    print(f"shown to shoppers: {dict(figures.refused)}")


if __name__ == "__main__":
    main()
