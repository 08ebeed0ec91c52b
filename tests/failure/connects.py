"""Memory of a running shop while pages open and close.

`python -m tests.failure.connects --connects 10000` opens that many websockets as pages do, ten at a time and each
from a separate address. It waits until each has its state, closes it, and prints the shop's memory after each tenth
of them.
"""

import argparse
import asyncio
import logging
import tempfile
from pathlib import Path

from tests.attacks.frames import raw_socket
from tests.e2e.conftest import ShopServer
from tests.failure.fuzz import measure_memory_mib, measure_processor_percent

CONCURRENCY = 10


async def run(connects: int) -> None:
    """Open and close `connects` websockets, and print the shop's memory and processor use."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), environment={"TRUSTED_PROXIES": "127.0.0.1"})
        shop.start()
        try:
            idle = await measure_processor_percent(shop)
            print(f"{0:>6}: {measure_memory_mib(shop)} MiB", flush=True)
            for tenth in range(1, 11):
                await _open_and_close(shop, range((tenth - 1) * connects // 10, tenth * connects // 10))
                print(f"{tenth * connects // 10:>6}: {measure_memory_mib(shop)} MiB", flush=True)
            print(
                f"processor while idle: {idle:.1f} % before, {await measure_processor_percent(shop):.1f} % after"
            )
        finally:
            shop.stop()


async def _open_and_close(shop: ShopServer, numbers: range) -> None:
    remaining = iter(numbers)

    async def visitor() -> None:
        for number in remaining:
            await _visit(shop, f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}")

    await asyncio.gather(*(visitor() for _ in range(CONCURRENCY)))


async def _visit(shop: ShopServer, client: str) -> None:
    async with raw_socket(shop.url, client=client) as socket:
        if not await socket.load():
            raise ConnectionError("the shop closed a page before it had received its state")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connects", type=int, default=10_000)
    logging.getLogger("asyncio").setLevel(
        logging.CRITICAL
    )  # the client leaves a pending task for each socket
    asyncio.run(run(parser.parse_args().connects))
