"""The demo shop: the defaults that every shop has (`backend.operations.opening`), and the toys of `catalog.toml`.

Seeding is safe to repeat and safe to run twice at once: what is there already stays as it is.
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
from backend.catalog.products.options import SaidOption, set_options, set_values
from backend.catalog.search.index import index_products
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.inventory.service import set_stock
from backend.operations.opening.store_defaults import make_defaults
from backend.reviews.models import Review, ReviewState
from backend.reviews.moderation import count_reviews
from backend.shipping.models import StockLocation

log = logging.getLogger(__name__)

PICTURES = "/demo/"
"""How the addresses of the demo toys' pictures begin, and nobody else's."""
PICTURE_WIDTHS = (320, 640, 960)
MADE_HERE = "hecho-en-colombia"
MARK = "NTC-EN 71-1 (dato de ejemplo)"
TOO_YOUNG = "No es para menores de 3 años: puede tener piezas pequeñas (dato de ejemplo)."


@dataclass(frozen=True)
class Seeded:
    """What a seeding added."""

    products: int
    categories: int
    collections: int


async def seed(database: Database, settings: Settings) -> Seeded:
    """Make the store defaults that are missing, and add the toys to a shop without any; safe to repeat."""
    async with database.transaction() as session:
        await make_defaults(session, settings)
        for table in (Product, Category, Collection):
            if (await session.execute(select(table.id).limit(1))).first():
                return Seeded(0, 0, 0)
        oldest = select(StockLocation.id).order_by(StockLocation.created_at).limit(1)
        location_id = (await session.execute(oldest)).scalar_one()
        data = tomllib.loads(resources.files(__package__).joinpath("catalog.toml").read_text("utf-8"))
        categories = await _categories(session, data["categories"])
        collections = await _collections(session, data["collections"])
        products = [
            await _product(session, toy, categories, collections, location_id) for toy in data["toys"]
        ]
        await _reviews(
            session,
            data["reviews"],
            dict(zip((toy["handle"] for toy in data["toys"]), products, strict=True)),
        )
        products.append(await _wrapping(session, data["wrapping"], location_id))
        await index_products(session, products)
    log.info("seeded %d products", len(products))
    return Seeded(len(products), len(categories), len(collections))


async def _categories(session: AsyncSession, entries: list[dict[str, Any]]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for rank, entry in enumerate(entries):  # parents come before their children
        parent = ids[entry["parent"]] if "parent" in entry else None
        category = Category(
            name=entry["name"],
            handle=entry["handle"],
            description=entry.get("description", ""),
            parent_id=parent,
            rank=rank,
        )
        session.add(category)
        await session.flush()
        ids[category.handle] = category.id
    return ids


async def _collections(session: AsyncSession, entries: list[dict[str, Any]]) -> dict[str, str]:
    collections = [Collection(title=entry["title"], handle=entry["handle"]) for entry in entries]
    session.add_all(collections)
    await session.flush()
    return {collection.handle: collection.id for collection in collections}


async def _product(
    session: AsyncSession,
    toy: dict[str, Any],
    categories: dict[str, str],
    collections: dict[str, str],
    location_id: str,
) -> str:
    pictures = toy["pictures"]
    product = Product(
        handle=toy["handle"],
        title=toy["title"],
        subtitle=toy["subtitle"],
        description=toy["description"],
        thumbnail=_picture_url(pictures[0]["file"], PICTURE_WIDTHS[-1]),
        collection_id=collections.get(toy.get("collection", "")),
        featured=toy["featured"],
        brand=toy["brand"],
        age_range=toy["age_range"],
        material=toy.get("material"),
        origin_country="co" if toy.get("collection") == MADE_HERE else None,
        warnings=TOO_YOUNG if toy["age_range"] != "0-2" else "",
        extra_metadata={SAFETY_MARK: MARK, **({CONTENTS: toy["contents"]} if "contents" in toy else {})},
        created_at=now() - timedelta(days=toy["created_days_ago"]),
    )
    session.add(product)
    await session.flush()
    options = toy.get("options", {})
    if options:
        await set_options(session, product, [SaidOption(*option) for option in options.items()])
    session.add_all(
        ProductCategory(product_id=product.id, category_id=categories[handle]) for handle in toy["categories"]
    )
    session.add_all(_picture(product.id, rank, entry) for rank, entry in enumerate(pictures))
    await session.flush()
    for rank, entry in enumerate(toy.get("variants", [toy])):
        variant = Variant(
            product_id=product.id,
            sku=entry["sku"],
            price=entry["price"],
            compare_at_price=entry.get("compare_at_price"),
            rank=rank,
        )
        session.add(variant)
        await session.flush()
        if options:
            await set_values(session, product, variant, dict(zip(options, entry["values"], strict=True)))
        await set_stock(session, variant.id, location_id, entry["stock"])
    return product.id


async def _reviews(session: AsyncSession, entries: list[dict[str, Any]], products: dict[str, str]) -> None:
    """Reviews that nobody wrote: they say so wherever they are shown, and programs are not told of them."""
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


async def _wrapping(session: AsyncSession, entry: dict[str, Any], location_id: str) -> str:
    """The gift wrapping, which the cart offers and no list shows."""
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


def _picture(product_id: str, rank: int, entry: dict[str, str]) -> Picture:
    sources: list[JsonObject] = [
        {"url": _picture_url(entry["file"], width), "width": width} for width in PICTURE_WIDTHS
    ]
    return Picture(
        product_id=product_id, url=sources[-1]["url"], alt=entry["alt"], rank=rank, sources=sources
    )


def _picture_url(file: str, width: int) -> str:
    return f"{PICTURES}{file}-{width}.webp"
