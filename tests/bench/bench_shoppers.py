"""A thousand concurrent shoppers: `python -m tests.bench.bench_shoppers [--shoppers N] [--seconds S] [--slowness X] …`.

The whole shop runs as users run it, with two workers and Redis. Each shopper has one websocket, and speaks Reflex's
protocol as the pages do: they open the home page, search, open the list and a product, and add it to the cart; one in
ten fills in the checkout and goes to the bank. Between two actions they think, longer on a slower machine
(`calibration`): otherwise a crowd that the goal's machine can serve would only queue. The output: the milliseconds of
each action, and the shop's memory per page.
"""

import argparse
import asyncio
import logging
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, update

from backend.catalog.models import Product, Variant, for_sale
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.start import prepare
from tests.attacks.frames import RawSocket, raw_socket
from tests.bench import calibration, servers
from tests.ports import find_free_port

ROOT = "reflex___state____state"
HYDRATE = f"{ROOT}.hydrate_and_load"
NAVIGATE = f"{ROOT}.reflex___state____on_load_internal_state.on_load_internal"
SEARCH = f"{ROOT}.storefront___state___search____search_state"
CART = f"{ROOT}.storefront___state___cart____cart_state"
CHECKOUT = f"{ROOT}.storefront___pages___checkout___state____checkout_state"
LOADED = '"is_hydrated_rx_state_":true'
WORDS = ("oso", "madera", "trompo", "rompecabezas", "tren", "mapa", "kit")
THINKING_TIME_S = (2.0, 18.0)
"""Minimum and maximum seconds between two actions of a shopper, at calibration 1.0."""
UNITS_PER_PRODUCT = 90
"""Units of each product. Every purchase changes the number that its pages display."""
BANK_SHARE = 0.1
"""Share of the shoppers who go to the bank."""
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
ACTION_TIMEOUT_S = 60.0
"""Seconds after which an action has failed."""
OPEN_CONCURRENCY = 50
"""Number of pages that open at the same time."""
GOAL_OPEN, GOAL_CLOSED = 150, 0
"""Memory of a page in KiB, while open and after it was closed."""


@dataclass
class Figures:
    """Durations in milliseconds, and numbers of failures, by action."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[str] = field(default_factory=Counter)

    def print(self) -> None:
        """Print a line for each action."""
        for name, times in self.times.items():
            times.sort()
            p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
            print(f"{name:10} {len(times):6} times  p50 {p50:7.1f} ms  p95 {p95:7.1f} ms")
        for name, count in self.failed.items():
            print(f"{name}: {count} failed")


@dataclass
class SoldProduct:
    """A product to view and buy."""

    handle: str
    variant: str


class Shopper:
    """A shopper with one open page."""

    def __init__(
        self, socket: RawSocket, products: list[SoldProduct], slowness: float, figures: Figures
    ) -> None:
        self._socket = socket
        self._thinking_time = [seconds * slowness for seconds in THINKING_TIME_S]
        self._products = products
        self._figures = figures
        self._place: dict[str, Any] = {"pathname": "/", "asPath": "/"}

    async def open(self) -> None:
        """Load the home page."""
        await self._send_action("open", HYDRATE, {"hashes": []}, LOADED)

    async def browse_and_buy(self, until: float) -> None:
        """Browse and buy until the time is over."""
        while time.monotonic() < until:
            product = random.choice(self._products)
            await self._send_action("search", f"{SEARCH}.suggest", {"text": random.choice(WORDS)}, SEARCH)
            await self._open_page("list", "/catalog")
            await self._open_page("product", f"/product/{product.handle}", slug=product.handle)
            await self._send_action(
                "add", f"{CART}.add", {"variant_id": product.variant, "quantity": 1}, '"last_added_rx_state_"'
            )
            if random.random() < BANK_SHARE:
                await self._buy()
            await self._open_page("home", "/")

    async def _buy(self) -> None:
        await self._open_page("checkout", "/checkout")
        where = {"dane_code": MEDELLIN, "address": STREET, "option_id": ""}
        priced = await self._send_action("quote", f"{CHECKOUT}.price_shipping", where, '"status":"ready"')
        total = TOTAL.findall(priced)
        if total:
            order = {"values": FORM, "total": int(total[-1])}
            await self._send_action("pay", f"{CHECKOUT}.place_order", order, "/sandbox/gateway/bank/")

    async def _open_page(self, name: str, path: str, **query: str) -> None:
        self._place = {"pathname": path, "asPath": path, **({"query": query} if query else {})}
        await self._send_action(name, NAVIGATE, None, LOADED)

    async def _send_action(self, name: str, event: str, payload: dict[str, Any] | None, answer: str) -> str:
        """Wait the thinking time, send the event, and wait for a frame that contains `answer`. Return that frame.

        Raises:
            TimeoutError: it did not arrive; the shopper stops.
        """
        if name != "open":
            await asyncio.sleep(random.uniform(*self._thinking_time))
        message = {
            "name": event,
            "router_data": self._place,
            **({} if payload is None else {"payload": payload}),
        }
        started = time.perf_counter()
        await self._socket.send_event(message)
        try:
            async with asyncio.timeout(ACTION_TIMEOUT_S):
                while answer not in (frame := await self._socket.receive(ACTION_TIMEOUT_S) or "") and frame:
                    pass
        except TimeoutError:
            self._figures.failed[name] += 1
            raise
        if not frame:
            self._figures.failed[f"{name}, closed"] += 1
            raise TimeoutError
        self._figures.times[name].append((time.perf_counter() - started) * 1000)
        return frame


async def run(shoppers: int, seconds: float, kind: str, slowness: float) -> None:
    """Open the shop, let the shoppers connect, shop and disconnect, and print."""
    async with servers.create_shop_database(kind) as (folder, url), AsyncExitStack() as stack:
        settings = Settings(
            data_dir=folder,
            database_url=url,
            redis_url=stack.enter_context(servers.start_redis()),
            port=find_free_port(),
            workers=2,
            trusted_proxies="127.0.0.1",
        )
        await prepare(settings)
        products = await _list_products(settings)
        async with servers.start_shop(settings) as (process, _seconds):
            crowd = Crowd(
                f"http://localhost:{settings.port}",
                products,
                slowness,
                lambda: servers.measure_memory_mib(process),
            )
            await crowd.run_shoppers(
                OPEN_CONCURRENCY, 0, Figures()
            )  # creates what the shop creates only once
            before, figures = crowd.measure_memory(), Figures()
            open_memory, shopping_memory = await crowd.run_shoppers(shoppers, seconds * slowness, figures)
            await asyncio.sleep(5)  # the work after closed pages has finished
            after = crowd.measure_memory()
    print(f"{kind}, {shoppers} shoppers, calibration {slowness:.2f}, load average {os.getloadavg()[0]:.1f}")
    figures.print()
    each = [(held - before) * 1024 / shoppers for held in (open_memory, shopping_memory, after)]
    print(
        f"memory: {before:.0f} MiB without them; a page holds {each[0]:.0f} KiB once it is open (goal {GOAL_OPEN}),"
        f" {each[1]:.0f} after {seconds * slowness:.0f} s of shopping, {each[2]:.0f} after it was closed"
        f" (goal {GOAL_CLOSED})"
    )


@dataclass
class Crowd:
    """Shoppers who arrive together and leave together.

    Attributes:
        url: the shop's address.
        products: the products that they view.
        slowness: the factor by which their thinking time is longer.
        measure_memory: returns the shop's memory in MiB.
    """

    url: str
    products: list[SoldProduct]
    slowness: float
    measure_memory: Callable[[], float]

    async def run_shoppers(self, shoppers: int, seconds: float, figures: Figures) -> tuple[float, float]:
        """Let shoppers connect, shop for `seconds` and leave.

        Return the shop's memory in MiB when all have connected, and when all have stopped shopping.
        """
        open_limit, barrier = asyncio.Semaphore(OPEN_CONCURRENCY), asyncio.Barrier(shoppers + 1)

        async def run_shopper(number: int) -> None:
            client = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
            async with AsyncExitStack() as stack:
                async with open_limit:
                    socket = await stack.enter_async_context(raw_socket(self.url, client=client))
                    shopper = Shopper(socket, self.products, self.slowness, figures)
                    await shopper.open()
                await barrier.wait()  # all are connected
                await barrier.wait()  # the memory was measured
                with suppress(TimeoutError):
                    await shopper.browse_and_buy(time.monotonic() + seconds)
                await barrier.wait()
                await barrier.wait()

        async with asyncio.TaskGroup() as group:
            for number in range(shoppers):
                group.create_task(run_shopper(number))
            await barrier.wait()
            open_memory = self.measure_memory()
            await barrier.wait()
            await barrier.wait()
            shopping_memory = self.measure_memory()
            await barrier.wait()
        return open_memory, shopping_memory


async def _list_products(settings: Settings) -> list[SoldProduct]:
    database = Database.from_settings(settings)
    try:
        async with database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=UNITS_PER_PRODUCT))
            found = (
                select(Product.handle, Variant.id)
                .join(Variant, Variant.product_id == Product.id)
                .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
                .where(for_sale())
                .limit(40)
            )
            return [SoldProduct(handle, variant) for handle, variant in (await session.execute(found)).all()]
    finally:
        await database.close()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure a thousand concurrent shoppers.")
    parser.add_argument("--shoppers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument(
        "--slowness",
        type=float,
        help="use this factor instead of measuring it, to compare two runs under the same load",
    )
    arguments = parser.parse_args()
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # the client leaves a pending task for each socket
    asyncio.run(
        run(
            arguments.shoppers,
            arguments.seconds,
            arguments.database,
            arguments.slowness or calibration.measure_calibration(),
        )
    )


if __name__ == "__main__":
    main()
