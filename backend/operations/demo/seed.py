"""The demo shop: the defaults that every shop needs (`backend.operations.opening`), and the products of `catalog.toml`.

Seeding may be repeated and may run twice at the same time: existing rows stay unchanged.
"""

import logging
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from importlib import resources
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    WRAPPING_SKU,
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    Variant,
)
from backend.catalog.product_facts import CONTENTS, SAFETY_MARK
from backend.catalog.products.options import OptionInput, set_options, set_variant_values
from backend.catalog.search.index import index_products
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.inventory.service import set_stock
from backend.media.picture_widths import THUMBNAIL_WIDTH, WIDTHS
from backend.operations.opening.store_defaults import create_store_defaults
from backend.reviews.models import Review, ReviewState
from backend.reviews.moderation import count_reviews
from backend.shipping.models import StockLocation

log = logging.getLogger(__name__)

DEMO_PICTURES = "/demo/"
"""Address prefix of the demo products' pictures. No other picture has it."""
PICTURE_WIDTHS = (THUMBNAIL_WIDTH, *WIDTHS)
MADE_IN_COLOMBIA = "hecho-en-colombia"
DEMO_SAFETY_MARK = "NTC-EN 71-1 (dato de ejemplo)"
AGE_WARNING = "No es para menores de 3 años: puede tener piezas pequeñas (dato de ejemplo)."


@dataclass(frozen=True)
class SeedResult:
    """Number of rows that a seeding added, by kind."""

    products: int
    categories: int
    collections: int


async def seed(database: Database, settings: Settings) -> SeedResult:
    """Create the missing store defaults. Add the demo catalog if there is no catalog yet. Safe to repeat."""
    async with database.transaction() as session:
        await create_store_defaults(session, settings)
        for table in (Product, Category, Collection):
            if (await session.execute(select(table.id).limit(1))).first():
                return SeedResult(0, 0, 0)
        oldest = select(StockLocation.id).order_by(StockLocation.created_at).limit(1)
        location_id = (await session.execute(oldest)).scalar_one()
        data = tomllib.loads(resources.files(__package__).joinpath("catalog.toml").read_text("utf-8"))
        categories = await _add_categories(session, data["categories"])
        collections = await _add_collections(session, data["collections"])
        products = [
            await _add_product(session, entry, categories, collections, location_id) for entry in data["toys"]
        ]
        await _add_reviews(
            session,
            data["reviews"],
            dict(zip((entry["handle"] for entry in data["toys"]), products, strict=True)),
        )
        products.append(await _add_gift_wrapping(session, data["wrapping"], location_id))
        await index_products(session, products)
    log.info("seeded %d products", len(products))
    return SeedResult(len(products), len(categories), len(collections))


async def _add_categories(session: AsyncSession, entries: list[dict[str, Any]]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for rank, entry in enumerate(entries):  # parents come before their children
        parent = ids[entry["parent"]] if "parent" in entry else None
        category = Category(
            name=entry["name"],
            handle=entry["handle"],
            description=entry.get("description", ""),
            picture=entry.get("picture", ""),
            parent_id=parent,
            rank=rank,
        )
        session.add(category)
        await session.flush()
        ids[category.handle] = category.id
    return ids


async def _add_collections(session: AsyncSession, entries: list[dict[str, Any]]) -> dict[str, str]:
    collections = [Collection(title=entry["title"], handle=entry["handle"]) for entry in entries]
    session.add_all(collections)
    await session.flush()
    return {collection.handle: collection.id for collection in collections}


async def _add_product(
    session: AsyncSession,
    entry: dict[str, Any],
    categories: dict[str, str],
    collections: dict[str, str],
    location_id: str,
) -> str:
    pictures = entry["pictures"]
    product = Product(
        handle=entry["handle"],
        title=entry["title"],
        subtitle=entry["subtitle"],
        description=entry["description"],
        thumbnail=_picture_url(pictures[0]["file"], PICTURE_WIDTHS[-1]),
        collection_id=collections.get(entry.get("collection", "")),
        featured=entry["featured"],
        brand=entry["brand"],
        age_range=entry["age_range"],
        material=entry.get("material"),
        origin_country="co" if entry.get("collection") == MADE_IN_COLOMBIA else None,
        warnings=AGE_WARNING if entry["age_range"] != "0-2" else "",
        extra_metadata={
            SAFETY_MARK: DEMO_SAFETY_MARK,
            **({CONTENTS: entry["contents"]} if "contents" in entry else {}),
        },
        created_at=now() - timedelta(days=entry["created_days_ago"]),
    )
    session.add(product)
    await session.flush()
    options = entry.get("options", {})
    if options:
        await set_options(session, product, [OptionInput(*option) for option in options.items()])
    session.add_all(
        ProductCategory(product_id=product.id, category_id=categories[handle])
        for handle in entry["categories"]
    )
    session.add_all(_to_picture(product.id, rank, picture) for rank, picture in enumerate(pictures))
    await session.flush()
    for rank, part in enumerate(entry.get("variants", [entry])):
        variant = Variant(
            product_id=product.id,
            sku=part["sku"],
            price=part["price"],
            compare_at_price=part.get("compare_at_price"),
            rank=rank,
        )
        session.add(variant)
        await session.flush()
        if options:
            await set_variant_values(
                session, product, variant, dict(zip(options, part["values"], strict=True))
            )
        await set_stock(session, variant.id, location_id, part["stock"])
    return product.id


async def _add_reviews(
    session: AsyncSession, entries: list[dict[str, Any]], products: dict[str, str]
) -> None:
    """Add the demo reviews. Pages mark them as examples, and the Store API does not return them."""
    for entry in entries:
        written_at = now() - timedelta(days=entry["days_ago"])
        answer = entry.get("answer", "")
        session.add(
            Review(
                product_id=products[entry["toy"]],
                name=entry["name"],
                stars=entry["stars"],
                text=entry["text"],
                state=ReviewState.SHOWN,
                answer=answer,
                answered_at=written_at if answer else None,
                written_at=written_at,
                decided_at=written_at,
                is_demo=True,
            )
        )
    for product_id in sorted({products[entry["toy"]] for entry in entries}):
        await count_reviews(session, product_id)


async def _add_gift_wrapping(session: AsyncSession, entry: dict[str, Any], location_id: str) -> str:
    """Add the product for gift wrapping, which only the cart offers. It is in no product list. Return its id."""
    product = Product(
        handle=entry["handle"],
        title=entry["title"],
        description=entry["description"],
        status="draft",
        created_at=now() - timedelta(days=entry["created_days_ago"]),
    )
    session.add(product)
    await session.flush()
    variant = Variant(product_id=product.id, sku=WRAPPING_SKU, price=entry["price"])
    session.add(variant)
    await session.flush()
    await set_stock(session, variant.id, location_id, entry["stock"])
    return product.id


def _to_picture(product_id: str, rank: int, entry: dict[str, str]) -> Picture:
    sources: list[JsonObject] = [
        {"url": _picture_url(entry["file"], width), "width": width} for width in PICTURE_WIDTHS
    ]
    return Picture(
        product_id=product_id, url=sources[-1]["url"], alt=entry["alt"], rank=rank, sources=sources
    )


def _picture_url(file: str, width: int) -> str:
    return f"{DEMO_PICTURES}{file}-{width}.webp"
