"""The demo shop: one region, one warehouse, two ways to ship, and the toys of `catalog.toml`.

Seeding is safe to repeat and safe to run twice at once: what is there already stays as it is.
"""

import logging
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from importlib import resources
from secrets import token_hex
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    PublishableKey,
    Region,
    SalesChannel,
    Variant,
)
from backend.catalog.search import index_products
from backend.clock import now
from backend.database import Database
from backend.ids import new_id
from backend.inventory.models import InventoryLevel
from backend.modules import CARRIER, MANUAL
from backend.settings import Settings
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    ShippingProfile,
    StockLocation,
)
from backend.tables import JsonObject
from backend.texts import _

log = logging.getLogger(__name__)

PICTURE_WIDTHS = (320, 640, 960)
STORE_PICKUP_PRICE = 0


@dataclass(frozen=True)
class Seeded:
    """What a seeding added."""

    products: int
    categories: int
    collections: int


async def seed(database: Database, settings: Settings) -> Seeded:
    """Fill an empty shop; do nothing in one that has a region already."""
    async with database.transaction() as session:
        if (await session.execute(select(Region.id).limit(1))).first():
            return Seeded(0, 0, 0)
        location_id = await seed_region_and_warehouse(session, settings)
        data = tomllib.loads(resources.files(__package__).joinpath("catalog.toml").read_text("utf-8"))
        categories = await _categories(session, data["categories"])
        collections = await _collections(session, data["collections"])
        products = [
            await _product(session, toy, categories, collections, location_id) for toy in data["toys"]
        ]
        await index_products(session, products)
    log.info("seeded %d products", len(products))
    return Seeded(len(products), len(categories), len(collections))


async def seed_region_and_warehouse(session: AsyncSession, settings: Settings) -> str:
    """The region, the sales channel with its key, and the warehouse with its ways to ship.

    Returns:
        The id of the warehouse.
    """
    channel = SalesChannel(name=_("Tienda en línea"))
    location = StockLocation(
        name=_("Bodega Bogotá"),
        address={
            "address_1": settings.carrier_origin_address,
            "city": "Bogotá, D.C.",
            "country_code": "co",
            "phone": settings.carrier_origin_phone,
            "dane_code": settings.carrier_origin_dane_code,
        },
    )
    profile = ShippingProfile(name=_("Envío estándar"))
    session.add_all([Region(name="Colombia"), channel, location, profile])
    await session.flush()
    fulfillment_set = FulfillmentSet(name=_("Envíos a domicilio"), location_id=location.id)
    session.add_all(
        [
            PublishableKey(token=f"pk_{token_hex(32)}", sales_channel_id=channel.id),
            LocationSalesChannel(location_id=location.id, sales_channel_id=channel.id),
            LocationFulfillmentProvider(location_id=location.id, provider_id=CARRIER),
            LocationFulfillmentProvider(location_id=location.id, provider_id=MANUAL),
            fulfillment_set,
        ]
    )
    await session.flush()
    zone = ServiceZone(name="Colombia", fulfillment_set_id=fulfillment_set.id)
    session.add(zone)
    await session.flush()
    session.add_all(
        [
            ShippingOption(
                name=_("Envío a domicilio"),
                price_type="calculated",
                provider_id=CARRIER,
                service_zone_id=zone.id,
                shipping_profile_id=profile.id,
            ),
            ShippingOption(
                name=_("Recoger en la tienda (Bogotá)"),
                price_type="flat",
                provider_id=MANUAL,
                amount=STORE_PICKUP_PRICE,
                service_zone_id=zone.id,
                shipping_profile_id=profile.id,
                data={"pickup": True},
            ),
        ]
    )
    await session.flush()
    return location.id


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
        created_at=now() - timedelta(days=toy["created_days_ago"]),
    )
    variant = Variant(
        product_id=product.id,
        sku=toy["sku"],
        price=toy["price"],
        compare_at_price=toy.get("compare_at_price"),
    )
    session.add(product)
    await session.flush()
    session.add(variant)
    session.add_all(
        ProductCategory(product_id=product.id, category_id=categories[handle]) for handle in toy["categories"]
    )
    session.add_all(_picture(product.id, rank, entry) for rank, entry in enumerate(pictures))
    await session.flush()
    session.add(
        InventoryLevel(
            id=new_id("iitem"), variant_id=variant.id, location_id=location_id, stocked=toy["stock"]
        )
    )
    await session.flush()
    return product.id


def _picture(product_id: str, rank: int, entry: dict[str, str]) -> Picture:
    sources: list[JsonObject] = [
        {"url": _picture_url(entry["file"], width), "width": width} for width in PICTURE_WIDTHS
    ]
    return Picture(
        product_id=product_id, url=sources[-1]["url"], alt=entry["alt"], rank=rank, sources=sources
    )


def _picture_url(file: str, width: int) -> str:
    return f"/demo/{file}-{width}.webp"
