"""Memory of an idle shop: `python -m tests.bench.bench_memory` (`--workers 2` starts its own Redis).

The shop runs as users run it, with the demo products. Two pages are opened and closed again, then the shop is idle: for
some seconds, and until its renderer has stopped. Memory shared by several processes is divided among them
(proportional set size), so the sum is right.
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
from tests.bench.servers import start_redis
from tests.e2e.conftest import ShopServer

GOAL_MIB = 289
PAGES = ("/", "/product/trompo-de-madera")
IDLE_S = 5.0
"""Seconds."""


async def open_pages(shop: ShopServer) -> None:
    """Open two pages as a browser does, one after the other, and close them."""
    async with httpx.AsyncClient(base_url=shop.url, timeout=30) as client:
        for path in PAGES:
            (await client.get(path)).raise_for_status()
            shopper = Shopper(shop)
            stay_task = asyncio.create_task(shopper.keep_open())
            await asyncio.wait_for(shopper.is_loaded.wait(), 30)
            stay_task.cancel()
            await asyncio.gather(stay_task, return_exceptions=True)


async def wait_until_renderers_stop(shop: ShopServer) -> None:
    """Wait until the renderer of every worker has stopped: they stop within seconds of one another."""
    assert shop.process is not None
    main = psutil.Process(shop.process.pid)
    async with asyncio.timeout(180):
        while any(Path(process.exe()).name == "node" for process in main.children(recursive=True)):  # noqa: ASYNC110 - waits for other processes
            await asyncio.sleep(1)


def print_memory(shop: ShopServer) -> float:
    """Print a line for each process. Return the sum in MiB."""
    assert shop.process is not None
    main = psutil.Process(shop.process.pid)
    total = 0.0
    for process in (main, *main.children(recursive=True)):
        memory = process.memory_full_info()
        total += memory.pss / 2**20
        print(
            f"  {process.name():8} {memory.pss / 2**20:6.1f} MiB, {memory.uss / 2**20:6.1f} of its own,"
            f" {process.num_threads()} threads"
        )
    return total


async def run(workers: int) -> None:
    """Open the shop twice. Print the duration of the second start, with existing data, and the memory after it."""
    with tempfile.TemporaryDirectory() as folder, start_redis() if workers > 1 else nullcontext("") as redis:
        shop = ShopServer(
            Path(folder), {"WORKERS": str(workers), "REDIS_URL": redis, "RENDERER_REST_MINUTES": "1"}
        )
        shop.start()
        shop.stop()
        started = time.perf_counter()
        shop.start()
        open_seconds = time.perf_counter() - started
        await open_pages(shop)
        await asyncio.sleep(IDLE_S)
        idle_mib = print_memory(shop)
        await wait_until_renderers_stop(shop)
        stopped_mib = print_memory(shop)
        shop.stop()
    print(
        f"memory: {idle_mib:.1f} MiB after the last visitor, {stopped_mib:.1f} without a renderer (goal {GOAL_MIB})"
    )
    print(f"open after {open_seconds:.2f} s")
    print(f"calibration {calibration.measure_calibration():.2f}, load average {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure the memory of an idle shop.")
    parser.add_argument("--workers", type=int, default=1)
    asyncio.run(run(parser.parse_args().workers))


if __name__ == "__main__":
    main()
