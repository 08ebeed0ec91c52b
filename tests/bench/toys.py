"""A shop full of made-up toys, written in bulk through the shop's own tables and its own search index."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import asyncpg
from sqlalchemy import insert, select
from sqlmodel import SQLModel

from backend.catalog.derived_models import ProductTerm, SearchTerm
from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from backend.catalog.search.index import index_products
from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.operations.opening.store_defaults import make_defaults
from backend.shipping.models import StockLocation
from tests.store_defaults import offer_payment

AT_ONCE = 1000
COPIED_FROM, WRITTEN = 500_000, 20_000
"""From so many toys on PostgreSQL copies them from so many, which takes minutes and not hours."""
BRANDS = [
    f"Marca {name}" for name in ("Andina", "Boreal", "Ceiba", "Dorado", "Embera", "Frailejón", "Guadua")
]
AGES = ("0-2", "3-5", "6-8", "9-12", "12+")
ONSETS = ("b", "c", "ch", "d", "f", "g", "j", "l", "ll", "m", "n", "p", "r", "s", "t", "tr", "v", "z")
VOWELS = ("a", "e", "i", "o", "u", "á", "é")
STOCK = 1_000_000
"""Units of each toy: no measurement sells out."""


def words(count: int) -> list[str]:
    """That many different words that sound like names of toys; the same ones every time."""
    chance = random.Random(1958)
    found: dict[str, None] = {}
    while len(found) < count:
        syllables = chance.choice((2, 3, 3, 4))
        found["".join(chance.choice(ONSETS) + chance.choice(VOWELS) for _ in range(syllables))] = None
    return list(found)


def vocabulary(products: int) -> list[str]:
    """The words of a shop of this size: a larger shop knows more, so that a word finds about as many toys."""
    return words(max(200, products // 5))


def title(number: int, known: Sequence[str]) -> str:
    """The title of the toy with this number: three words of the vocabulary."""
    chance = random.Random(number)
    return " ".join(chance.choice(known) for _ in range(3)).capitalize()


def handle(number: int) -> str:
    """The handle of the toy with this number."""
    return f"juguete-{number:06d}"


async def fill(database: Database, settings: Settings, products: int) -> None:
    """Furnish the shop and put this many toys into it."""
    async with database.transaction() as session:
        await make_defaults(session, settings)
        location_id = (await session.execute(select(StockLocation.id))).scalar_one()
        await offer_payment(session, GATEWAY_PSE, SYSTEM_PAYMENT)
        categories = [Category(name=f"Sección {number}", handle=f"seccion-{number}") for number in range(20)]
        collections = [Collection(title=f"Colección {n}", handle=f"coleccion-{n}") for n in range(10)]
        session.add_all([*categories, *collections])
    known = vocabulary(products)
    copies = products // WRITTEN if products >= COPIED_FROM and not database.is_sqlite else 1
    written = products // copies
    for start in range(0, written, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, written))
        toys = [_toy(number, known, collections) for number in numbers]
        variants = [_variant(number, toy["id"]) for number, toy in zip(numbers, toys, strict=True)]
        pictures = [_picture(toy["id"], rank) for toy in toys for rank in range(2)]
        stock = [{"variant_id": row["id"], "location_id": location_id, "stocked": STOCK} for row in variants]
        places = [
            {"product_id": toy["id"], "category_id": categories[number % len(categories)].id}
            for number, toy in zip(numbers, toys, strict=True)
        ]
        async with database.transaction() as session:
            for table, rows in (
                (Product, toys),
                (Variant, variants),
                (Picture, pictures),
                (InventoryLevel, stock),
                (ProductCategory, places),
            ):
                await session.execute(insert(table), rows)
            await index_products(session, [toy["id"] for toy in toys])
    if database.is_sqlite:
        return
    # a connection without the shop's limits of time
    connection = await asyncpg.connect(settings.database_url.replace("+asyncpg", ""))
    if copies > 1:
        await _multiply(connection, written, copies)
    await connection.execute("ANALYZE")  # a server does so by itself within a minute or two
    await connection.close()


async def _multiply(connection: asyncpg.Connection, written: int, times: int) -> None:
    """Copy every toy until there are so many times as many, each with a number of its own."""
    number = f"lpad((substring({{}} from '[0-9]+$')::int + copy * {written})::text, 6, '0')"
    product, variant = "product_id || '_' || copy", "variant_id || '_' || copy"
    own: dict[type[SQLModel], dict[str, str]] = {
        Product: {
            "id": "id || '_' || copy",
            "handle": f"'juguete-' || {number.format('handle')}",
            "created_at": f"created_at - copy * {written} * interval '1 minute'",
        },
        Variant: {
            "id": "id || '_' || copy", "product_id": product, "sku": f"'JUG-' || {number.format('sku')}"
        },
        Picture: {"id": "id || '_' || copy", "product_id": product},
        InventoryLevel: {"id": "id || '_' || copy", "variant_id": variant},
        ProductCategory: {"product_id": product},
        ProductTerm: {"product_id": product},
        SearchTerm: {"product_id": product},
    }  # fmt: skip
    # nothing is checked a row; whatever is sorted, is in memory
    for option in (
        "session_replication_role = replica",
        "maintenance_work_mem = '1GB'",
        "work_mem = '512MB'",
    ):
        await connection.execute(f"SET {option}")
    for model, changed in own.items():
        table = model.__table__  # type: ignore[attr-defined]
        indexes = await connection.fetch(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = $1 AND indexdef NOT LIKE '%UNIQUE%'",
            table.name,
        )
        for index in indexes:
            await connection.execute(f"DROP INDEX {index['indexname']}")
        columns = [column.name for column in table.columns]
        values = ", ".join(changed.get(name, name) for name in columns)
        first = "term" if "term" in columns else "copy"  # in the order of the key
        await connection.execute(
            f"INSERT INTO {table.name} ({', '.join(columns)}) SELECT {values} "
            f"FROM {table.name}, generate_series(1, {times - 1}) AS copy ORDER BY {first}"
        )
        for index in indexes:
            await connection.execute(index["indexdef"])


async def some_variants(database: Database, count: int) -> list[str]:
    """The ids of a few variants, spread over the shop; not of the first product, which a measurement may hide."""
    async with database.read() as session:
        every = (await session.execute(select(Variant.id).order_by(Variant.sku))).scalars().all()
    return list(every[1 :: max(1, len(every) // count)][:count])


def _toy(number: int, known: Sequence[str], collections: Sequence[Collection]) -> dict[str, Any]:
    chance = random.Random(-number)
    said = " ".join(chance.choice(known) for _ in range(12))
    return {
        "id": Product(handle="", title="").id,
        "handle": handle(number),
        "title": title(number, known),
        "subtitle": "Para jugar toda la tarde",
        "description": f"Hecho a mano en madera de pino. {said.capitalize()}.",
        "thumbnail": f"/demo/juguete {number % 50} (1)-960.webp",
        "collection_id": collections[number % len(collections)].id if number % 3 else None,
        "featured": number % 100 == 0,
        "brand": BRANDS[number % len(BRANDS)],
        "age_range": AGES[number % len(AGES)],
        "created_at": now() - timedelta(minutes=number),
        "extra_metadata": {},
    }


def _variant(number: int, product_id: str) -> dict[str, Any]:
    price = 9_900 + number % 500 * 1000
    return {
        "id": Variant(product_id=product_id, price=0).id,
        "product_id": product_id,
        "sku": f"JUG-{number:06d}",
        "price": price,
        "compare_at_price": price + 10_000 if number % 4 == 0 else None,
    }


def _picture(product_id: str, rank: int) -> dict[str, Any]:
    address = f"/demo/juguete {rank} (1)-960.webp"
    return {
        "product_id": product_id,
        "url": address,
        "alt": "Juguete de madera",
        "rank": rank,
        "sources": [{"url": address, "width": 960}],
    }
