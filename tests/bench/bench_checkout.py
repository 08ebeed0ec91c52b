"""Measure the processor time of a guest checkout: `python -m tests.bench.bench_checkout [--database NAME …]`.

The shop runs as users run it, with one worker. The time of all its processes counts, until the last confirmation is
written. The time of the load generator and of PostgreSQL does not count. Other programs on the machine change the
processor time less than the number of requests per second.
"""

import argparse
from functools import partial
from statistics import median
from typing import Any

import uvloop

from tests.bench import servers
from tests.bench.calibration import measure_calibration
from tests.bench.checkouts import CheckoutTask, measure_checkouts
from tests.bench.peer.shop import ShopSide

PRODUCTS = 1000
WARM_UP_CHECKOUTS = 100
MAX_SECONDS = 120.0
"""Maximum duration of a round, long enough for a slow machine."""


async def main() -> None:
    """Measure a checkout on each database, and print the processor time."""
    arguments = _arguments()
    for kind in arguments.database:
        async with servers.create_shop_database(kind) as (folder, url):
            await _measure(kind, ShopSide(url, folder, PRODUCTS), arguments)


async def _measure(kind: str, shop: ShopSide, arguments: Any) -> None:
    contender = await shop.prepare()
    checkout = CheckoutTask(contender.publishable_key, contender.variant_ids)
    async with shop.start() as running:
        buy_many = partial(measure_checkouts, shop, running, checkout, seconds=MAX_SECONDS)
        await buy_many(max_checkouts=WARM_UP_CHECKOUTS)
        times = []
        for _round in range(arguments.rounds):
            calibration = measure_calibration()
            rate, processor_ms = await buy_many(max_checkouts=arguments.checkouts)
            times.append(processor_ms)
            print(
                f"{kind}: {processor_ms:.1f} ms of processor time for each checkout, {rate:.1f} a second, "
                f"calibration {calibration:.2f}",
                flush=True,
            )
    print(f"{kind}: median {median(times):.1f} ms ({min(times):.1f}-{max(times):.1f})", flush=True)
    await shop.close()


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Measure the processor time of a checkout.")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--checkouts", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
