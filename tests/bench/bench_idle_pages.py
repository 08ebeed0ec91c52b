"""Pages that are open and idle: `python -m tests.bench.bench_idle_pages [--pages N] [--workers N]`.

The whole shop as users run it, with PostgreSQL and Redis. Each page is a websocket that has loaded the home page. Then
a toy that it shows costs more, as when staff save it: printed are the seconds until pages show that, and what the shop
and Redis hold of a page.
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

import backend.subscriptions  # noqa: F401 - pages are told of what is published
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, Variant, for_sale
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.events import publish
from backend.core.money import format_cop
from backend.start import prepare
from tests.attacks.frames import RawSocket, raw_socket
from tests.bench import calibration, scene
from tests.bench.bench_shoppers import AT_ONCE, HYDRATE, LOADED
from tests.ports import free_port

PATIENCE = 1800.0
"""Seconds until a page has loaded, or shows the change: the first waits while all others load."""
PRICE = 123_400
"""What the toy costs then, in pesos: no other toy costs as much."""


async def run(pages: int, workers: int) -> None:
    """Open the shop and the pages, change the price, and wait for all of them."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trompo-bench-")))
        server = stack.enter_context(scene.postgresql_server())
        settings = Settings(
            data_dir=folder,
            database_url=await scene.create_database(server, "bench_idle_pages"),
            redis_url=stack.enter_context(scene.redis_server()),
            port=free_port(),
            workers=workers,
            trusted_proxies="127.0.0.1",
        )
        await prepare(settings)
        url = f"http://localhost:{settings.port}"
        async with scene.shop_process(settings) as (process, _seconds), AsyncExitStack() as sockets:
            async with AsyncExitStack() as first:
                for page in await _open(url, AT_ONCE, first):  # what is made once is there
                    page.cancel()
            before, redis_before = scene.memory_of(process), _redis_mib(settings)
            begun = time.perf_counter()
            opened = await _open(url, pages, sockets)
            took = time.perf_counter() - begun
            shop, redis = scene.memory_of(process) - before, _redis_mib(settings) - redis_before
            print(
                f"{pages} pages, {workers} workers, calibration {calibration.measured():.2f}: open after {took:.0f} s;"
                f" a page holds {shop * 1024 / pages:.0f} KiB in the shop, {redis * 1024 / pages:.0f} in Redis;"
                f" all together {scene.memory_of(process):.0f} MiB and {_redis_mib(settings):.0f}"
            )
            times = await _change(settings, opened)
            print(
                f"a changed price: the first page after {times[0]:.2f} s, half of them after "
                f"{times[len(times) // 2]:.1f}, all of them after {times[-1]:.1f}"
            )


async def _open(url: str, pages: int, stack: AsyncExitStack) -> list[asyncio.Task[float]]:
    """So many pages that have loaded the home page; each gives the moment at which it shows the price.

    They close with the stack.
    """
    doors = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> asyncio.Task[float]:
        client = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        async with doors:
            socket = await stack.enter_async_context(raw_socket(url, client=client))
            place = {"pathname": "/", "asPath": "/"}
            await socket.send_event({"name": HYDRATE, "payload": {"hashes": []}, "router_data": place})
            await _until(socket, LOADED)
        return asyncio.create_task(shows_price(socket))  # from now on, or no ping is answered

    async def shows_price(socket: RawSocket) -> float:
        await _until(socket, format_cop(PRICE)[2:])
        return time.perf_counter()

    return await asyncio.gather(*(one(number) for number in range(pages)))


async def _until(socket: RawSocket, text: str) -> None:
    """Read until a frame holds this text.

    Raises:
        ConnectionError: the shop closed the page.
        TimeoutError: it does not come.
    """
    async with asyncio.timeout(PATIENCE):
        while text not in (frame := await socket.receive(PATIENCE) or ""):
            if not frame:
                raise ConnectionError("the shop closed a page")


async def _change(settings: Settings, pages: list[asyncio.Task[float]]) -> list[float]:
    """Let a toy of the home page cost more. Gives the seconds after which each page showed it, in their order."""
    database = Database.from_settings(settings)
    async with database.transaction() as session:
        featured = select(Product.id).where(Product.featured, for_sale()).order_by(Product.created_at.desc())
        product_id = (await session.execute(featured.limit(1))).scalar_one()
        variants = await session.execute(select(Variant).where(Variant.product_id == product_id))
        for variant in variants.scalars():
            variant.price, variant.compare_at_price = PRICE, None
        await publish(session, ProductChanged(product_id))
    begun = time.perf_counter()
    moments = await asyncio.gather(*pages)
    await database.close()
    return sorted(moment - begun for moment in moments)


def _redis_mib(settings: Settings) -> float:
    with Redis.from_url(settings.redis_url) as redis:
        return float(redis.info("memory")["used_memory"]) / 2**20


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Pages that are open and idle.")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4)
    asked = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    asyncio.run(run(asked.pages, asked.workers))


if __name__ == "__main__":
    main()
