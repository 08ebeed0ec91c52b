"""How fast the API is: `python -m tests.bench.bench_api [--products N …] [--database NAME …] [--seconds S]`.

The whole shop as users run it, with two workers, made-up toys and this process as its load. Each figure is also a ratio
to a bare ASGI handler that runs the same SQL on the same server (`tests.bench.bare`). Addresses differ from request
to request. "While prices change": somebody else changes a price ten times a second, and every answer that shows this
toy is made anew. "While all change": it is a tag, which may be any toy's, so that no answer lasts.
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
from tests.bench import scene, toys
from tests.bench.load import Connection, Figures, get, measure, post
from tests.bench.purchase import STEPS, buy, buyers_address
from tests.bench.recording import record
from tests.bench.selling import beside
from tests.ports import free_port

WORKERS = 2
READERS = 16
BUYERS = 8
LIST_PAGES, SEARCHES, PRODUCTS = 40, 200, 400
WARM_ROUNDS, WARM_SECONDS = 4, 20
"""Before measuring, each address is asked that often, so that every worker has met it; or until the time is over."""
SECONDS_BETWEEN_CHANGES = 0.1
LIST, SEARCH, PRODUCT = "list of 24 with prices", "search of 8 hits", "product by handle"
CHECKOUT = "guest checkout, 8 requests"
CHANGING, ALL_CHANGING = ", while prices change", ", while all change"
GOALS = {LIST: 700, SEARCH: 1200, PRODUCT: 1200, CHECKOUT: 60}


@dataclass
class Reads:
    """What shoppers read."""

    headers: dict[str, str]
    addresses: dict[str, list[str]]

    def task(self, name: str) -> Callable[[Connection, int], Awaitable[object]]:
        """Ask for one address after the other."""
        requests = [get(address, self.headers) for address in self.addresses[name]]
        return lambda connection, number: connection.ask(requests[number % len(requests)])


async def main() -> None:
    """Measure and print."""
    asked = _arguments()
    print(f"{'database':10} {'products':>8}  {'what':44} {'a second':>8} {'goal':>5} "
          f"{'p50 ms':>7} {'p95 ms':>7} {'bare':>7} {'ratio':>6} {'load':>5}")  # fmt: skip
    async with AsyncExitStack() as stack:
        redis = stack.enter_context(scene.redis_server())
        server = stack.enter_context(scene.postgresql_server()) if "postgresql" in asked.database else None
        for kind in asked.database:
            for products in asked.products:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
                url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
                if server is not None and kind == "postgresql":
                    url = await scene.create_database(server, f"bench_{products}")
                settings = Settings(
                    data_dir=folder,
                    database_url=url,
                    redis_url=redis,
                    port=free_port(),
                    workers=WORKERS,
                    trusted_proxies="127.0.0.1",
                )
                await Bench(kind, products, asked.seconds, settings).run()


class Bench:
    """One database of one size."""

    def __init__(self, kind: str, products: int, seconds: float, settings: Settings) -> None:
        self._kind = kind
        self._products = products
        self._seconds = seconds
        self._settings = settings
        self._figures: dict[str, Figures] = {}

    async def run(self) -> None:
        """Fill the database, measure the shop and the bare handler, and print a line for each thing measured."""
        database = Database.from_settings(self._settings)
        await upgrade(database)
        await toys.fill(database, self._settings, self._products)
        reads = await _reads(database, self._products)
        variants = await toys.some_variants(database, 100)
        async with scene.shop_process(self._settings) as (process, opened):
            await self._measure_shop(database, reads, variants)
            memory = scene.memory_of(process)
        recording = await record(self._settings, reads.headers, reads.addresses, variants[0])
        file = self._settings.data_dir / "recording"
        recording.save(file)
        port = free_port()
        async with scene.bare_process(port, WORKERS, file):
            for name in (LIST, SEARCH, PRODUCT):
                bare = await self._measure_bare(port, name)
                for how in ("", CHANGING, ALL_CHANGING):
                    self._print(name, bare, how)
            self._print(CHECKOUT, await measure(port, _bare_purchase, at_once=BUYERS, seconds=self._seconds))
        await database.close()
        alone = self._settings.model_copy(update={"workers": 1, "redis_url": "", "port": free_port()})
        async with scene.shop_process(alone) as (process, opened_alone):
            await asyncio.sleep(2)  # what it does when it opens is over
            memory_alone = scene.memory_of(process)
        self._note(
            f"start to healthy: {opened_alone:.2f} s with one worker, {opened:.2f} s with two (goal 1.5)"
        )
        self._note(f"memory: {memory_alone:.0f} MiB idle with one worker (goal 200), "
                   f"{memory:.0f} MiB with two after the load")  # fmt: skip

    async def _measure_shop(self, database: Database, reads: Reads, variants: list[str]) -> None:
        port = self._settings.port
        for name in (LIST, SEARCH, PRODUCT):
            task = reads.task(name)
            rounds = WARM_ROUNDS * len(reads.addresses[name])
            await measure(port, task, at_once=READERS, seconds=WARM_SECONDS, most=rounds)
            self._figures[name] = await measure(port, task, at_once=READERS, seconds=self._seconds)
            for how, change in {CHANGING: _a_price(variants), ALL_CHANGING: _a_tag}.items():
                async with _changing(database, change):
                    figures = await measure(port, task, at_once=READERS, seconds=self._seconds)
                self._figures[name + how] = figures

        async def purchase(connection: Connection, number: int) -> None:
            headers = {**reads.headers, "x-forwarded-for": buyers_address(number)}
            await buy(connection.ask_json, headers, variants[number % len(variants)])

        await measure(port, purchase, at_once=BUYERS, seconds=1)
        self._figures[CHECKOUT] = await measure(port, purchase, at_once=BUYERS, seconds=self._seconds)

    async def _measure_bare(self, port: int, name: str) -> Figures:
        path = name.replace(" ", "%20")

        async def ask(connection: Connection, number: int) -> None:
            await connection.ask(get(f"/{path}/{number}"))

        return await measure(port, ask, at_once=READERS, seconds=self._seconds)

    def _print(self, name: str, bare: Figures, how: str = "") -> None:
        figures = self._figures[name + how]
        against = f"{bare.rate:7.0f} {figures.rate / bare.rate:6.2f}"
        times = f"{figures.median:7.1f} {figures.at(0.95):7.1f}"
        self._note(f"{name + how:44} {figures.rate:8.1f} {GOALS[name]:>5} {times} {against} "
                   f"{os.getloadavg()[0]:5.1f}")  # fmt: skip

    def _note(self, text: str) -> None:
        print(f"{self._kind:10} {self._products:8}  {text}", flush=True)


async def _bare_purchase(connection: Connection, number: int) -> None:
    for step in range(STEPS):
        await connection.ask(post(f"/purchase/{step}/{number}", {}))


async def _reads(database: Database, products: int) -> Reads:
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        region = (await session.execute(select(Region.id))).scalar_one()
    chance = random.Random(5)
    known = toys.vocabulary(products)
    priced = f"fields=*variants.calculated_price&region_id={region}"
    pages = min(LIST_PAGES, products // 24)
    numbers = [chance.randrange(products) for _ in range(max(SEARCHES, PRODUCTS))]
    wanted = [toys.title(number, known).split()[0].lower() for number in numbers]
    return Reads(
        headers={"x-publishable-api-key": key},
        addresses={
            LIST: [f"/store/products?limit=24&offset={24 * page}&{priced}" for page in range(pages)],
            SEARCH: [f"/store/products?limit=8&q={quote(word)}&{priced}" for word in wanted[:SEARCHES]],
            PRODUCT: [
                f"/store/products?handle={toys.handle(number)}&{priced}" for number in numbers[:PRODUCTS]
            ],
        },
    )


def _a_price(variants: list[str]) -> Callable[[], Executable]:
    return lambda: (
        update(Variant).where(Variant.id == random.choice(variants)).values(price=Variant.price + 1)
    )


def _a_tag() -> Executable:
    return insert(ProductTag).values(ProductTag(value=new_id("tag")).model_dump())


@asynccontextmanager
async def _changing(database: Database, change: Callable[[], Executable]) -> AsyncIterator[None]:
    """Somebody changes one thing after the other."""

    async def keep_changing() -> None:
        while True:
            async with database.transaction() as session:
                await session.execute(change())
            await asyncio.sleep(SECONDS_BETWEEN_CHANGES)

    async with beside(keep_changing()):
        yield


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure the API of the whole shop.")
    parser.add_argument("--products", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--seconds", type=float, default=8.0)
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
