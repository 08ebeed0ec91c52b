"""A gateway that dies at a random moment and comes back within 48 hours, again and again.

Shoppers buy, come back from the bank, choose another bank and press twice while the gateway dies: before it acted on a
call, or after it acted and before its answer was through. Banks approve, refuse, give up or say nothing, in minutes or
in many hours. Time passes by moving every stored moment back (deadlines, jobs, transactions), never by another clock.

In the end every approved payment has paid its order or waits for a person, no payment is without its end, and no
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
from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.cart.views import cart_view
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
from tests.checkout_steps import TYPED
from tests.failure.books import Books, read_books
from tests.failure.databases import KINDS, empty_database
from tests.failure.moments import move_moments_back
from tests.failure.shop_process import OTHER_BANK, SKU
from tests.gateway_kit import hasty

SHOPPERS = 3
"""How many buy in the minutes before and while the gateway dies."""
LONGEST = timedelta(hours=47)
AFTERWARDS = timedelta(hours=53)
"""After the last purchase: a reservation, the 48 hours in which its payment is asked about, and some more."""
FEVER = 40
"""The gateway dies after at most so many calls."""
ENDS = (
    *(GatewayState.ACCEPTED,) * 8,
    *(GatewayState.REJECTED, GatewayState.CANCELED, GatewayState.ABANDONED) * 2,
    GatewayState.FAILED,
    None,
)
"""What banks decide, as often as it stands here; None: nothing, ever."""
BANK_IS_SLOW = 0.25
"""Share of banks that decide hours after the shopper did."""


class Death(StrEnum):
    """How calls fail while the gateway is dead."""

    REFUSED = "connection refused"
    SILENT = "no answer"
    PROXY = "a proxy's page with 502"


@dataclass
class Mortal:
    """Stands before the gateway's application and lets it die after some calls."""

    chance: random.Random
    death: Death | None = None
    calls_left: int | None = None
    acts_last: bool = False
    """Whether the call it dies in still takes effect."""

    def dies_after(self, calls: int) -> None:
        self.calls_left, self.acts_last = calls, self.chance.random() < 0.5

    def die(self) -> None:
        self.death, self.calls_left = self.death or self.chance.choice(list(Death)), None

    def revive(self) -> None:
        self.death = self.calls_left = None

    def around(self, app: ASGIApp) -> ASGIApp:
        """What stands before the gateway's application."""

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            await self._call(app, scope, receive, send)

        return call

    async def _call(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                self.die()
                if self.acts_last:  # nobody can tell that from a gateway that is only slow
                    await app(scope, receive, _nowhere)
                    raise httpx.ReadError("the gateway died while it answered")
        match self.death:
            case None:
                await app(scope, receive, send)
            case Death.REFUSED:
                raise httpx.ConnectError("the gateway is dead")
            case Death.SILENT:
                raise httpx.ReadTimeout("the gateway is dead")
            case Death.PROXY:
                await send({"type": "http.response.start", "status": 502, "headers": []})
                await send({"type": "http.response.body", "body": b"<h1>502 Bad Gateway</h1>"})


async def _nowhere(_message: object) -> None:
    """Where the answer goes of a gateway that dies while it answers."""


@dataclass
class Decision:
    """What a bank decides about a transaction, and after how long from now."""

    state: GatewayState | None
    after: timedelta


@dataclass
class Figures:
    """What a run came to."""

    outages: int = 0
    orders: int = 0
    approved: int = 0
    paid: int = 0
    changed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """What shoppers were told when they could not start a payment, or change the bank."""
    attention: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass
class Scene:
    """A shop whose gateway is mortal, and the banks behind it."""

    shop: Shop
    gateway: Mortal
    chance: random.Random
    figures: Figures = field(default_factory=Figures)
    decisions: dict[str, Decision] = field(default_factory=dict)
    """What is still to be decided, by invoice; `after` counts from now on."""
    orders: list[PlacedOrder] = field(default_factory=list)
    clients: "count[int]" = field(default_factory=count)

    async def outage(self) -> None:
        """The gateway dies and comes back, and time passes until every payment must have its end."""
        self.gateway.dies_after(self.chance.randrange(FEVER))
        for _ in range(SHOPPERS):
            await self._shop_around()
            await self._pass(timedelta(minutes=self.chance.uniform(0, 6)))
        self.gateway.die()
        dead_for = LONGEST * self.chance.random() ** 2
        await self._let_pass(dead_for)
        if self.chance.random() < 0.5:  # somebody tries while it is dead
            await self._shop_around()
        self.gateway.revive()
        await self._let_pass(AFTERWARDS)
        (await self.books()).check(await self.approved(), is_over=True)
        for placed in self.orders:  # no order is lost, and its page opens
            await self.shop.placed_orders.page(placed.order_id, placed.token, ask=False)
        self.figures.outages += 1

    async def _shop_around(self) -> None:
        """What one shopper does until the browser is closed."""
        placed = await self._buy()
        if placed is None:
            return
        if self.chance.random() < 0.5:
            await self._come_back(placed)
        if self.chance.random() < 0.4:
            again = await self._change_bank(placed)
            if again is not None and self.chance.random() < 0.5:
                await self._come_back(again)

    async def _buy(self) -> PlacedOrder | None:
        async with self.shop.database.transaction() as session:
            toy = (await session.execute(select(Variant.id).where(Variant.sku == SKU))).scalar_one()
            cart_id = await new_cart(session)
            await add_to_cart(session, cart_id, toy, self.chance.randint(1, 3))
        return await self._pay(cart_id, TYPED["bank"])

    async def _pay(self, cart_id: str, bank: str) -> PlacedOrder | None:
        """Press the button, and once more when it fails."""
        typed, checkout = {**TYPED, "bank": bank}, self.shop.checkout
        await checkout.set_town(cart_id, typed["dane_code"], typed["address"])
        offer = await checkout.offer_shipping(cart_id, ip="")
        await checkout.offer_shipping(cart_id, self.chance.choice(offer.choices).id, is_choice=True, ip="")
        async with self.shop.database.read() as session:
            total = (await cart_view(session, cart_id)).total
        for _press in range(2):
            client = next(self.clients)
            ip = f"190.24.{client // 256 % 256}.{client % 256}"
            try:
                placed = await checkout.place_order(cart_id, typed, expected_total=total, ip=ip)
            except ShopError as error:
                self.figures.refused[type(error).__name__] += 1
            else:
                self.figures.orders += 1
                self.orders.append(placed)
                return placed
            finally:
                await self._let_banks_begin()
        return None

    async def _come_back(self, placed: PlacedOrder) -> None:
        await self._pass(timedelta(minutes=self.chance.uniform(0, 4)))
        await self.shop.placed_orders.page(placed.order_id, placed.token)

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

    async def _let_banks_begin(self) -> None:
        """Make up what the bank of each new transaction will decide."""
        async with self.shop.database.read() as session:
            known = (await session.execute(select(SandboxTransaction.invoice))).scalars().all()
        for invoice in known:
            if invoice not in self.decisions:
                is_slow = self.chance.random() < BANK_IS_SLOW
                hours = self.chance.uniform(0.4, 44) if is_slow else self.chance.uniform(0, 0.33)
                self.decisions[invoice] = Decision(self.chance.choice(ENDS), timedelta(hours=hours))

    async def _let_pass(self, time_left: timedelta) -> None:
        """Let time pass in small steps at first and then in larger ones, while the shop works."""
        step = timedelta(minutes=2)
        while time_left > timedelta(0):
            await self._pass(min(step, time_left))
            time_left -= step
            step = min(step * self.chance.uniform(1, 1.4), timedelta(hours=3))

    async def _pass(self, span: timedelta) -> None:
        await move_moments_back(self.shop.database, span)
        for decision in self.decisions.values():
            decision.after -= span
        await self._banks_decide()
        await self.shop.worker.run_due()

    async def _banks_decide(self) -> None:
        """The banks tell the gateway, dead or not: when that lives, it tells whoever asks. Nobody is notified."""
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

    async def approved(self) -> set[str]:
        """The invoices that the bank has approved."""
        async with self.shop.database.read() as session:
            accepted = SandboxTransaction.state == GatewayState.ACCEPTED
            return set((await session.execute(select(SandboxTransaction.invoice).where(accepted))).scalars())

    async def books(self) -> Books:
        """The shop's books."""
        return await read_books(self.shop.database)


async def run(outages: int, *, database_url: str, folder: Path, seed_of_chance: int | None = None) -> Figures:
    """Let the gateway of a shop in this process die that many times.

    Args:
        outages: how often.
        database_url: an empty database.
        folder: the shop's data folder.
        seed_of_chance: the same seed is the same story.

    Raises:
        AssertionError: a payment was lost or counted twice, a payment has no end, or a reservation is left.
    """
    started = time.monotonic()
    chance = random.Random(seed_of_chance)
    shop = Shop(Settings(data_dir=folder, database_url=database_url))
    try:
        await upgrade(shop.database)
        await seed(shop.database, shop.settings)
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=100_000))
        gateway = Mortal(chance)
        shop.sandbox._gateway.app.add_middleware(gateway.around)  # type: ignore[union-attr]
        hasty(shop.payments.providers[GATEWAY_PSE]._client)  # type: ignore[attr-defined]
        await shop.worker.schedule()
        scene = Scene(shop, gateway, chance)
        for _ in range(outages):
            await scene.outage()
        figures, books = scene.figures, await scene.books()
        figures.approved, figures.paid = len(await scene.approved()), books.paid
        figures.attention.update(books.attention)
    finally:
        await shop.stop()
    figures.seconds = time.monotonic() - started
    return figures


def main() -> None:
    """Run from the command line and print the figures."""
    parser = argparse.ArgumentParser(
        description="Let the gateway die while people pay, and come back within 48 hours."
    )
    parser.add_argument("--outages", type=int, default=100)
    parser.add_argument("--database", choices=KINDS, default="sqlite")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    asked = parser.parse_args()
    logging.disable(logging.ERROR)  # what the shop says of a dead gateway
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with empty_database(asked.database, folder) as url:
            story = run(asked.outages, database_url=url, folder=folder / "shop", seed_of_chance=asked.seed)
            figures = asyncio.run(story)
    print(f"{figures.outages} outages in {figures.seconds:.0f} s on {asked.database}")
    print(f"{figures.orders} orders, {figures.changed} banks changed, {figures.approved} payments approved")
    print(f"{figures.paid} orders paid; waiting for a person: {dict(figures.attention)}")
    print(f"told to shoppers: {dict(figures.refused)}")


if __name__ == "__main__":
    main()
