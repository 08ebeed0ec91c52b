"""Open, idle pages: `python -m tests.bench.bench_idle_pages [--pages N] [--workers N]`.

The whole shop runs as users run it, with PostgreSQL and Redis. Each page is a websocket that has loaded the home page.
Then the price of a displayed product changes, as when staff save it. The output: the seconds until the pages show
the price, and the memory of the shop and Redis per page.
"""

import argparse
import asyncio
import logging
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

from redis import Redis
from sqlalchemy import select

import backend.subscriptions  # noqa: F401 - pages are notified of published events
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, Variant, for_sale
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.money import format_cop
from backend.start import prepare
from tests.attacks.frames import RawSocket, raw_socket
from tests.bench import calibration, servers
from tests.bench.bench_shoppers import HYDRATE, LOADED, OPEN_CONCURRENCY
from tests.ports import find_free_port

TIMEOUT_S = 1800.0
"""Seconds until a page has loaded or shows the change: the first page waits while all others load."""
PRICE = 123_400
"""The new price in pesos: no other product has it."""


async def run(pages: int, workers: int) -> None:
    """Open the shop and the pages, change the price, and wait for all pages."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
        server = stack.enter_context(servers.start_postgresql())
        settings = Settings(
            data_dir=folder,
            database_url=await servers.create_database(server, "bench_idle_pages"),
            redis_url=stack.enter_context(servers.start_redis()),
            port=find_free_port(),
            workers=workers,
            trusted_proxies="127.0.0.1",
        )
        await prepare(settings)
        url = f"http://localhost:{settings.port}"
        async with servers.start_shop(settings) as (process, _seconds), AsyncExitStack() as sockets:
            async with AsyncExitStack() as first:
                for page in await _open(
                    url, OPEN_CONCURRENCY, first
                ):  # creates what the shop creates only once
                    page.cancel()
            before, redis_before = servers.measure_memory_mib(process), _redis_mib(settings)
            started = time.perf_counter()
            open_pages = await _open(url, pages, sockets)
            duration = time.perf_counter() - started
            shop, redis = servers.measure_memory_mib(process) - before, _redis_mib(settings) - redis_before
            print(
                f"{pages} pages, {workers} workers, calibration {calibration.measure_calibration():.2f}:"
                f" open after {duration:.0f} s;"
                f" a page holds {shop * 1024 / pages:.0f} KiB in the shop, {redis * 1024 / pages:.0f} in Redis;"
                f" all together {servers.measure_memory_mib(process):.0f} MiB and {_redis_mib(settings):.0f}"
            )
            times = await _change_price(settings, open_pages)
            print(
                f"a changed price: the first page after {times[0]:.2f} s, half of them after "
                f"{times[len(times) // 2]:.1f}, all of them after {times[-1]:.1f}"
            )


async def _open(url: str, pages: int, stack: AsyncExitStack) -> list[asyncio.Task[float]]:
    """Open the home page `pages` times, and wait until all are loaded.

    Each returned task waits for the new price on its page, and returns the time at which it arrived. `stack`
    closes the pages.
    """
    open_limit = asyncio.Semaphore(OPEN_CONCURRENCY)

    async def open_page(number: int) -> asyncio.Task[float]:
        client = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        async with open_limit:
            socket = await stack.enter_async_context(raw_socket(url, client=client))
            router_data = {"pathname": "/", "asPath": "/"}
            await socket.send_event({"name": HYDRATE, "payload": {"hashes": []}, "router_data": router_data})
            await _receive_until(socket, LOADED)
        return asyncio.create_task(wait_for_price(socket))  # starts now, because it also answers pings

    async def wait_for_price(socket: RawSocket) -> float:
        await _receive_until(socket, format_cop(PRICE)[2:])
        return time.perf_counter()

    return await asyncio.gather(*(open_page(number) for number in range(pages)))


async def _receive_until(socket: RawSocket, text: str) -> None:
    """Read until a frame contains this text.

    Raises:
        ConnectionError: the shop closed the page.
        TimeoutError: the text did not arrive.
    """
    async with asyncio.timeout(TIMEOUT_S):
        while text not in (frame := await socket.receive(TIMEOUT_S) or ""):
            if not frame:
                raise ConnectionError("the shop closed a page")


async def _change_price(settings: Settings, pages: list[asyncio.Task[float]]) -> list[float]:
    """Raise the price of a product on the home page. Return the seconds until each page showed it, sorted."""
    database = Database.from_settings(settings)
    async with database.transaction() as session:
        featured = select(Product.id).where(Product.featured, for_sale()).order_by(Product.created_at.desc())
        product_id = (await session.execute(featured.limit(1))).scalar_one()
        variants = await session.execute(select(Variant).where(Variant.product_id == product_id))
        for variant in variants.scalars():
            variant.price, variant.compare_at_price = PRICE, None
        await publish(session, ProductChanged(product_id))
    started = time.perf_counter()
    moments = await asyncio.gather(*pages)
    await database.close()
    return sorted(moment - started for moment in moments)


def _redis_mib(settings: Settings) -> float:
    with Redis.from_url(settings.redis_url) as redis:
        return float(redis.info("memory")["used_memory"]) / 2**20


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure open, idle pages.")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4)
    arguments = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    asyncio.run(run(arguments.pages, arguments.workers))


if __name__ == "__main__":
    main()
