"""Store defaults: the rows that a shop needs before its first product can be sold.

They are a region, a sales channel with its publishable key, a stock location, and its shipping options with their
service zone. Creating them is safe to repeat: existing rows stay unchanged.
"""

from secrets import token_hex
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import PublishableKey, Region, SalesChannel, ShippingProfile
from backend.core.config.modules import CARRIER, MANUAL
from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.warehouse_address import (
    build_warehouse_address,
    format_pickup_name,
    format_warehouse_name,
)

STORE_PICKUP_PRICE = 0
DEFAULTS = (Region, SalesChannel, PublishableKey, StockLocation, ShippingOption)
"""Tables of the store defaults. If one of them has no row, the shop cannot sell."""

DEFAULT_NAMES = {
    "region": _("región"),
    "sales_channel": _("canal de venta"),
    "publishable_key": _("clave para programas"),
    "stock_location": _("bodega"),
    "shipping_option": _("formas de entrega"),
}
"""Names of the store defaults for people, by the name that `find_missing_defaults` returns."""


async def find_missing_defaults(session: AsyncSession) -> list[str]:
    """Return the names of the missing store defaults; in an empty shop, the names of all store defaults."""
    return [_table_name(part) for part in DEFAULTS if await _find_oldest(session, part) is None]


async def has_no_defaults(session: AsyncSession) -> bool:
    """Return True if the shop has no store defaults at all, because it has never been opened."""
    return len(await find_missing_defaults(session)) == len(DEFAULTS)


async def create_store_defaults(session: AsyncSession, settings: Settings) -> list[str]:
    """Create the missing store defaults. The warehouse gets the address of CARRIER_ORIGIN_*.

    Shipping options are created only if none ever existed: options that staff deleted stay deleted.

    Returns:
        The names of the created defaults; empty if all existed.
    """
    created: list[str] = []
    if await _find_oldest(session, Region) is None:
        session.add(Region(name="Colombia"))
        created.append(_table_name(Region))
    channel = await _find_oldest(session, SalesChannel)
    if channel is None:
        channel = SalesChannel(name=_("Tienda en línea"))
        session.add(channel)
        await session.flush()
        created.append(_table_name(SalesChannel))
    if await _find_oldest(session, PublishableKey) is None:
        session.add(PublishableKey(token=f"pk_{token_hex(32)}", sales_channel_id=channel.id))
        created.append(_table_name(PublishableKey))
    location = await _find_oldest(session, StockLocation)
    if location is None:
        location = await _create_warehouse(session, settings, channel)
        created.append(_table_name(StockLocation))
    if await _find_oldest(session, ShippingOption) is None:
        await _create_shipping_options(session, location)
        created.append(_table_name(ShippingOption))
    await session.flush()
    return created


async def _create_warehouse(
    session: AsyncSession, settings: Settings, channel: SalesChannel
) -> StockLocation:
    address = build_warehouse_address(settings)
    location = StockLocation(name=format_warehouse_name(address["city"]), address=address)
    session.add(location)
    await session.flush()
    session.add(LocationSalesChannel(location_id=location.id, sales_channel_id=channel.id))
    return location


async def _create_shipping_options(session: AsyncSession, location: StockLocation) -> None:
    """Create the shipping options: delivery at the carrier's live price, and pick-up in the shop."""
    for provider_id in (CARRIER, MANUAL):
        link = LocationFulfillmentProvider
        if await session.get(link, (location.id, provider_id)) is None:
            session.add(link(location_id=location.id, provider_id=provider_id))
    profile = await _find_oldest(session, ShippingProfile)
    if profile is None:
        profile = ShippingProfile(name=_("Envío estándar"))
        session.add(profile)
    fulfillment_set = FulfillmentSet(name=_("Envíos a domicilio"), location_id=location.id)
    session.add(fulfillment_set)
    await session.flush()
    zone = ServiceZone(name="Colombia", fulfillment_set_id=fulfillment_set.id)
    session.add(zone)
    await session.flush()
    both: dict[str, Any] = {"service_zone_id": zone.id, "shipping_profile_id": profile.id}
    session.add_all(
        [
            ShippingOption(name=_("Envío a domicilio"), price_type="calculated", provider_id=CARRIER, **both),
            ShippingOption(
                name=format_pickup_name(str(location.address.get("city") or location.name)),
                price_type="flat",
                provider_id=MANUAL,
                amount=STORE_PICKUP_PRICE,
                data={"pickup": True},
                **both,
            ),
        ]
    )


async def _find_oldest(session: AsyncSession, table: Any) -> Any:
    """Return the oldest row of the table, deleted or not; None if there is none."""
    query = select(table).order_by(table.created_at).limit(1)
    return (await session.execute(query)).scalar_one_or_none()


def _table_name(part: Any) -> str:
    """Return the table's name, such as `sales_channel`. The commerce platform's API uses the same names."""
    return str(part.__tablename__)
