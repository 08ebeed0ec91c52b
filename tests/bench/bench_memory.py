"""What an idle shop holds: `python -m tests.bench.bench_memory` (`--workers 2` needs Redis, and brings its own).

The shop as users run it, with the demo toys. Two pages are opened and closed again, then it is left alone: for some
seconds, and until its renderer rests.
A page of memory that several processes hold counts for each in part (proportional set size), so the sum is right.
"""

import argparse
import asyncio
import os
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import httpx
import psutil

from tests.bench import calibration
from tests.bench.bench_storefront import Shopper
from tests.bench.scene import redis_server
from tests.e2e.conftest import ShopServer

GOAL_MIB = 289
PAGES = ("/", "/product/trompo-de-madera")
IDLE = 5.0
"""Seconds."""


async def open_pages(shop: ShopServer) -> None:
    """Open two pages as a browser does, one after the other, and close them."""
    async with httpx.AsyncClient(base_url=shop.url, timeout=30) as client:
        for path in PAGES:
            (await client.get(path)).raise_for_status()
            shopper = Shopper(shop)
            stay = asyncio.create_task(shopper.stay())
            await asyncio.wait_for(shopper.is_there.wait(), 30)
            stay.cancel()
            await asyncio.gather(stay, return_exceptions=True)


async def until_resting(shop: ShopServer) -> None:
    """Wait until the renderer of every worker rests: they end together, within seconds of one another."""
    assert shop.process is not None
    main = psutil.Process(shop.process.pid)
    async with asyncio.timeout(180):
        while any(Path(process.exe()).name == "node" for process in main.children(recursive=True)):  # noqa: ASYNC110 - other processes are what we wait for
            await asyncio.sleep(1)


def print_memory(shop: ShopServer) -> float:
    """A line for each process and one for all. Gives the sum in MiB."""
    assert shop.process is not None
    main = psutil.Process(shop.process.pid)
    total = 0.0
    for process in (main, *main.children(recursive=True)):
        held = process.memory_full_info()
        total += held.pss / 2**20
        print(
            f"  {process.name():8} {held.pss / 2**20:6.1f} MiB, {held.uss / 2**20:6.1f} of its own,"
            f" {process.num_threads()} threads"
        )
    return total


async def run(workers: int) -> None:
    """Open the shop twice, the second time with its data there, and print the second."""
    with tempfile.TemporaryDirectory() as folder, redis_server() if workers > 1 else nullcontext("") as redis:
        shop = ShopServer(
            Path(folder), {"WORKERS": str(workers), "REDIS_URL": redis, "RENDERER_REST_MINUTES": "1"}
        )
        shop.start()
        shop.stop()
        begun = time.perf_counter()
        shop.start()
        opened = time.perf_counter() - begun
        await open_pages(shop)
        await asyncio.sleep(IDLE)
        left_alone = print_memory(shop)
        await until_resting(shop)
        at_rest = print_memory(shop)
        shop.stop()
    print(
        f"memory: {left_alone:.1f} MiB soon after the last visitor, {at_rest:.1f} at rest (goal {GOAL_MIB})"
    )
    print(f"open after {opened:.2f} s")
    print(f"calibration {calibration.measured():.2f}, load average {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure what an idle shop holds.")
    parser.add_argument("--workers", type=int, default=1)
    asyncio.run(run(parser.parse_args().workers))


if __name__ == "__main__":
    main()
