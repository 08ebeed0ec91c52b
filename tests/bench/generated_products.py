"""A shop with generated products, written in bulk to the shop's own tables and search index."""

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
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
from backend.core.db.tables import table_of
from backend.inventory.models import InventoryLevel
from backend.operations.opening.store_defaults import create_store_defaults
from backend.shipping.models import StockLocation
from tests.store_defaults import offer_payment

BATCH_SIZE = 1000
MIN_COPIED_PRODUCTS, MAX_INSERTED_PRODUCTS = 500_000, 20_000
"""A shop with more products than the first number inserts only the second number, and copies these rows.

This takes minutes instead of hours.
"""
BRANDS = [
    f"Marca {name}" for name in ("Andina", "Boreal", "Ceiba", "Dorado", "Embera", "Frailejón", "Guadua")
]
AGES = ("0-2", "3-5", "6-8", "9-12", "12+")
ONSETS = ("b", "c", "ch", "d", "f", "g", "j", "l", "ll", "m", "n", "p", "r", "s", "t", "tr", "v", "z")
VOWELS = ("a", "e", "i", "o", "u", "á", "é")
STOCK = 1_000_000
"""Units of each product: no measurement sells out."""


def generate_words(count: int) -> list[str]:
    """Return `count` different words that sound like product names; the same ones every time."""
    rng = random.Random(1958)
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = rng.choice((2, 3, 3, 4))
        words["".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(syllables))] = None
    return list(words)


def generate_vocabulary(products: int) -> list[str]:
    """Return the words of a shop of this size.

    A larger shop has more words, so that a search for one word finds about as many products in every shop.
    """
    return generate_words(max(200, products // 5))


def generate_title(number: int, vocabulary: Sequence[str]) -> str:
    """Return the title of the product with this number: three words of the vocabulary."""
    rng = random.Random(number)
    return " ".join(rng.choice(vocabulary) for _ in range(3)).capitalize()


def format_handle(number: int) -> str:
    """Return the handle of the product with this number."""
    return f"juguete-{number:06d}"


async def fill_shop(database: Database, settings: Settings, products: int) -> None:
    """Create the store defaults and this many products."""
    async with database.transaction() as session:
        await create_store_defaults(session, settings)
        location_id = (await session.execute(select(StockLocation.id))).scalar_one()
        await offer_payment(session, GATEWAY_PSE, SYSTEM_PAYMENT)
        categories = [Category(name=f"Sección {number}", handle=f"seccion-{number}") for number in range(20)]
        collections = [Collection(title=f"Colección {n}", handle=f"coleccion-{n}") for n in range(10)]
        session.add_all([*categories, *collections])
    vocabulary = generate_vocabulary(products)
    factor = products // MAX_INSERTED_PRODUCTS if products >= MIN_COPIED_PRODUCTS else 1
    inserted = products // factor
    for start in range(0, inserted, BATCH_SIZE):
        numbers = range(start, min(start + BATCH_SIZE, inserted))
        product_rows = [_product_row(number, vocabulary, collections) for number in numbers]
        variants = [
            _variant_row(number, product_row["id"])
            for number, product_row in zip(numbers, product_rows, strict=True)
        ]
        pictures = [
            _picture_row(product_row["id"], rank) for product_row in product_rows for rank in range(2)
        ]
        stock = [{"variant_id": row["id"], "location_id": location_id, "stocked": STOCK} for row in variants]
        category_rows = [
            {"product_id": product_row["id"], "category_id": categories[number % len(categories)].id}
            for number, product_row in zip(numbers, product_rows, strict=True)
        ]
        async with database.transaction() as session:
            for table, rows in (
                (Product, product_rows),
                (Variant, variants),
                (Picture, pictures),
                (InventoryLevel, stock),
                (ProductCategory, category_rows),
            ):
                await session.execute(insert(table), rows)
            await index_products(session, [product_row["id"] for product_row in product_rows])
    if database.is_sqlite:
        if factor > 1:
            _copy_products_on_sqlite(str(database.url.database), inserted, factor)
        return
    # a connection without the shop's timeouts
    connection = await asyncpg.connect(settings.database_url.replace("+asyncpg", ""))
    if factor > 1:
        await _copy_products(connection, inserted, factor)
    await connection.execute("ANALYZE")  # a running server does this within a minute or two
    await connection.close()


def _copied_columns(number: str, minutes_earlier: str) -> dict[type[SQLModel], dict[str, str]]:
    """Return, by table, SQL expressions of the columns in which a copied row differs from its original.

    `number` is a template of the SQL expression of a new product number, where `{}` is the column with the old
    one. `minutes_earlier` is the SQL expression of the copy's creation time.
    """
    product, variant = "product_id || '_' || copy", "variant_id || '_' || copy"
    return {
        Product: {
            "id": "id || '_' || copy",
            "handle": f"'juguete-' || {number.format('handle')}",
            "created_at": minutes_earlier,
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


def _copy_statement(model: type[SQLModel], changes: dict[str, str], copies: str) -> str:
    table = table_of(model)
    columns = [column.name for column in table.columns]
    values = ", ".join(changes.get(name, name) for name in columns)
    first = "term" if "term" in columns else "copy"  # the order of the primary key
    return (
        f"INSERT INTO {table.name} ({', '.join(columns)}) SELECT {values} "
        f"FROM {table.name}, {copies} ORDER BY {first}"
    )


async def _copy_products(connection: asyncpg.Connection, inserted: int, times: int) -> None:
    """Copy every product until there are `times` as many products, each with a unique number."""
    changed_columns = _copied_columns(
        f"lpad((substring({{}} from '[0-9]+$')::int + copy * {inserted})::text, 6, '0')",
        f"created_at - copy * {inserted} * interval '1 minute'",
    )
    # no checks for each row; sorting happens in memory
    for option in (
        "session_replication_role = replica",
        "maintenance_work_mem = '1GB'",
        "work_mem = '512MB'",
    ):
        await connection.execute(f"SET {option}")
    for model, changes in changed_columns.items():
        indexes = await connection.fetch(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = $1 AND indexdef NOT LIKE '%UNIQUE%'",
            table_of(model).name,
        )
        for index in indexes:
            await connection.execute(f"DROP INDEX {index['indexname']}")
        await connection.execute(_copy_statement(model, changes, f"generate_series(1, {times - 1}) AS copy"))
        for index in indexes:
            await connection.execute(index["indexdef"])


def _copy_products_on_sqlite(file: str, inserted: int, times: int) -> None:
    """Copy the products in an SQLite file, as `_copy_products` does on PostgreSQL."""
    copies = (
        f"(WITH RECURSIVE numbers (copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM numbers "
        f"WHERE copy < {times - 1}) SELECT copy FROM numbers)"
    )
    changed_columns = _copied_columns(
        f"printf('%06d', CAST(substr({{0}}, instr({{0}}, '-') + 1) AS INTEGER) + copy * {inserted})",
        f"strftime('%Y-%m-%d %H:%M:%f000', created_at, '-' || (copy * {inserted}) || ' minutes')",
    )
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for pragma in ("synchronous=OFF", "cache_size=-1000000", "foreign_keys=OFF"):
            connection.execute(f"PRAGMA {pragma}")
        for model, changes in changed_columns.items():
            restored = connection.execute(
                "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL "
                "AND (type = 'trigger' OR type = 'index' AND sql NOT LIKE '%UNIQUE%')",
                [table_of(model).name],
            ).fetchall()
            for kind, name, _sql in restored:
                connection.execute(f'DROP {kind} "{name}"')
            connection.execute(_copy_statement(model, changes, copies))
            for _kind, _name, sql in restored:
                connection.execute(sql)
        connection.execute("PRAGMA optimize")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def sample_variants(database: Database, count: int) -> list[str]:
    """Return the ids of `count` variants, spread over the shop.

    The first variant is left out, because a measurement may hide its product.
    """
    async with database.read() as session:
        variant_ids = (await session.execute(select(Variant.id).order_by(Variant.sku))).scalars().all()
    return list(variant_ids[1 :: max(1, len(variant_ids) // count)][:count])


def _product_row(number: int, vocabulary: Sequence[str], collections: Sequence[Collection]) -> dict[str, Any]:
    rng = random.Random(-number)
    description = " ".join(rng.choice(vocabulary) for _ in range(12))
    return {
        "id": Product(handle="", title="").id,
        "handle": format_handle(number),
        "title": generate_title(number, vocabulary),
        "subtitle": "Para jugar toda la tarde",
        "description": f"Hecho a mano en madera de pino. {description.capitalize()}.",
        "thumbnail": f"/demo/juguete {number % 50} (1)-960.webp",
        "collection_id": collections[number % len(collections)].id if number % 3 else None,
        "featured": number % 100 == 0,
        "brand": BRANDS[number % len(BRANDS)],
        "age_range": AGES[number % len(AGES)],
        "created_at": now() - timedelta(minutes=number),
        "extra_metadata": {},
    }


def _variant_row(number: int, product_id: str) -> dict[str, Any]:
    price = 9_900 + number % 500 * 1000
    return {
        "id": Variant(product_id=product_id, price=0).id,
        "product_id": product_id,
        "sku": f"JUG-{number:06d}",
        "price": price,
        "compare_at_price": price + 10_000 if number % 4 == 0 else None,
    }


def _picture_row(product_id: str, rank: int) -> dict[str, Any]:
    address = f"/demo/juguete {rank} (1)-960.webp"
    return {
        "product_id": product_id,
        "url": address,
        "alt": "Juguete de madera",
        "rank": rank,
        "sources": [{"url": address, "width": 960}],
    }
