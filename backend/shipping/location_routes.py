"""Stock locations over the Admin API: their links, providers and profiles."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.answers import ChannelOut
from backend.channels.models import SalesChannel, ShippingProfile
from backend.channels.wire import channel_wire, profile_wire
from backend.core.db.tables import JsonObject
from backend.core.errors import NotFound, require_found
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, named, page_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import NamedParameters
from backend.edge.wire import Deleted, Wire
from backend.shipping.answers import (
    LocationAnswer,
    LocationOut,
    LocationsAnswer,
    ProfileAnswer,
    ProfilesAnswer,
    ProviderOut,
    ProvidersAnswer,
    SetOut,
)
from backend.shipping.locations import (
    change_location,
    create_location,
    delete_location,
    find_location,
    link_providers,
    link_sales_channels,
)
from backend.shipping.models import (
    LocationFulfillmentProvider,
    LocationSalesChannel,
    StockLocation,
)
from backend.shipping.provider_switches import providers_off
from backend.shipping.providers.base import FulfillmentProviders
from backend.shipping.schemas import (
    ChannelLinks,
    LocationAddress,
    LocationChange,
    NewLocation,
    NewSet,
    ProviderLinks,
    ProvidersParameters,
)
from backend.shipping.wire import location_wire, set_wire
from backend.shipping.zones import create_set, sets_of, zones_of
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: shipping"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)
SORTABLE = {"name": StockLocation.name, "created_at": StockLocation.created_at}


async def providers_of(request: Request) -> FulfillmentProviders:
    """The running shop's fulfillment providers."""
    providers: FulfillmentProviders = request.app.state.fulfillment_providers
    return providers


Providers = Annotated[FulfillmentProviders, Depends(providers_of)]


@router.get("/stock-locations")
async def list_locations(
    asked: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[LocationsAnswer]:
    """The warehouses."""
    order = in_order(asked.order, SORTABLE, [StockLocation.created_at, StockLocation.id])
    async with database.read() as session:
        found, count = await rows_of(session, StockLocation, met(asked, named(StockLocation)), order, asked)
        shown = await _locations(session, found, Fields(asked.fields))
    return Wire({"stock_locations": pick_each(shown, asked), **paging(count, asked)})


@router.post("/stock-locations")
async def create(actor: StaffMember, body: NewLocation, database: Db, fields: Shown) -> Wire[LocationAnswer]:
    """A new warehouse."""
    async with database.transaction() as session:
        location = await create_location(session, actor, name=body.name, address=_named_fields(body.address))
        return await _location(session, location, fields)


@router.get("/stock-locations/{location_id}")
async def read(location_id: str, database: Db, fields: Shown) -> Wire[LocationAnswer]:
    """The warehouse; `*fulfillment_providers`, `*sales_channels` and `*fulfillment_sets` show its links."""
    async with database.read() as session:
        location = require_found(await session.get(StockLocation, location_id), "Stock location", location_id)
        return await _location(session, location, fields)


@router.post("/stock-locations/{location_id}")
async def update(
    actor: StaffMember, location_id: str, body: LocationChange, database: Db, fields: Shown
) -> Wire[LocationAnswer]:
    """Change what is said of the warehouse."""
    async with database.transaction() as session:
        location = await change_location(
            session, actor, location_id, name=body.name, address=_named_fields(body.address)
        )
        return await _location(session, location, fields)


@router.delete("/stock-locations/{location_id}")
async def delete(actor: StaffMember, location_id: str, database: Db) -> Wire[Deleted]:
    """Take the warehouse away, if nothing is stocked there."""
    async with database.transaction() as session:
        await delete_location(session, actor, location_id)
    return Wire({"id": location_id, "object": "stock_location", "deleted": True})


@router.post("/stock-locations/{location_id}/fulfillment-providers")
async def change_providers(
    *,
    actor: StaffMember,
    location_id: str,
    body: ProviderLinks,
    database: Db,
    providers: Providers,
    fields: Shown,
) -> Wire[LocationAnswer]:
    """Let the warehouse ship with these providers, and with those no longer (spec: Admin API)."""
    actor.require(Right.CHANGE_SETTINGS)
    for provider_id in body.add or ():
        if provider_id not in providers:
            raise NotFound(f"Fulfillment provider with id: {provider_id} was not found")
    async with database.transaction() as session:
        location = await link_providers(
            session, actor, location_id, add=body.add or (), remove=body.remove or ()
        )
        return await _location(session, location, fields)


@router.post("/stock-locations/{location_id}/sales-channels")
async def change_channels(
    actor: StaffMember, location_id: str, body: ChannelLinks, database: Db, fields: Shown
) -> Wire[LocationAnswer]:
    """Let the warehouse serve these sales channels, and those no longer (spec: Admin API)."""
    async with database.transaction() as session:
        location = await link_sales_channels(
            session, actor, location_id, add=body.add or (), remove=body.remove or ()
        )
        return await _location(session, location, fields)


@router.post("/stock-locations/{location_id}/fulfillment-sets")
async def add_set(
    actor: StaffMember, location_id: str, body: NewSet, database: Db, fields: Shown
) -> Wire[LocationAnswer]:
    """A new kind of fulfillment that the warehouse offers."""
    actor.require(Right.CHANGE_SETTINGS)  # who may not learns nothing of locations
    async with database.transaction() as session:
        location = await find_location(session, location_id)
        await create_set(session, actor, location, body)
        return await _location(session, location, fields)


@router.get("/fulfillment-providers")
async def list_providers(
    asked: Annotated[ProvidersParameters, read_query(ProvidersParameters)], database: Db, providers: Providers
) -> Wire[ProvidersAnswer]:
    """The fulfillment providers that the shop runs with (spec: Module registration rule)."""
    async with database.read() as session:
        off = await providers_off(session)
    wanted = {one for one in providers if asked.is_enabled in (None, one not in off)}
    if asked.id is not None:
        wanted &= set(asked.id)
    if asked.stock_location_id is not None:
        link = LocationFulfillmentProvider
        query = select(link.provider_id).where(link.location_id.in_(asked.stock_location_id))
        async with database.read() as session:
            wanted &= set((await session.execute(query)).scalars())
    shown: list[ProviderOut] = [
        {"id": provider_id, "is_enabled": provider_id not in off} for provider_id in sorted(wanted)
    ]
    return Wire(
        {"fulfillment_providers": pick_each(page_of(shown, asked), asked), **paging(len(shown), asked)}
    )


@router.get("/shipping-profiles")
async def list_profiles(
    asked: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[ProfilesAnswer]:
    """The shipping profiles: one, the default."""
    order = in_order(asked.order, {}, [ShippingProfile.created_at, ShippingProfile.id])
    async with database.read() as session:
        found, count = await rows_of(
            session, ShippingProfile, met(asked, named(ShippingProfile)), order, asked
        )
    return Wire({"shipping_profiles": pick_each(map(profile_wire, found), asked), **paging(count, asked)})


@router.get("/shipping-profiles/{profile_id}")
async def read_profile(profile_id: str, database: Db, fields: Shown) -> Wire[ProfileAnswer]:
    """The shipping profile."""
    async with database.read() as session:
        profile = await session.get(ShippingProfile, profile_id)
    profile = require_found(profile, "Shipping profile", profile_id)
    return Wire({"shipping_profile": fields.pick(profile_wire(profile))})


def _named_fields(address: LocationAddress | None) -> JsonObject | None:
    return None if address is None else address.model_dump(exclude_unset=True)


async def _location(session: AsyncSession, location: StockLocation, fields: Fields) -> Wire[LocationAnswer]:
    (shown,) = await _locations(session, [location], fields)
    return Wire({"stock_location": fields.pick(shown)})


async def _locations(
    session: AsyncSession, locations: Sequence[StockLocation], fields: Fields
) -> list[LocationOut]:
    """The warehouses, with those of their links that were asked for."""
    ids = [location.id for location in locations]
    shown = {location.id: location_wire(location) for location in locations}
    if fields.wants("fulfillment_providers"):
        providers = await _providers(session, ids)
        for id_, location in shown.items():
            location["fulfillment_providers"] = providers[id_]
    if fields.wants("sales_channels"):
        channels = await _channels(session, ids)
        for id_, location in shown.items():
            location["sales_channels"] = channels[id_]
    if fields.wants("fulfillment_sets"):
        sets = await _sets(session, ids)
        for id_, location in shown.items():
            location["fulfillment_sets"] = sets[id_]
    return list(shown.values())


async def _providers(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[ProviderOut]]:
    link = LocationFulfillmentProvider
    rows = await session.execute(
        select(link).where(link.location_id.in_(location_ids)).order_by(link.provider_id)
    )
    linked: dict[str, list[ProviderOut]] = defaultdict(list)
    for row in rows.scalars():
        linked[row.location_id].append({"id": row.provider_id, "is_enabled": True})
    return linked


async def _channels(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[ChannelOut]]:
    rows = await session.execute(
        select(LocationSalesChannel.location_id, SalesChannel)
        .join(SalesChannel, SalesChannel.id == LocationSalesChannel.sales_channel_id)
        .where(LocationSalesChannel.location_id.in_(location_ids))
        .order_by(SalesChannel.id)
    )
    linked: dict[str, list[ChannelOut]] = defaultdict(list)
    for location_id, channel in rows:
        linked[location_id].append(channel_wire(channel))
    return linked


async def _sets(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[SetOut]]:
    found = await sets_of(session, location_ids)
    zones = await zones_of(session, [fulfillment_set.id for fulfillment_set in found])
    linked: dict[str, list[SetOut]] = defaultdict(list)
    for fulfillment_set in found:
        own = [zone for zone in zones if zone.fulfillment_set_id == fulfillment_set.id]
        linked[fulfillment_set.location_id].append(set_wire(fulfillment_set, own))
    return linked
