"""Delay until every open page shows a change: `python -m tests.bench.bench_open_pages`.

A real app with its state manager and many simulated browsers, whose websockets only record when an update arrives.
Half of them display the product's page, half the home page, which shows the product too.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import reflex as rx
from reflex.istate.data import RouterData
from reflex.istate.manager.token import BaseStateToken
from reflex.state import StateUpdate
from sqlalchemy import select

from backend.app import Shop, set_current_shop
from backend.catalog.models import Product, Variant
from backend.core.config.settings import Settings
from backend.start import prepare
from storefront.live.open_pages import open_pages
from storefront.live.refresh import Refresher
from storefront.pages.home import HomeState
from storefront.pages.product import ProductState

PAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000


async def main() -> None:
    """Measure the delay until all open pages show a changed price, and print it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        await prepare(settings)
        shop = Shop(settings)
        set_current_shop(shop)
        await measure(shop)
        await shop.stop()


async def measure(shop: Shop) -> None:
    """Open the pages, change the product's price, and print how long it takes until the pages have the new price."""
    app = rx.App()
    namespace = app.event_namespace
    assert namespace is not None
    arrived: list[float] = []
    all_arrived = asyncio.Event()

    async def record_update(_event: str, _update: StateUpdate, to: str) -> None:
        arrived.append(time.perf_counter())
        if len(arrived) == PAGES:
            all_arrived.set()

    namespace.emit = record_update
    async with shop.database.read() as session:
        featured = (
            select(Product.id, Product.handle).where(Product.featured).order_by(Product.created_at.desc())
        )
        product_id, handle = (await session.execute(featured)).all()[0]
    for number in range(PAGES):
        state, address = (ProductState, f"/product/{handle}") if number % 2 else (HomeState, "/")
        await open_page(app, f"tab_{number}", address, state)
    arrived.clear()
    all_arrived.clear()
    refresher = Refresher(app, open_pages)
    refresher.start()
    lag = asyncio.create_task(measure_worst_lag(all_arrived.is_set))
    async with shop.database.transaction() as session:
        variant = (
            (await session.execute(select(Variant).where(Variant.product_id == product_id))).scalars().one()
        )
        variant.price += 100
    started = time.perf_counter()
    refresher.notify([product_id])
    await all_arrived.wait()
    times = sorted(moment - started for moment in arrived)
    print(f"{PAGES} open pages: the first after {times[0] * 1000:.0f} ms, half of them after "
          f"{times[PAGES // 2] * 1000:.0f} ms, all of them after {times[-1] * 1000:.0f} ms; "
          f"the event loop was at most {await lag * 1000:.0f} ms late")  # fmt: skip
    await refresher.stop()


async def open_page(app: rx.App, token: str, address: str, state: type[Any]) -> None:
    """Simulate a browser that opens this address: connect it under `token`, and load the data of `state`."""
    assert app.event_namespace is not None
    await app.event_namespace.link_token_to_sid(token, token, update_state=False)
    router_data = {
        "pathname": address,
        "asPath": address,
        "token": token,
        "headers": {"origin": "http://shop"},
    }
    async with app.modify_state(BaseStateToken(ident=token, cls=state)) as root:
        root.router = RouterData.from_router_data(router_data)
        await (await root.get_state(state)).load()


async def measure_worst_lag(is_finished: Callable[[], bool]) -> float:
    """Run a timer until `is_finished` returns True. Return its largest delay in seconds."""
    worst = 0.0
    while not is_finished():
        started = time.perf_counter()
        await asyncio.sleep(0.005)
        worst = max(worst, time.perf_counter() - started - 0.005)
    return worst


if __name__ == "__main__":
    asyncio.run(main())
