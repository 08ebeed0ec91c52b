"""Measure the processor time of a guest checkout: `python -m tests.bench.bench_checkout [--database NAME …]`.

The shop runs as users run it, with one worker. The time of all its processes counts, until the last confirmation is
written. The time of the load generator and of PostgreSQL does not count. Other programs on the machine change the
processor time less than the number of requests per second.
"""

import argparse
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

import uvloop
from sqlalchemy import select

from backend.channels.models import PublishableKey
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.migrations.runner import upgrade
from tests.bench import generated_products, servers
from tests.bench.calibration import measure_calibration
from tests.bench.checkouts import CheckoutTask, wait_for_mails
from tests.bench.load import measure
from tests.ports import find_free_port

PRODUCTS = 1000
CONCURRENCY = 8
WARM_UP_CHECKOUTS = 100
MAX_SECONDS = 120.0
"""Maximum duration of a round, long enough for a slow machine."""


async def main() -> None:
    """Measure a checkout on each database, and print the processor time."""
    arguments = _arguments()
    async with AsyncExitStack() as stack:
        for kind in arguments.database:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-checkout-")))
            url = f"sqlite+aiosqlite:///{folder / 'trompo.db'}"
            if kind == "postgresql":
                server = stack.enter_context(servers.start_postgresql())
                url = await servers.create_database(server, "checkout")
            settings = Settings(
                data_dir=folder, database_url=url, port=find_free_port(), trusted_proxies="127.0.0.1"
            )
            await _measure(kind, settings, arguments)


async def _measure(kind: str, settings: Settings, arguments: Any) -> None:
    database = Database.from_settings(settings)
    await upgrade(database)
    await generated_products.fill_shop(database, settings, PRODUCTS)
    variants = await generated_products.sample_variants(database, 100)
    async with database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
    checkout = CheckoutTask(key, variants)

    async def buy_many(port: int, count: int) -> float:
        figures = await measure(port, checkout, concurrency=CONCURRENCY, seconds=MAX_SECONDS, max_tasks=count)
        await wait_for_mails(database)
        return figures.rate

    async with servers.start_shop(settings) as (process, _seconds):
        await buy_many(settings.port, WARM_UP_CHECKOUTS)
        times = []
        for _round in range(arguments.rounds):
            calibration = measure_calibration()
            before = servers.measure_processor_seconds(process)
            rate = await buy_many(settings.port, arguments.checkouts)
            spent = servers.measure_processor_seconds(process) - before
            times.append(spent / arguments.checkouts * 1000)
            print(
                f"{kind}: {times[-1]:.1f} ms of processor time for each checkout, {rate:.1f} a second, "
                f"calibration {calibration:.2f}",
                flush=True,
            )
    print(f"{kind}: median {median(times):.1f} ms ({min(times):.1f}-{max(times):.1f})", flush=True)
    await database.close()


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure the processor time of a checkout.")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--checkouts", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
