"""Speed of the API: `python -m tests.bench.bench_api [--products N …] [--database NAME …] [--seconds S]`.

The whole shop runs as users run it, with two workers and generated products; this process sends the requests. Each
figure is also compared with a bare ASGI handler that runs the same SQL on the same server
(`tests.bench.bare_handler`). Addresses differ from request to request. "While prices change": a price changes ten
times a second, and every answer with this product is rebuilt. "While all change": a tag changes, which any product
may have, so that no answer stays cached.
"""

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvloop
from sqlalchemy import Executable, insert, select, update

from backend.catalog.models import ProductTag, Variant
from backend.channels.models import PublishableKey, Region
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.ids import new_id
from backend.migrations.runner import upgrade
from tests.bench import generated_products, servers
from tests.bench.background_sales import run_in_background
from tests.bench.load import Connection, Figures, build_get, build_post, measure
from tests.bench.purchase import STEPS, buy, get_customer_ip
from tests.bench.recording import record
from tests.ports import find_free_port

WORKERS = 2
READ_CONCURRENCY = 16
CHECKOUT_CONCURRENCY = 8
LIST_PAGES, SEARCHES, PRODUCTS = 40, 200, 400
WARM_UP_ROUNDS, WARM_UP_SECONDS = 4, 20
"""Requests of each address before the measurement, and the seconds after which this ends.

Every worker should have handled each address.
"""
CHANGE_INTERVAL_S = 0.1
LIST, SEARCH, PRODUCT = "list of 24 with prices", "search of 8 hits", "product by handle"
CHECKOUT = "guest checkout, 8 requests"
CHANGING, ALL_CHANGING = ", while prices change", ", while all change"
GOALS = {LIST: 700, SEARCH: 1200, PRODUCT: 1200, CHECKOUT: 60}


@dataclass
class ReadRequests:
    """The GET requests of shoppers: their headers, and their addresses by name."""

    headers: dict[str, str]
    addresses: dict[str, list[str]]

    def create_task(self, name: str) -> Callable[[Connection, int], Awaitable[object]]:
        """Return a task that requests the next one of the addresses of this name at each call."""
        requests = [build_get(address, self.headers) for address in self.addresses[name]]
        return lambda connection, number: connection.send(requests[number % len(requests)])


async def main() -> None:
    """Measure each database and number of products that the command line names, and print the speeds."""
    arguments = _arguments()
    print(f"{'database':10} {'products':>8}  {'what':44} {'a second':>8} {'goal':>5} "
          f"{'p50 ms':>7} {'p95 ms':>7} {'bare':>7} {'ratio':>6} {'load':>5}")  # fmt: skip
    async with AsyncExitStack() as stack:
        redis = stack.enter_context(servers.start_redis())
        server = (
            stack.enter_context(servers.start_postgresql()) if "postgresql" in arguments.database else None
        )
        for kind in arguments.database:
            for products in arguments.products:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
                url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
                if server is not None and kind == "postgresql":
                    url = await servers.create_database(server, f"bench_{products}")
                settings = Settings(
                    data_dir=folder,
                    database_url=url,
                    redis_url=redis,
                    port=find_free_port(),
                    workers=WORKERS,
                    trusted_proxies="127.0.0.1",
                )
                await Bench(kind, products, arguments.seconds, settings).run()


class Bench:
    """A measurement on one kind of database, with one number of products."""

    def __init__(self, kind: str, products: int, seconds: float, settings: Settings) -> None:
        self._kind = kind
        self._products = products
        self._seconds = seconds
        self._settings = settings
        self._figures: dict[str, Figures] = {}

    async def run(self) -> None:
        """Fill the database, measure the shop and the bare handler, and print a line for each measurement."""
        database = Database.from_settings(self._settings)
        await upgrade(database)
        await generated_products.fill_shop(database, self._settings, self._products)
        reads = await _build_reads(database, self._products)
        variants = await generated_products.sample_variants(database, 100)
        async with servers.start_shop(self._settings) as (process, start_seconds):
            await self._measure_shop(database, reads, variants)
            memory = servers.measure_memory_mib(process)
        recording = await record(self._settings, reads.headers, reads.addresses, variants[0])
        file = self._settings.data_dir / "recording"
        recording.save(file)
        port = find_free_port()
        async with servers.start_bare_handler(port, WORKERS, file):
            for name in (LIST, SEARCH, PRODUCT):
                bare = await self._measure_bare(port, name)
                for suffix in ("", CHANGING, ALL_CHANGING):
                    self._print(name, bare, suffix)
            self._print(
                CHECKOUT,
                await measure(port, _bare_purchase, concurrency=CHECKOUT_CONCURRENCY, seconds=self._seconds),
            )
        await database.close()
        one_worker = self._settings.model_copy(
            update={"workers": 1, "redis_url": "", "port": find_free_port()}
        )
        async with servers.start_shop(one_worker) as (process, one_worker_seconds):
            await asyncio.sleep(2)  # the work at its start has finished
            memory_alone = servers.measure_memory_mib(process)
        self._print_line(
            f"start to healthy: {one_worker_seconds:.2f} s with one worker, {start_seconds:.2f} s with two (goal 1.5)"
        )
        self._print_line(f"memory: {memory_alone:.0f} MiB idle with one worker (goal 200), "
                   f"{memory:.0f} MiB with two after the load")  # fmt: skip

    async def _measure_shop(self, database: Database, reads: ReadRequests, variants: list[str]) -> None:
        port = self._settings.port
        for name in (LIST, SEARCH, PRODUCT):
            task = reads.create_task(name)
            rounds = WARM_UP_ROUNDS * len(reads.addresses[name])
            await measure(port, task, concurrency=READ_CONCURRENCY, seconds=WARM_UP_SECONDS, max_tasks=rounds)
            self._figures[name] = await measure(
                port, task, concurrency=READ_CONCURRENCY, seconds=self._seconds
            )
            for suffix, change in {CHANGING: _price_change(variants), ALL_CHANGING: _tag_insert}.items():
                async with _change_repeatedly(database, change):
                    figures = await measure(port, task, concurrency=READ_CONCURRENCY, seconds=self._seconds)
                self._figures[name + suffix] = figures

        async def purchase(connection: Connection, number: int) -> None:
            headers = {**reads.headers, "x-forwarded-for": get_customer_ip(number)}
            await buy(connection.send_json, headers, variants[number % len(variants)])

        await measure(port, purchase, concurrency=CHECKOUT_CONCURRENCY, seconds=1)
        self._figures[CHECKOUT] = await measure(
            port, purchase, concurrency=CHECKOUT_CONCURRENCY, seconds=self._seconds
        )

    async def _measure_bare(self, port: int, name: str) -> Figures:
        path = name.replace(" ", "%20")

        async def ask(connection: Connection, number: int) -> None:
            await connection.send(build_get(f"/{path}/{number}"))

        return await measure(port, ask, concurrency=READ_CONCURRENCY, seconds=self._seconds)

    def _print(self, name: str, bare: Figures, suffix: str = "") -> None:
        figures = self._figures[name + suffix]
        ratio_text = f"{bare.rate:7.0f} {figures.rate / bare.rate:6.2f}"
        times = f"{figures.median:7.1f} {figures.percentile(0.95):7.1f}"
        self._print_line(f"{name + suffix:44} {figures.rate:8.1f} {GOALS[name]:>5} {times} {ratio_text} "
                   f"{os.getloadavg()[0]:5.1f}")  # fmt: skip

    def _print_line(self, text: str) -> None:
        print(f"{self._kind:10} {self._products:8}  {text}", flush=True)


async def _bare_purchase(connection: Connection, number: int) -> None:
    for step in range(STEPS):
        await connection.send(build_post(f"/purchase/{step}/{number}", {}))


async def _build_reads(database: Database, products: int) -> ReadRequests:
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        region = (await session.execute(select(Region.id))).scalar_one()
    rng = random.Random(5)
    vocabulary = generated_products.generate_vocabulary(products)
    priced = f"fields=*variants.calculated_price&region_id={region}"
    pages = min(LIST_PAGES, products // 24)
    numbers = [rng.randrange(products) for _ in range(max(SEARCHES, PRODUCTS))]
    titles = [generated_products.generate_title(number, vocabulary).split()[0].lower() for number in numbers]
    return ReadRequests(
        headers={"x-publishable-api-key": key},
        addresses={
            LIST: [f"/store/products?limit=24&offset={24 * page}&{priced}" for page in range(pages)],
            SEARCH: [f"/store/products?limit=8&q={quote(word)}&{priced}" for word in titles[:SEARCHES]],
            PRODUCT: [
                f"/store/products?handle={generated_products.format_handle(number)}&{priced}"
                for number in numbers[:PRODUCTS]
            ],
        },
    )


def _price_change(variants: list[str]) -> Callable[[], Executable]:
    return lambda: (
        update(Variant).where(Variant.id == random.choice(variants)).values(price=Variant.price + 1)
    )


def _tag_insert() -> Executable:
    return insert(ProductTag).values(ProductTag(value=new_id("tag")).model_dump())


@asynccontextmanager
async def _change_repeatedly(database: Database, change: Callable[[], Executable]) -> AsyncIterator[None]:
    """Change the data at regular intervals until the block ends."""

    async def change_forever() -> None:
        while True:
            async with database.transaction() as session:
                await session.execute(change())
            await asyncio.sleep(CHANGE_INTERVAL_S)

    async with run_in_background(change_forever()):
        yield


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure the API of the whole shop.")
    parser.add_argument("--products", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--seconds", type=float, default=8.0)
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
