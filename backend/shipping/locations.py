"""Stock locations, the sales channels that they serve, and the providers that they ship with."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.channels.models import SalesChannel
from backend.core.db.database import constrained, locked
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import NotAllowed, NotFound, require_found
from backend.inventory.models import InventoryLevel
from backend.shipping.addresses import municipality_code, require_label_address
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.zones import delete_set, sets_of
from backend.staff.rights import Actor, Right

IN_USE = "Units are stocked at this location, or fulfillments started from it: it cannot be deleted"
TOWN = ("city", "province")
"""The fields of an address that name its municipality."""


async def find_location(session: AsyncSession, location_id: str) -> StockLocation:
    """The location, locked. NotFound: there is none."""
    query = locked(select(StockLocation).where(StockLocation.id == location_id))
    return await get_or_404(session, query, "Stock location", location_id)


async def the_location(session: AsyncSession, location_id: str | None = None) -> str:
    """The id of this location; without an id, of the only one.

    Raises:
        NotFound: there is no such location, or there are several to choose from.
    """
    found = await session.execute(select(StockLocation.id, StockLocation.name).order_by(StockLocation.id))
    locations = dict(found.all())
    if location_id is not None:
        if location_id not in locations:
            raise NotFound(f"Stock location with id: {location_id} was not found")
        return location_id
    if len(locations) != 1:
        names = (
            ", ".join(f"{one} ({name})" for one, name in locations.items()) or "none: run `trompo init` first"
        )
        raise NotFound(f"Name one of the stock locations: {names}")
    return next(iter(locations))


async def first_location(session: AsyncSession) -> str:
    """The id of the first location; empty when there is none."""
    found = await session.execute(select(StockLocation.id).order_by(StockLocation.id).limit(1))
    return found.scalar_one_or_none() or ""


async def location_of(session: AsyncSession, option: ShippingOption) -> StockLocation:
    """The location that the option's packages start from."""
    rows = await session.execute(
        select(StockLocation)
        .join(FulfillmentSet, FulfillmentSet.location_id == StockLocation.id)
        .join(ServiceZone, ServiceZone.fulfillment_set_id == FulfillmentSet.id)
        .where(ServiceZone.id == option.service_zone_id)
    )
    return rows.scalar_one()


async def create_location(
    session: AsyncSession, actor: Actor, *, name: str, address: Mapping[str, Any] | None = None
) -> StockLocation:
    """A new location, linked to nothing yet.

    Raises:
        InvalidData: its address is longer than a label can hold.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = StockLocation(name=name, address=_address({}, address) if address else {})
    await record(session, actor, "created", Subject(Thing.LOCATION, location.id))
    session.add(location)
    await session.flush()
    return location


async def change_location(
    session: AsyncSession,
    actor: Actor,
    location_id: str,
    *,
    name: str | None = None,
    address: Mapping[str, Any] | None = None,
) -> StockLocation:
    """Change the location. None leaves its name, or its address, as it is, and so does what `address` does not name.

    Raises:
        NotFound: there is none.
        InvalidData: its address is longer than a label can hold.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await find_location(session, location_id)
    await record(session, actor, "changed", Subject(Thing.LOCATION, location_id))
    location.name = name or location.name
    if address is not None:
        location.address = _address(location.address, address)
    await session.flush()
    return location


async def delete_location(session: AsyncSession, actor: Actor, location_id: str) -> None:
    """Delete the location with its shipping options.

    Raises:
        NotFound: there is none.
        NotAllowed: units are stocked there, or fulfillments started from there.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await find_location(session, location_id)
    stock = select(InventoryLevel.id).where(
        InventoryLevel.location_id == location_id, InventoryLevel.stocked > 0
    )
    if (await session.execute(stock.limit(1))).first():
        raise NotAllowed(IN_USE)
    for fulfillment_set in await sets_of(session, [location_id]):
        await delete_set(session, actor, fulfillment_set.id)
    await record(session, actor, "deleted", Subject(Thing.LOCATION, location_id))
    for link in (LocationSalesChannel, LocationFulfillmentProvider):
        await session.execute(delete(link).where(link.location_id == location_id))
    await session.execute(delete(InventoryLevel).where(InventoryLevel.location_id == location_id))
    async with constrained(session, NotAllowed(IN_USE)):  # a fulfillment refers to it
        await session.delete(location)


async def link_providers(
    session: AsyncSession,
    actor: Actor,
    location_id: str,
    *,
    add: Collection[str] = (),
    remove: Collection[str] = (),
) -> StockLocation:
    """Let the location ship with some providers, and with others no longer. Linking twice is once.

    Raises:
        NotFound: there is no such location.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await find_location(
        session, location_id
    )  # locked: two who link the same do it one after the other
    removed = {"providers removed": (sorted(remove), None)} if remove else {}
    await record(session, actor, "providers linked", Subject(Thing.LOCATION, location_id), removed)
    link = LocationFulfillmentProvider
    for provider_id in sorted(set(add)):
        if await session.get(link, (location_id, provider_id)) is None:
            session.add(link(location_id=location_id, provider_id=provider_id))
    await session.flush()
    await session.execute(delete(link).where(link.location_id == location_id, link.provider_id.in_(remove)))
    return location


async def link_sales_channels(
    session: AsyncSession,
    actor: Actor,
    location_id: str,
    *,
    add: Collection[str] = (),
    remove: Collection[str] = (),
) -> StockLocation:
    """Let the location serve some sales channels, and others no longer. Linking twice is once.

    Raises:
        NotFound: there is no such location, or no such channel to add.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await find_location(session, location_id)
    removed = {"sales channels removed": (sorted(remove), None)} if remove else {}
    await record(session, actor, "sales channels linked", Subject(Thing.LOCATION, location_id), removed)
    link = LocationSalesChannel
    for channel_id in sorted(set(add)):
        require_found(await session.get(SalesChannel, channel_id), "Sales channel", channel_id)
        if await session.get(link, (location_id, channel_id)) is None:
            session.add(link(location_id=location_id, sales_channel_id=channel_id))
    await session.flush()
    await session.execute(
        delete(link).where(link.location_id == location_id, link.sales_channel_id.in_(remove))
    )
    return location


def _address(known: JsonObject, fields: Mapping[str, Any]) -> JsonObject:
    """The known address with these fields. Its code follows the municipality that it names.

    Names that are of no municipality, or not of one, leave the code as it is.
    """
    address = {**known, **fields}
    dane_code = fields.get("dane_code") or (fields.get("metadata") or {}).get("dane_code")
    has_moved = any(name in fields and fields[name] != known.get(name) for name in TOWN)
    if known.get("dane_code") and has_moved and not dane_code:
        named = {name: address.get(name) for name in TOWN}
        dane_code = municipality_code(named) or municipality_code({"city": fields.get("city")})
    require_label_address(address, "address")
    return {**address, **({"dane_code": str(dane_code)} if dane_code else {})}
