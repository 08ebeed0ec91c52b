"""Stock locations, and their links to sales channels and fulfillment providers."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.channels.models import SalesChannel
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import NotAllowed, NotFound, require_found
from backend.inventory.models import InventoryLevel
from backend.shipping.addresses import find_municipality_code, require_label_address
from backend.shipping.models import (
    FulfillmentSet,
    LocationFulfillmentProvider,
    LocationSalesChannel,
    ServiceZone,
    ShippingOption,
    StockLocation,
)
from backend.shipping.zones import delete_set, list_fulfillment_sets
from backend.staff.rights import Actor, Right

IN_USE = "Units are stocked at this location, or fulfillments started from it: it cannot be deleted"
MUNICIPALITY_FIELDS = ("city", "province")
"""The fields of an address that identify its municipality."""


async def lock_location(session: AsyncSession, location_id: str) -> StockLocation:
    """Lock the location's row, and return the location.

    Raises:
        NotFound: there is no such location.
    """
    query = lock_rows(select(StockLocation).where(StockLocation.id == location_id))
    return await get_or_404(session, query, "Stock location", location_id)


async def find_location_id(session: AsyncSession, location_id: str | None = None) -> str:
    """Return the id of this location. Without an id, return the id of the only location.

    Raises:
        NotFound: there is no such location; or no id is given, and the shop has no location or several.
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
        raise NotFound(f"Choose one of the stock locations: {names}")
    return next(iter(locations))


async def find_first_location_id(session: AsyncSession) -> str:
    """Return the id of the first location, in the order of the ids; empty if there is none."""
    found = await session.execute(select(StockLocation.id).order_by(StockLocation.id).limit(1))
    return found.scalar_one_or_none() or ""


async def find_location_of_option(session: AsyncSession, option: ShippingOption) -> StockLocation:
    """Return the location from which the option's packages are sent."""
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
    """Create a location. It has no sales channels and no providers yet.

    Raises:
        InvalidData: its address is too long for a label.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = StockLocation(name=name, address=_change_address({}, address) if address else {})
    await record(session, actor, "created", Subject(SubjectType.LOCATION, location.id))
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
    """Change the location. A name or address of None, and fields missing in `address`, are unchanged.

    Raises:
        NotFound: there is no such location.
        InvalidData: its address is too long for a label.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await lock_location(session, location_id)
    await record(session, actor, "changed", Subject(SubjectType.LOCATION, location_id))
    location.name = name or location.name
    if address is not None:
        location.address = _change_address(location.address, address)
    await session.flush()
    return location


async def delete_location(session: AsyncSession, actor: Actor, location_id: str) -> None:
    """Delete the location with its fulfillment sets and their zones.

    Raises:
        NotFound: there is no such location.
        NotAllowed: it has stock or shipping options, or fulfillments were sent from it; or carts still use one of its
            deleted options.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await lock_location(session, location_id)
    stock = select(InventoryLevel.id).where(
        InventoryLevel.location_id == location_id, InventoryLevel.stocked > 0
    )
    if (await session.execute(stock.limit(1))).first():
        raise NotAllowed(IN_USE)
    for fulfillment_set in await list_fulfillment_sets(session, [location_id]):
        await delete_set(session, actor, fulfillment_set.id)
    await record(session, actor, "deleted", Subject(SubjectType.LOCATION, location_id))
    for link in (LocationSalesChannel, LocationFulfillmentProvider):
        await session.execute(delete(link).where(link.location_id == location_id))
    await session.execute(delete(InventoryLevel).where(InventoryLevel.location_id == location_id))
    async with raise_on_conflict(session, NotAllowed(IN_USE)):  # a fulfillment refers to it
        await session.delete(location)


async def link_providers(
    session: AsyncSession,
    actor: Actor,
    location_id: str,
    *,
    add: Collection[str] = (),
    remove: Collection[str] = (),
) -> StockLocation:
    """Add and remove fulfillment providers of the location. An existing link is not added again.

    Raises:
        NotFound: there is no such location.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await lock_location(
        session, location_id
    )  # locked, so that concurrent requests do not add the same link
    removed = {"providers removed": (sorted(remove), None)} if remove else {}
    await record(session, actor, "providers linked", Subject(SubjectType.LOCATION, location_id), removed)
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
    """Add and remove sales channels that the location serves. An existing link is not added again.

    Raises:
        NotFound: there is no such location, or no such channel to add.
    """
    actor.require(Right.CHANGE_SETTINGS)
    location = await lock_location(session, location_id)
    removed = {"sales channels removed": (sorted(remove), None)} if remove else {}
    await record(session, actor, "sales channels linked", Subject(SubjectType.LOCATION, location_id), removed)
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


def _change_address(stored: JsonObject, fields: Mapping[str, Any]) -> JsonObject:
    """Return the stored address with the changed fields. If its municipality changes, its DANE code is updated.

    The stored code stays if the new city and province do not match exactly one municipality.
    """
    address = {**stored, **fields}
    dane_code = fields.get("dane_code") or (fields.get("metadata") or {}).get("dane_code")
    has_moved = any(name in fields and fields[name] != stored.get(name) for name in MUNICIPALITY_FIELDS)
    if stored.get("dane_code") and has_moved and not dane_code:
        named = {name: address.get(name) for name in MUNICIPALITY_FIELDS}
        dane_code = find_municipality_code(named) or find_municipality_code({"city": fields.get("city")})
    require_label_address(address, "address")
    return {**address, **({"dane_code": str(dane_code)} if dane_code else {})}
