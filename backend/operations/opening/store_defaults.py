"""Store defaults: what a shop needs before its first toy can be sold.

A region, a sales channel with its publishable key, a stock location, and its ways to ship with their service zone.
Safe to repeat: what is there stays as it is, whoever made it.
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
from backend.shipping.warehouse_address import pickup_name, warehouse_address, warehouse_name

STORE_PICKUP_PRICE = 0
DEFAULTS = (Region, SalesChannel, PublishableKey, StockLocation, ShippingOption)
"""A shop that lacks one of them can sell nothing."""


async def missing_defaults(session: AsyncSession) -> list[str]:
    """The names of the store defaults that are not there; all of them in an empty shop."""
    return [_name(part) for part in DEFAULTS if await _first(session, part) is None]


async def has_no_defaults(session: AsyncSession) -> bool:
    """Whether no store default is there: nobody has opened this shop yet."""
    return len(await missing_defaults(session)) == len(DEFAULTS)


async def make_defaults(session: AsyncSession, settings: Settings) -> list[str]:
    """Make the store defaults that are missing; the warehouse is where CARRIER_ORIGIN_* says.

    Shipping options are made only where there has never been one: what staff deleted stays deleted.

    Returns:
        The names of those that were made; none when all were there.
    """
    made: list[str] = []
    if await _first(session, Region) is None:
        session.add(Region(name="Colombia"))
        made.append(_name(Region))
    channel = await _first(session, SalesChannel)
    if channel is None:
        channel = SalesChannel(name=_("Tienda en línea"))
        session.add(channel)
        await session.flush()
        made.append(_name(SalesChannel))
    if await _first(session, PublishableKey) is None:
        session.add(PublishableKey(token=f"pk_{token_hex(32)}", sales_channel_id=channel.id))
        made.append(_name(PublishableKey))
    location = await _first(session, StockLocation)
    if location is None:
        location = await _warehouse(session, settings, channel)
        made.append(_name(StockLocation))
    if await _first(session, ShippingOption) is None:
        await _ways_to_ship(session, location)
        made.append(_name(ShippingOption))
    await session.flush()
    return made


async def _warehouse(session: AsyncSession, settings: Settings, channel: SalesChannel) -> StockLocation:
    address = warehouse_address(settings)
    location = StockLocation(name=warehouse_name(address["city"]), address=address)
    session.add(location)
    await session.flush()
    session.add(LocationSalesChannel(location_id=location.id, sales_channel_id=channel.id))
    return location


async def _ways_to_ship(session: AsyncSession, location: StockLocation) -> None:
    """Delivery at the carrier's live price, and pick-up in the shop."""
    for provider_id in (CARRIER, MANUAL):
        link = LocationFulfillmentProvider
        if await session.get(link, (location.id, provider_id)) is None:
            session.add(link(location_id=location.id, provider_id=provider_id))
    profile = await _first(session, ShippingProfile)
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
                name=pickup_name(str(location.address.get("city") or location.name)),
                price_type="flat",
                provider_id=MANUAL,
                amount=STORE_PICKUP_PRICE,
                data={"pickup": True},
                **both,
            ),
        ]
    )


async def _first(session: AsyncSession, table: Any) -> Any:
    """The oldest row of the table, deleted or not; None when there is none."""
    query = select(table).order_by(table.created_at).limit(1)
    return (await session.execute(query)).scalar_one_or_none()


def _name(part: Any) -> str:
    """The name on the wire: `sales_channel`."""
    return str(part.__tablename__)
