"""Speed of the office's product list: `python -m tests.bench.bench_products [--products N] [--database NAME …]`.

The shop has many products. This process queries them as the office does: Productos with each filter, later pages,
and searches of every kind there and in Bodega. Guests buy in the meantime.
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
from backend.office.stock.page import find_variants, stock_page
from backend.staff.rights import Actor, Role
from tests.bench import generated_products
from tests.bench.background_sales import sell_in_background
from tests.bench.bench_orders import GOAL_MS, collect_garbage, measure_query, open_database
from tests.bench.calibration import format_goal

OWNER = Actor("user_1", Role.OWNER)
RARE_INTERVAL = 500
"""One in this many products is hidden, sold out, and has no weight and no picture."""


async def main() -> None:
    """Measure the queries of the office's product list, and print their durations."""
    parser = argparse.ArgumentParser(description="Measure the products of the office.")
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    arguments = parser.parse_args()
    print(f"goal: p95 of {format_goal(GOAL_MS)}")
    for kind in arguments.database:
        async with open_database(kind) as (database, settings):
            started = time.perf_counter()
            await generated_products.fill_shop(database, settings, arguments.products)
            await _empty_some_products(database, arguments.products)
            print(f"\n{kind}, {arguments.products} products, made in {time.perf_counter() - started:.0f} s")
            collect_garbage()
            async with sell_in_background(database, settings):
                await _measure(database, arguments.products)


async def _empty_some_products(database: Database, products: int) -> None:
    """Hide every `RARE_INTERVAL`-th product, without weight, pictures and units. Give all others a weight."""
    numbers = [f"JUG-{number:06d}" for number in range(0, products, RARE_INTERVAL)]
    rare_products = select(Variant.product_id).where(Variant.sku.in_(numbers))
    rare_variants = select(Variant.id).where(Variant.sku.in_(numbers))
    async with database.transaction() as session:
        await session.execute(update(Product).values(weight=0.4))
        emptied = update(Product).where(Product.id.in_(rare_products)).values(weight=None, status="draft")
        for statement in (
            emptied,
            delete(Picture).where(Picture.product_id.in_(rare_products)),
            update(InventoryLevel).where(InventoryLevel.variant_id.in_(rare_variants)).values(stocked=0),
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
    rng = random.Random(7)
    vocabulary = generated_products.generate_vocabulary(products)

    def list_with(**filters: str) -> Callable[[], Awaitable[ProductsView]]:
        async def run_query() -> ProductsView:
            async with database.read() as session:
                return await products_view(session, OWNER, filters)

        return run_query

    def search_products(make: Callable[[int], str]) -> Callable[[], Awaitable[ProductsView]]:
        async def run_query() -> ProductsView:
            return await list_with(q=make(rng.randrange(products)))()

        return run_query

    def search_stock(make: Callable[[int], str], only: str = "") -> Callable[[], Awaitable[object]]:
        async def run_query() -> object:
            async with database.read() as session:
                return await stock_page(session, OWNER, {"q": make(rng.randrange(products)), "only": only})

        return run_query

    async def find_scanned_code() -> object:
        async with database.read() as session:
            return await find_variants(
                session, OWNER, generated_products.generate_title(rng.randrange(products), vocabulary)[:6]
            )

    for name, query in (
        ("list", list_with()),
        ("list, five pages", lambda: _pages(database)),
        ("list, hidden", list_with(estado="ocultos")),
        ("list, published", list_with(estado="publicados")),
        ("list, no picture", list_with(ver="sin-foto")),
        ("list, no weight", list_with(ver="sin-peso")),
        ("list, low", list_with(ver="pocas")),
        ("list, sold out", list_with(ver="agotados")),
        ("list, on sale (one in four)", list_with(ver="oferta")),
        ("list, featured", list_with(ver="destacados")),
        ("list, category of one in twenty", list_with(categoria="seccion-3")),
        ("list, category, no picture", list_with(categoria="seccion-0", ver="sin-foto")),
        (
            "search: a title",
            search_products(lambda number: generated_products.generate_title(number, vocabulary)),
        ),
        (
            "search: a word",
            search_products(lambda number: generated_products.generate_title(number, vocabulary).split()[0]),
        ),
        ("search: SKU", search_products(lambda number: f"JUG-{number:06d}")),
        ("search: beginning of a SKU", search_products(lambda number: f"JUG-{number:06d}"[:8])),
        ("search: handle", search_products(generated_products.format_handle)),
        ("search: one letter", list_with(q="t")),
        ("search: two common beginnings", list_with(q="tr ju")),
        ("search: two common that nothing has both", list_with(q="x jug")),
        ("search: common, low", list_with(q="jug", ver="pocas")),
        ("search: common, of a category", list_with(q="jug t", categoria="seccion-3")),
        ("search: nothing", list_with(q="zzyzx")),
        ("Bodega", search_stock(lambda _number: "")),
        (
            "Bodega, search: a word",
            search_stock(lambda number: generated_products.generate_title(number, vocabulary).split()[0]),
        ),
        ("Bodega, search: SKU", search_stock(lambda number: f"JUG-{number:06d}")),
        ("Bodega, search: one letter", search_stock(lambda _number: "t")),
        ("Bodega, search: nothing", search_stock(lambda _number: "zzyzx")),
        ("Bodega, low, search: common", search_stock(lambda _number: "jug", "low")),
        ("Bodega, what a text may mean", find_scanned_code),
    ):
        await measure_query(name, query)


if __name__ == "__main__":
    uvloop.run(main())
