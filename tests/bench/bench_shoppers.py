"""A thousand shoppers at once: `python -m tests.bench.bench_shoppers [--shoppers N] [--seconds S] [--slowness X] …`.

The whole shop as users run it, with two workers and Redis. Each shopper holds one websocket and speaks Reflex's
protocol as the pages do: home, a search, the list, a product, into the cart; one in ten fills in the checkout and goes
to the bank. Between two actions they think; on a slow machine for as many times longer as it is slow (`calibration`),
or a crowd that the goal's machine can serve would only wait. Printed are the milliseconds of each action, and what
the shop holds of a page.
"""

import argparse
import asyncio
import logging
import os
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from backend.catalog.models import Product, Variant, for_sale
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.start import prepare
from tests.attacks.frames import RawSocket, raw_socket
from tests.bench import calibration, scene
from tests.ports import free_port

ROOT = "reflex___state____state"
HYDRATE = f"{ROOT}.hydrate_and_load"
NAVIGATE = f"{ROOT}.reflex___state____on_load_internal_state.on_load_internal"
SEARCH = f"{ROOT}.storefront___state___search____search_state"
CART = f"{ROOT}.storefront___state___cart____cart_state"
CHECKOUT = f"{ROOT}.storefront___pages___checkout___state____checkout_state"
LOADED = '"is_hydrated_rx_state_":true'
WORDS = ("oso", "madera", "trompo", "rompecabezas", "tren", "mapa", "kit")
THINKING = (2.0, 18.0)
"""Seconds between two actions of a shopper, at calibration 1.0."""
UNITS = 90
"""Of each toy: a sale is another number of units to its pages."""
BUYERS = 0.1
"""How many of them go to the bank."""
MEDELLIN = "05001000"
STREET = "Carrera 43A # 1-50"
FORM = {
    "person_type": "0",
    "doc_type": "CC",
    "email": "ana@example.com",
    "first_name": "Ana",
    "last_name": "Gómez",
    "phone": "300 123 4567",
    "address": STREET,
    "suburb": "El Poblado",
    "reference": "",
    "doc_number": "1020304050",
    "town": "Medellín, Antioquia",
    "dane_code": MEDELLIN,
    "bank": "1022",
    "consent_data": "on",
    "consent_terms": "on",
}
TOTAL = re.compile(r'"total":(\d+)')
PATIENCE = 60.0
"""Seconds after which an action has failed."""
AT_ONCE = 50
"""How many open their page at the same time."""
GOAL_OPEN, GOAL_CLOSED = 150, 0
"""KiB that a page may hold while it is open, and after it was closed."""


@dataclass
class Figures:
    """Milliseconds of each action, and what failed."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[str] = field(default_factory=Counter)

    def print(self) -> None:
        """A line for each action."""
        for name, times in self.times.items():
            times.sort()
            p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
            print(f"{name:10} {len(times):6} times  p50 {p50:7.1f} ms  p95 {p95:7.1f} ms")
        for name, count in self.failed.items():
            print(f"{name}: {count} failed")


@dataclass
class Toy:
    """What is looked at, and bought."""

    handle: str
    variant: str


class Shopper:
    """Somebody with one page open."""

    def __init__(self, socket: RawSocket, toys: list[Toy], slowness: float, figures: Figures) -> None:
        self._socket = socket
        self._thinking = [seconds * slowness for seconds in THINKING]
        self._toys = toys
        self._figures = figures
        self._place: dict[str, Any] = {"pathname": "/", "asPath": "/"}

    async def open(self) -> None:
        """Load the home page."""
        await self._do("open", HYDRATE, {"hashes": []}, LOADED)

    async def shop(self, until: float) -> None:
        """Look around and buy, until the time is over."""
        while time.monotonic() < until:
            toy = random.choice(self._toys)
            await self._do("search", f"{SEARCH}.suggest", {"text": random.choice(WORDS)}, SEARCH)
            await self._go("list", "/catalog")
            await self._go("product", f"/product/{toy.handle}", slug=toy.handle)
            await self._do(
                "add", f"{CART}.add", {"variant_id": toy.variant, "quantity": 1}, '"added_rx_state_"'
            )
            if random.random() < BUYERS:
                await self._buy()
            await self._go("home", "/")

    async def _buy(self) -> None:
        await self._go("checkout", "/checkout")
        where = {"dane_code": MEDELLIN, "address": STREET, "option_id": ""}
        priced = await self._do("quote", f"{CHECKOUT}.ship", where, '"status":"ready"')
        total = TOTAL.findall(priced)
        if total:
            order = {"values": FORM, "total": int(total[-1])}
            await self._do("pay", f"{CHECKOUT}.place", order, "/sandbox/gateway/bank/")

    async def _go(self, name: str, path: str, **query: str) -> None:
        self._place = {"pathname": path, "asPath": path, **({"query": query} if query else {})}
        await self._do(name, NAVIGATE, None, LOADED)

    async def _do(self, name: str, event: str, payload: dict[str, Any] | None, answer: str) -> str:
        """Think, send the event, and wait for a frame that holds `answer`. Gives that frame.

        Raises:
            TimeoutError: it did not come; nobody goes on with this page.
        """
        if name != "open":
            await asyncio.sleep(random.uniform(*self._thinking))
        sent = {
            "name": event,
            "router_data": self._place,
            **({} if payload is None else {"payload": payload}),
        }
        begun = time.perf_counter()
        await self._socket.send_event(sent)
        try:
            async with asyncio.timeout(PATIENCE):
                while answer not in (frame := await self._socket.receive(PATIENCE) or "") and frame:
                    pass
        except TimeoutError:
            self._figures.failed[name] += 1
            raise
        if not frame:
            self._figures.failed[f"{name}, closed"] += 1
            raise TimeoutError
        self._figures.times[name].append((time.perf_counter() - begun) * 1000)
        return frame


async def run(shoppers: int, seconds: float, kind: str, slowness: float) -> None:
    """Open the shop, let everybody in, have them shop, and see them leave."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
        url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
        if kind == "postgresql":
            server = stack.enter_context(scene.postgresql_server())
            url = await scene.create_database(server, "bench_shoppers")
        settings = Settings(
            data_dir=folder,
            database_url=url,
            redis_url=stack.enter_context(scene.redis_server()),
            port=free_port(),
            workers=2,
            trusted_proxies="127.0.0.1",
        )
        await prepare(settings)
        toys = await _toys(settings)
        async with scene.shop_process(settings) as (process, _seconds):
            crowd = Crowd(
                f"http://localhost:{settings.port}", toys, slowness, lambda: scene.memory_of(process)
            )
            await crowd.come(AT_ONCE, 0, Figures())  # what is made once is there
            before, figures = crowd.look(), Figures()
            opened, shopped = await crowd.come(shoppers, seconds * slowness, figures)
            await asyncio.sleep(5)  # what it does when pages close is over
            after = crowd.look()
    print(f"{kind}, {shoppers} shoppers, calibration {slowness:.2f}, load average {os.getloadavg()[0]:.1f}")
    figures.print()
    each = [(held - before) * 1024 / shoppers for held in (opened, shopped, after)]
    print(
        f"memory: {before:.0f} MiB without them; a page holds {each[0]:.0f} KiB once it is open (goal {GOAL_OPEN}),"
        f" {each[1]:.0f} after {seconds * slowness:.0f} s of shopping, {each[2]:.0f} after it was closed"
        f" (goal {GOAL_CLOSED})"
    )


@dataclass
class Crowd:
    """Shoppers who come together and leave together.

    Attributes:
        url: the shop's.
        toys: what they look at.
        slowness: how many times longer they think.
        look: what is held, in MiB.
    """

    url: str
    toys: list[Toy]
    slowness: float
    look: Callable[[], float]

    async def come(self, shoppers: int, seconds: float, figures: Figures) -> tuple[float, float]:
        """They come, shop for so long, and leave. Gives what is held once all are there, and before they leave."""
        doors, everybody = asyncio.Semaphore(AT_ONCE), asyncio.Barrier(shoppers + 1)

        async def one(number: int) -> None:
            client = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
            async with AsyncExitStack() as stack:
                async with doors:
                    socket = await stack.enter_async_context(raw_socket(self.url, client=client))
                    shopper = Shopper(socket, self.toys, self.slowness, figures)
                    await shopper.open()
                await everybody.wait()  # all are there
                await everybody.wait()  # and what is held was looked at
                with suppress(TimeoutError):
                    await shopper.shop(time.monotonic() + seconds)
                await everybody.wait()
                await everybody.wait()

        async with asyncio.TaskGroup() as group:
            for number in range(shoppers):
                group.create_task(one(number))
            await everybody.wait()
            opened = self.look()
            await everybody.wait()
            await everybody.wait()
            shopped = self.look()
            await everybody.wait()
        return opened, shopped


async def _toys(settings: Settings) -> list[Toy]:
    database = Database.from_settings(settings)
    try:
        async with database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=UNITS))
            found = (
                select(Product.handle, Variant.id)
                .join(Variant, Variant.product_id == Product.id)
                .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
                .where(for_sale())
                .limit(40)
            )
            return [Toy(handle, variant) for handle, variant in (await session.execute(found)).all()]
    finally:
        await database.close()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="A thousand shoppers at once.")
    parser.add_argument("--shoppers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--slowness", type=float, help="not measured: to compare two runs under one load")
    asked = parser.parse_args()
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # the client leaves a task behind with each socket
    asyncio.run(run(asked.shoppers, asked.seconds, asked.database, asked.slowness or calibration.measured()))


if __name__ == "__main__":
    main()
