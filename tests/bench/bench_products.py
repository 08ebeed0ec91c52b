"""How quick the office's products are: `python -m tests.bench.bench_products [--products N] [--database NAME …]`.

A shop with many toys, asked in this process as the office asks: Productos with each filter, later pages, searches of
every kind there and in Bodega, while guests buy.
"""

import argparse
import random
import time
from collections.abc import Awaitable, Callable

import uvloop
from sqlalchemy import delete, select, text, update

from backend.catalog.models import Picture, Product, Variant
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.office.products.listing import ProductsView, products_view
from backend.office.stock.page import stock_page, variants_found
from backend.staff.rights import Actor, Role
from tests.bench import toys
from tests.bench.bench_orders import GOAL_MS, opened, settle, timed
from tests.bench.calibration import said_of_goal
from tests.bench.selling import selling

OWNER = Actor("user_1", Role.OWNER)
RARE = 500
"""One product in so many is hidden, low, sold out and without a weight or a picture."""


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the products of the office.")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    asked = parser.parse_args()
    print(f"goal: p95 of {said_of_goal(GOAL_MS)}")
    for kind in asked.database:
        async with opened(kind) as (database, settings):
            begun = time.perf_counter()
            await toys.fill(database, settings, asked.products)
            await _spoil_some(database, asked.products)
            print(f"\n{kind}, {asked.products} products, made in {time.perf_counter() - begun:.0f} s")
            settle()
            async with selling(database, settings):
                await _measure(database, asked.products)


async def _spoil_some(database: Database, products: int) -> None:
    """Most have a weight, a picture and units; some lack them all."""
    numbers = [f"JUG-{number:06d}" for number in range(0, products, RARE)]
    rare = select(Variant.product_id).where(Variant.sku.in_(numbers))
    units = select(Variant.id).where(Variant.sku.in_(numbers))
    async with database.transaction() as session:
        await session.execute(update(Product).values(weight=0.4))
        spoilt = update(Product).where(Product.id.in_(rare)).values(weight=None, status="draft")
        for statement in (
            spoilt,
            delete(Picture).where(Picture.product_id.in_(rare)),
            update(InventoryLevel).where(InventoryLevel.variant_id.in_(units)).values(stocked=0),
        ):
            await session.execute(statement.execution_options(synchronize_session=False))
    if not database.is_sqlite:
        async with database.transaction() as session:
            await session.execute(text("ANALYZE"))


async def _pages(database: Database) -> ProductsView:
    cursor = ""
    for _page in range(5):
        async with database.read() as session:
            view = await products_view(session, OWNER, {}, cursor)
        cursor = view.cursor
    return view


async def _measure(database: Database, products: int) -> None:
    chance = random.Random(7)
    known = toys.vocabulary(products)

    def listed(**asked: str) -> Callable[[], Awaitable[ProductsView]]:
        async def once() -> ProductsView:
            async with database.read() as session:
                return await products_view(session, OWNER, asked)

        return once

    def searched(make: Callable[[int], str]) -> Callable[[], Awaitable[ProductsView]]:
        async def once() -> ProductsView:
            return await listed(q=make(chance.randrange(products)))()

        return once

    def stored(make: Callable[[int], str], only: str = "") -> Callable[[], Awaitable[object]]:
        async def once() -> object:
            async with database.read() as session:
                return await stock_page(session, OWNER, {"q": make(chance.randrange(products)), "only": only})

        return once

    async def scanned() -> object:
        async with database.read() as session:
            return await variants_found(session, OWNER, toys.title(chance.randrange(products), known)[:6])

    for name, ask in (
        ("list", listed()),
        ("list, five pages", lambda: _pages(database)),
        ("list, hidden", listed(estado="ocultos")),
        ("list, published", listed(estado="publicados")),
        ("list, no picture", listed(ver="sin-foto")),
        ("list, no weight", listed(ver="sin-peso")),
        ("list, low", listed(ver="pocas")),
        ("list, sold out", listed(ver="agotados")),
        ("list, on sale (one in four)", listed(ver="oferta")),
        ("list, featured", listed(ver="destacados")),
        ("list, category of one in twenty", listed(categoria="seccion-3")),
        ("list, category, no picture", listed(categoria="seccion-0", ver="sin-foto")),
        ("search: a title", searched(lambda number: toys.title(number, known))),
        ("search: a word", searched(lambda number: toys.title(number, known).split()[0])),
        ("search: SKU", searched(lambda number: f"JUG-{number:06d}")),
        ("search: beginning of a SKU", searched(lambda number: f"JUG-{number:06d}"[:8])),
        ("search: handle", searched(toys.handle)),
        ("search: one letter", listed(q="t")),
        ("search: two common beginnings", listed(q="tr ju")),
        ("search: two common that nothing has both", listed(q="x jug")),
        ("search: common, low", listed(q="jug", ver="pocas")),
        ("search: common, of a category", listed(q="jug t", categoria="seccion-3")),
        ("search: nothing", listed(q="zzyzx")),
        ("Bodega", stored(lambda _number: "")),
        ("Bodega, search: a word", stored(lambda number: toys.title(number, known).split()[0])),
        ("Bodega, search: SKU", stored(lambda number: f"JUG-{number:06d}")),
        ("Bodega, search: one letter", stored(lambda _number: "t")),
        ("Bodega, search: nothing", stored(lambda _number: "zzyzx")),
        ("Bodega, low, search: common", stored(lambda _number: "jug", "low")),
        ("Bodega, what a text may mean", scanned),
    ):
        await timed(name, ask)


if __name__ == "__main__":
    uvloop.run(main())
