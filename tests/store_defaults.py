"""A small shop for tests: one region, one warehouse, and products created by each test."""

from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant
from backend.catalog.search.index import index_products
from backend.channels.models import Region, SalesChannel
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel
from backend.operations.opening.store_defaults import create_store_defaults
from backend.shipping.models import StockLocation


@dataclass(frozen=True)
class Defaults:
    """Ids of the warehouse and of the sales channel."""

    location_id: str
    channel_id: str


async def set_up_defaults(database: Database, settings: Settings) -> Defaults:
    """Create the demo shop's region, sales channel, warehouse and shipping options unless they exist.

    Most test databases are copies of a database that has them already.
    """
    provider_ids = [GATEWAY_PSE, SYSTEM_PAYMENT]
    async with database.read() as session:
        columns = (StockLocation.id, SalesChannel.id, Region.payment_providers)
        query = select(*(select(column).scalar_subquery() for column in columns))
        location_id, channel_id, providers = (await session.execute(query)).one()
    if providers == provider_ids:
        return Defaults(location_id, channel_id)
    async with database.transaction() as session:
        await create_store_defaults(session, settings)
        location_id = (await session.execute(select(StockLocation.id))).scalar_one()
        await offer_payment(session, *provider_ids)
        channel_id = (await session.execute(select(SalesChannel.id))).scalar_one()
    return Defaults(location_id, channel_id)


async def offer_payment(session: AsyncSession, *provider_ids: str) -> None:
    """Set the payment providers of the region."""
    await session.execute(update(Region).values(payment_providers=list(provider_ids)))


async def add_product(
    session: AsyncSession,
    defaults: Defaults,
    handle: str,
    *,
    stock: int = 10,
    price: int = 50_000,
    **product: object,
) -> str:
    """Create a published product with stock, and add it to the search index."""
    created = Product(handle=handle, **{"title": handle.replace("-", " ").capitalize(), **product})  # type: ignore[arg-type]
    session.add(created)
    await session.flush()
    variant = Variant(product_id=created.id, sku=f"SKU-{handle}", price=price)
    session.add(variant)
    await session.flush()
    session.add(InventoryLevel(variant_id=variant.id, location_id=defaults.location_id, stocked=stock))
    await index_products(session, [created.id])
    return variant.id


async def read_product_id(database: Database, variant_id: str) -> str:
    """Return the id of the product to which the variant belongs."""
    async with database.read() as session:
        return (await session.get_one(Variant, variant_id)).product_id
