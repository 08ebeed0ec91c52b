"""A large catalogue: `python -m tests.bench.bench_catalog` (`--products`, `--database`, `--seconds`, `--keep`).

A hundred thousand products, or a million with `--products 1000000`, which takes 11 minutes and 10.6 GiB to fill.

One process that serves, and addresses that differ, so that most answers are made anew: what a shopper waits for who
asks first. Then the sitemap, and what the shop and its database hold.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from math import ceil
from pathlib import Path
from urllib.parse import quote

import uvloop
from sqlalchemy import select, text

from backend.catalog.models import Product
from backend.channels.models import PublishableKey, Region
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.migrations.runner import upgrade
from storefront.documents.sitemap import MOST_URLS
from tests.bench import scene, toys
from tests.bench.calibration import said_of_goal
from tests.bench.load import Refused, connect, get
from tests.ports import free_port

GOAL_MS = 150
MOST_ASKED = 300
"""Requests of a kind; fewer when the time is over first."""


async def main() -> None:
    """Fill, open, measure and print."""
    parser = argparse.ArgumentParser(description="A catalogue of a million products.")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--seconds", type=float, default=20, help="at most for each kind of request")
    parser.add_argument("--keep", type=Path, help="where PostgreSQL's data stays for the next run")
    asked = parser.parse_args()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
        url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
        if asked.database == "postgresql":
            url = await scene.create_database(
                stack.enter_context(scene.postgresql_server(asked.keep)), "bench_catalog"
            )
        settings = Settings(data_dir=folder, database_url=url, port=free_port(), trusted_proxies="127.0.0.1")
        database = Database.from_settings(settings)
        await upgrade(database)
        async with database.read() as session:
            is_filled = (await session.execute(select(Product.id).limit(1))).first() is not None
        begun = time.perf_counter()
        if not is_filled:
            await toys.fill(database, settings, asked.products)
            print(
                f"{asked.products} products written in bulk in {time.perf_counter() - begun:.0f} s",
                flush=True,
            )
        print(f"the database holds {await _size(database):.0f} MiB", flush=True)
        addresses, key = await _addresses(database, asked.products)
        await database.close()
        async with scene.shop_process(settings) as (process, opened):
            print(f"healthy after {opened:.1f} s; goal: p95 of {said_of_goal(GOAL_MS)}", flush=True)
            for name, address in addresses.items():
                await _measure(settings.port, name, address, {"x-publishable-api-key": key}, asked.seconds)
            print(f"memory: {scene.memory_of(process):.0f} MiB", flush=True)


async def _measure(
    port: int, name: str, address: Callable[[int], str], headers: dict[str, str], seconds: float
) -> None:
    times: list[float] = []
    size, refused, until = 0, "", time.perf_counter() + seconds
    connection = await connect(port)
    while len(times) < MOST_ASKED and (started := time.perf_counter()) < until:
        try:
            answer = await connection.ask(get(address(len(times)), headers))
        except Refused as error:
            refused = str(error).splitlines()[0]
            connection = await connect(port)
            continue
        finally:
            times.append((time.perf_counter() - started) * 1000)
        size = max(size, len(answer))
    connection.close()
    times.sort()
    median, late = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))]
    print(f"{name:40} p50 {median:8.1f} ms  p95 {late:8.1f} ms  {len(times):4} asked, at most {size / 1024:.0f} KiB, "
          f"load {os.getloadavg()[0]:.1f}{refused and ', some refused: '}{refused}", flush=True)  # fmt: skip


async def _addresses(database: Database, products: int) -> tuple[dict[str, Callable[[int], str]], str]:
    """What is asked for, by its name and a running number; and the key of the API."""
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        region = (await session.execute(select(Region.id))).scalar_one()
    chance = random.Random(5)
    known = toys.vocabulary(products)
    priced = f"fields=*variants.calculated_price&region_id={region}"

    def word(length: int | None = None) -> str:
        return quote(toys.title(chance.randrange(products), known).split()[0].lower()[:length])

    pages, files = products // 24, ceil(products / MOST_URLS)
    return {
        "list, the first pages": lambda n: f"/store/products?limit=24&offset={24 * n}&{priced}",
        "list, any page": lambda _n: (
            f"/store/products?limit=24&offset={24 * chance.randrange(pages)}&{priced}"
        ),
        "list, newest first": lambda n: (
            f"/store/products?limit=24&offset={24 * n}&order=-created_at&{priced}"
        ),
        "search: a word": lambda _n: f"/store/products?limit=8&q={word()}&{priced}",
        "search: beginning of a word": lambda _n: f"/store/products?limit=8&q={word(3)}&{priced}",
        "search: nothing": lambda n: f"/store/products?limit=8&q=zzyzx{n}&{priced}",
        "product by handle": lambda _n: (
            f"/store/products?handle={toys.handle(chance.randrange(products))}&{priced}"
        ),
        "page: list": lambda n: f"/catalog?page={n + 1}",
        "page: search": lambda _n: f"/catalog?q={word()}",
        "page: product": lambda _n: f"/product/{toys.handle(chance.randrange(products))}",
        "sitemap: index": lambda _n: "/sitemap.xml",
        "sitemap: one of its files": lambda n: f"/sitemap-{n % files + 1}.xml",
    }, key


async def _size(database: Database) -> float:
    """MiB of the database's files."""
    statement = (
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if database.is_sqlite
        else "SELECT pg_database_size(current_database())"
    )
    async with database.read() as session:
        return int((await session.execute(text(statement))).scalar_one()) / 2**20


if __name__ == "__main__":
    uvloop.run(main())
