"""Comparison of the shop with the commerce platform on this machine: `python -m tests.bench.peer.comparison`.

Both servers run in production mode with one process and one PostgreSQL server, one after the other in each round. The
same load generator sends the same requests to both, on the same machine and only over 127.0.0.1. docs/performance.md
says what the command needs and how to read its table.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import uvloop

from tests.bench import servers
from tests.bench.calibration import measure_calibration
from tests.bench.checkouts import CheckoutTask, measure_checkouts
from tests.bench.load import Connection, Task, build_get, measure
from tests.bench.peer.contender import Contender, RunningServer, Side
from tests.bench.peer.platform import Platform
from tests.bench.peer.shop import ShopSide

READ_CONCURRENCY = 16
PRODUCTS = 1000
PAGES, PAGE_SIZE, HITS = 40, 24, 8
IDLE_S = 15
"""Seconds between the start of a server and the measurement of its idle memory: its start jobs are then finished."""
LEAN_FIELDS = "id,title,handle,thumbnail,variants.id,*variants.calculated_price"
FIELDS = "*variants.calculated_price"
LIST, PRODUCT, SEARCH = "list of 24, per second", "product, per second", "search of 8, per second"
CHECKOUT, CHECKOUT_CPU = "guest checkout, per second", "checkout, ms of processor time"
IDLE, LOADED, START = "memory when idle, MiB", "memory after load, MiB", "start, s"
CALIBRATION = "calibration"


@dataclass
class Results:
    """The figures of the shop or of the platform: for each name, the values of all rounds."""

    figures: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        """Store a figure of this round."""
        self.figures.setdefault(name, []).append(value)


async def main() -> None:
    """Measure the shop and the platform in turns, and print their figures and ratios."""
    arguments = _arguments()
    async with AsyncExitStack() as stack:
        server = stack.enter_context(servers.start_postgresql())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-peer-")))
        shop_url = await servers.create_database(server, "trompo")
        await servers.create_database(server, "platform")
        shop = ShopSide(shop_url, folder, PRODUCTS)
        stack.push_async_callback(shop.close)
        sides: list[Side] = [
            Platform(server.set(database="platform"), PRODUCTS),
            shop,
        ]
        contenders = [await side.prepare() for side in sides]
        results = [Results() for _ in sides]
        for number in range(1, arguments.rounds + 1):
            for side, contender, result in zip(sides, contenders, results, strict=True):
                await _measure_side(side, contender, result, arguments.seconds)
                latest = ", ".join(f"{name} {values[-1]:.4g}" for name, values in result.figures.items())
                print(f"round {number}, {side.name}: {latest}", flush=True)
    _print_table(*results)


async def _measure_side(side: Side, contender: Contender, result: Results, seconds: float) -> None:
    result.add(CALIBRATION, measure_calibration())
    async with side.start() as running:
        result.add(START, running.start_seconds)
        await asyncio.sleep(IDLE_S)
        result.add(IDLE, servers.measure_memory_mib(running.process))
        for name, addresses in _build_addresses(contender).items():
            task = _create_read_task(contender, addresses)
            await measure(running.port, task, concurrency=READ_CONCURRENCY, seconds=seconds / 2)
            figures = await measure(running.port, task, concurrency=READ_CONCURRENCY, seconds=seconds)
            result.add(name, figures.rate)
        await _measure_checkouts(side, contender, running, result, seconds * 2)
        result.add(LOADED, servers.measure_memory_mib(running.process))


async def _measure_checkouts(
    side: Side, contender: Contender, running: RunningServer, result: Results, seconds: float
) -> None:
    checkout = CheckoutTask(contender.publishable_key, contender.variant_ids, contender.region_id)
    await measure_checkouts(side, running, checkout, seconds=seconds / 4)
    rate, processor_ms = await measure_checkouts(side, running, checkout, seconds=seconds)
    result.add(CHECKOUT, rate)
    result.add(CHECKOUT_CPU, processor_ms)


def _build_addresses(contender: Contender) -> dict[str, list[str]]:
    region = f"region_id={contender.region_id}"
    products = "/store/products"
    return {
        LIST: [
            f"{products}?limit={PAGE_SIZE}&offset={PAGE_SIZE * page}&{region}&fields={FIELDS}"
            for page in range(PAGES)
        ],
        PRODUCT: [
            f"{products}?handle={handle}&{region}&fields={FIELDS}" for handle in contender.handles[::7]
        ],
        SEARCH: [
            f"{products}?q={quote(word)}&limit={HITS}&{region}&fields={LEAN_FIELDS}"
            for word in contender.words
        ],
    }


def _create_read_task(contender: Contender, addresses: Sequence[str]) -> Task:
    headers = {"x-publishable-api-key": contender.publishable_key}
    requests = [build_get(address, headers) for address in addresses]

    async def request(connection: Connection, number: int) -> None:
        await connection.send(requests[number % len(requests)])

    return request


def _print_table(platform: Results, shop: Results) -> None:
    """Print the median and range of each figure, and of the ratios: the shop's figure divided by the platform's."""
    print(f"\n| {'figure':32} | {'platform':>24} | {'Trompo':>24} | {'Trompo / platform':>24} |")
    print("|---|---|---|---|")
    for name, figures in platform.figures.items():
        own = shop.figures[name]
        ratios = [mine / other for mine, other in zip(own, figures, strict=True)]
        cells = [
            _format_range(figures),
            _format_range(own),
            "" if name == CALIBRATION else _format_range(ratios),
        ]
        print(f"| {name:32} | {' | '.join(f'{cell:>24}' for cell in cells)} |")


def _format_range(values: Sequence[float]) -> str:
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="Compare the shop with the commerce platform.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0, help="duration of each reading measurement")
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
