"""A small shop for tests: one region, one warehouse, and toys made as a test needs them."""

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
from backend.operations.opening.store_defaults import make_defaults
from backend.shipping.models import StockLocation


@dataclass(frozen=True)
class Defaults:
    """Ids of what a test needs to name."""

    location_id: str
    channel_id: str


async def set_up_defaults(database: Database, settings: Settings) -> Defaults:
    """Region, channel, warehouse and its ways to ship, as the demo shop has them; no toys.

    Most databases are copies of one that has them.
    """
    offered = [GATEWAY_PSE, SYSTEM_PAYMENT]
    async with database.read() as session:
        columns = (StockLocation.id, SalesChannel.id, Region.payment_providers)
        found = select(*(select(column).scalar_subquery() for column in columns))
        location_id, channel_id, providers = (await session.execute(found)).one()
    if providers == offered:
        return Defaults(location_id, channel_id)
    async with database.transaction() as session:
        await make_defaults(session, settings)
        location_id = (await session.execute(select(StockLocation.id))).scalar_one()
        await offer_payment(session, *offered)
        channel_id = (await session.execute(select(SalesChannel.id))).scalar_one()
    return Defaults(location_id, channel_id)


async def offer_payment(session: AsyncSession, *provider_ids: str) -> None:
    """Let the region offer these ways to pay."""
    await session.execute(update(Region).values(payment_providers=list(provider_ids)))


async def make_toy(
    session: AsyncSession,
    defaults: Defaults,
    handle: str,
    *,
    stock: int = 10,
    price: int = 50_000,
    **product: object,
) -> str:
    """A toy for sale, findable by search.

    Returns:
        The id of its variant.
    """
    toy = Product(handle=handle, **{"title": handle.replace("-", " ").capitalize(), **product})  # type: ignore[arg-type]
    session.add(toy)
    await session.flush()
    variant = Variant(product_id=toy.id, sku=f"SKU-{handle}", price=price)
    session.add(variant)
    await session.flush()
    session.add(InventoryLevel(variant_id=variant.id, location_id=defaults.location_id, stocked=stock))
    await index_products(session, [toy.id])
    return variant.id
