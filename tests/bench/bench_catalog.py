"""A large catalogue: `python -m tests.bench.bench_catalog` (`--products`, `--database`, `--seconds`, `--keep`).

The shop has a hundred thousand products, or a million with `--products 1000000`, which takes 11 minutes and 10.6 GiB
to fill.

One process serves the shop. The requested addresses differ, so most answers are rebuilt: the figures are the wait of
the first shopper. Then the sitemap, the memory of the shop and the size of its database are measured.
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
from storefront.documents.sitemap import MAX_URLS
from tests.bench import generated_products, servers
from tests.bench.calibration import format_goal
from tests.bench.load import RequestRefused, build_get, connect
from tests.ports import find_free_port

GOAL_MS = 150
MAX_REQUESTS = 300
"""Maximum requests of a kind; fewer if the time ends first."""


async def main() -> None:
    """Fill the database, open the shop, measure and print."""
    parser = argparse.ArgumentParser(description="A catalogue of a million products.")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--seconds", type=float, default=20, help="maximum for each kind of request")
    parser.add_argument("--keep", type=Path, help="folder that stores PostgreSQL's data for the next run")
    arguments = parser.parse_args()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
        url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
        if arguments.database == "postgresql":
            url = await servers.create_database(
                stack.enter_context(servers.start_postgresql(arguments.keep)), "bench_catalog"
            )
        settings = Settings(
            data_dir=folder, database_url=url, port=find_free_port(), trusted_proxies="127.0.0.1"
        )
        database = Database.from_settings(settings)
        await upgrade(database)
        async with database.read() as session:
            is_filled = (await session.execute(select(Product.id).limit(1))).first() is not None
        started = time.perf_counter()
        if not is_filled:
            await generated_products.fill_shop(database, settings, arguments.products)
            print(
                f"{arguments.products} products written in bulk in {time.perf_counter() - started:.0f} s",
                flush=True,
            )
        print(f"the database holds {await _read_size_mib(database):.0f} MiB", flush=True)
        addresses, key = await _build_addresses(database, arguments.products)
        await database.close()
        async with servers.start_shop(settings) as (process, opened):
            print(f"healthy after {opened:.1f} s; goal: p95 of {format_goal(GOAL_MS)}", flush=True)
            for name, address in addresses.items():
                await _measure(
                    settings.port, name, address, {"x-publishable-api-key": key}, arguments.seconds
                )
            print(f"memory: {servers.measure_memory_mib(process):.0f} MiB", flush=True)


async def _measure(
    port: int, name: str, address: Callable[[int], str], headers: dict[str, str], seconds: float
) -> None:
    times: list[float] = []
    size, refusal, until = 0, "", time.perf_counter() + seconds
    connection = await connect(port)
    while len(times) < MAX_REQUESTS and (started := time.perf_counter()) < until:
        try:
            answer = await connection.send(build_get(address(len(times)), headers))
        except RequestRefused as error:
            refusal = str(error).splitlines()[0]
            connection = await connect(port)
            continue
        finally:
            times.append((time.perf_counter() - started) * 1000)
        size = max(size, len(answer))
    connection.close()
    times.sort()
    median, p95 = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))]
    print(f"{name:40} p50 {median:8.1f} ms  p95 {p95:8.1f} ms  {len(times):4} requests, at most {size / 1024:.0f} KiB, "
          f"load {os.getloadavg()[0]:.1f}{refusal and ', some refused: '}{refusal}", flush=True)  # fmt: skip


async def _build_addresses(database: Database, products: int) -> tuple[dict[str, Callable[[int], str]], str]:
    """Return, by name, functions that build the address of request `n`, and the publishable key."""
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        region = (await session.execute(select(Region.id))).scalar_one()
    rng = random.Random(5)
    vocabulary = generated_products.generate_vocabulary(products)
    priced = f"fields=*variants.calculated_price&region_id={region}"

    def choose_word(length: int | None = None) -> str:
        return quote(
            generated_products.generate_title(rng.randrange(products), vocabulary).split()[0].lower()[:length]
        )

    pages, files = products // 24, ceil(products / MAX_URLS)
    return {
        "list, the first pages": lambda n: f"/store/products?limit=24&offset={24 * n}&{priced}",
        "list, any page": lambda _n: f"/store/products?limit=24&offset={24 * rng.randrange(pages)}&{priced}",
        "list, newest first": lambda n: (
            f"/store/products?limit=24&offset={24 * n}&order=-created_at&{priced}"
        ),
        "search: a word": lambda _n: f"/store/products?limit=8&q={choose_word()}&{priced}",
        "search: beginning of a word": lambda _n: f"/store/products?limit=8&q={choose_word(3)}&{priced}",
        "search: nothing": lambda n: f"/store/products?limit=8&q=zzyzx{n}&{priced}",
        "product by handle": lambda _n: (
            f"/store/products?handle={generated_products.format_handle(rng.randrange(products))}&{priced}"
        ),
        "page: list": lambda n: f"/catalog?page={n + 1}",
        "page: search": lambda _n: f"/catalog?q={choose_word()}",
        "page: product": lambda _n: f"/product/{generated_products.format_handle(rng.randrange(products))}",
        "sitemap: index": lambda _n: "/sitemap.xml",
        "sitemap: one of its files": lambda n: f"/sitemap-{n % files + 1}.xml",
    }, key


async def _read_size_mib(database: Database) -> float:
    """Return the size of the database's files in MiB."""
    statement = (
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if database.is_sqlite
        else "SELECT pg_database_size(current_database())"
    )
    async with database.read() as session:
        return int((await session.execute(text(statement))).scalar_one()) / 2**20


if __name__ == "__main__":
    uvloop.run(main())
