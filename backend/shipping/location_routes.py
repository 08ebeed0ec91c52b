"""Stock locations over the Admin API: their links, providers and profiles."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import SalesChannel, ShippingProfile
from backend.channels.wire import channel_wire, profile_wire
from backend.core.errors import NotFound, require_found
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, listed, met, named, page_of, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import Deleted, NamedParameters
from backend.edge.wire import JsonDict, Wire
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
    LocationAnswer,
    LocationChange,
    LocationsAnswer,
    NewLocation,
    NewSet,
    ProfilesAnswer,
    ProviderLinks,
    ProvidersAnswer,
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


@router.get("/stock-locations", response_model=LocationsAnswer)
async def list_locations(
    asked: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire:
    """The warehouses."""
    order = in_order(asked.order, SORTABLE, [StockLocation.created_at, StockLocation.id])
    async with database.read() as session:
        found, count = await rows_of(session, StockLocation, met(asked, named(StockLocation)), order, asked)
        shown = await _locations(session, found, Fields(asked.fields))
    return Wire(listed("stock_locations", shown, count, asked))


@router.post("/stock-locations", response_model=LocationAnswer)
async def create(actor: StaffMember, body: NewLocation, database: Db, fields: Shown) -> Wire:
    """A new warehouse."""
    async with database.transaction() as session:
        return await _location(session, await create_location(session, actor, body), fields)


@router.get("/stock-locations/{location_id}", response_model=LocationAnswer)
async def read(location_id: str, database: Db, fields: Shown) -> Wire:
    """The warehouse; `*fulfillment_providers`, `*sales_channels` and `*fulfillment_sets` show its links."""
    async with database.read() as session:
        location = require_found(await session.get(StockLocation, location_id), "Stock location", location_id)
        return await _location(session, location, fields)


@router.post("/stock-locations/{location_id}", response_model=LocationAnswer)
async def update(
    actor: StaffMember, location_id: str, body: LocationChange, database: Db, fields: Shown
) -> Wire:
    """Change what is said of the warehouse."""
    async with database.transaction() as session:
        return await _location(session, await change_location(session, actor, location_id, body), fields)


@router.delete("/stock-locations/{location_id}", response_model=Deleted)
async def delete(actor: StaffMember, location_id: str, database: Db) -> Wire:
    """Take the warehouse away, if nothing is stocked there."""
    async with database.transaction() as session:
        await delete_location(session, actor, location_id)
    return Wire({"id": location_id, "object": "stock_location", "deleted": True})


@router.post("/stock-locations/{location_id}/fulfillment-providers", response_model=LocationAnswer)
async def change_providers(
    *,
    actor: StaffMember,
    location_id: str,
    body: ProviderLinks,
    database: Db,
    providers: Providers,
    fields: Shown,
) -> Wire:
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


@router.post("/stock-locations/{location_id}/sales-channels", response_model=LocationAnswer)
async def change_channels(
    actor: StaffMember, location_id: str, body: ChannelLinks, database: Db, fields: Shown
) -> Wire:
    """Let the warehouse serve these sales channels, and those no longer (spec: Admin API)."""
    async with database.transaction() as session:
        location = await link_sales_channels(
            session, actor, location_id, add=body.add or (), remove=body.remove or ()
        )
        return await _location(session, location, fields)


@router.post("/stock-locations/{location_id}/fulfillment-sets", response_model=LocationAnswer)
async def add_set(actor: StaffMember, location_id: str, body: NewSet, database: Db, fields: Shown) -> Wire:
    """A new kind of fulfillment that the warehouse offers."""
    actor.require(Right.CHANGE_SETTINGS)  # who may not learns nothing of locations
    async with database.transaction() as session:
        location = await find_location(session, location_id)
        await create_set(session, actor, location, body)
        return await _location(session, location, fields)


@router.get("/fulfillment-providers", response_model=ProvidersAnswer)
async def list_providers(
    asked: Annotated[ProvidersParameters, read_query(ProvidersParameters)], database: Db, providers: Providers
) -> Wire:
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
    shown = [{"id": provider_id, "is_enabled": provider_id not in off} for provider_id in sorted(wanted)]
    return Wire(listed("fulfillment_providers", page_of(shown, asked), len(shown), asked))


@router.get("/shipping-profiles", response_model=ProfilesAnswer)
async def list_profiles(asked: Annotated[NamedParameters, read_query(NamedParameters)], database: Db) -> Wire:
    """The shipping profiles: one, the default."""
    order = in_order(asked.order, {}, [ShippingProfile.created_at, ShippingProfile.id])
    async with database.read() as session:
        found, count = await rows_of(
            session, ShippingProfile, met(asked, named(ShippingProfile)), order, asked
        )
    return Wire(listed("shipping_profiles", map(profile_wire, found), count, asked))


@router.get("/shipping-profiles/{profile_id}", response_model=dict[str, Any])
async def read_profile(profile_id: str, database: Db, fields: Shown) -> Wire:
    """The shipping profile."""
    async with database.read() as session:
        profile = await session.get(ShippingProfile, profile_id)
    profile = require_found(profile, "Shipping profile", profile_id)
    return Wire({"shipping_profile": fields.pick(profile_wire(profile))})


def _provider(provider_id: str) -> JsonDict:
    return {"id": provider_id, "is_enabled": True}


async def _location(session: AsyncSession, location: StockLocation, fields: Fields) -> Wire:
    (shown,) = await _locations(session, [location], fields)
    return Wire({"stock_location": fields.pick(shown)})


async def _locations(
    session: AsyncSession, locations: Sequence[StockLocation], fields: Fields
) -> list[JsonDict]:
    """The warehouses, with those of their links that were asked for."""
    ids = [location.id for location in locations]
    links: dict[str, dict[str, list[Any]]] = {
        "fulfillment_providers": await _providers(session, ids)
        if fields.wants("fulfillment_providers")
        else {},
        "sales_channels": await _channels(session, ids) if fields.wants("sales_channels") else {},
        "fulfillment_sets": await _sets(session, ids) if fields.wants("fulfillment_sets") else {},
    }
    return [
        location_wire(location)
        | {name: linked.get(location.id, []) for name, linked in links.items() if fields.wants(name)}
        for location in locations
    ]


async def _providers(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[JsonDict]]:
    link = LocationFulfillmentProvider
    rows = await session.execute(
        select(link).where(link.location_id.in_(location_ids)).order_by(link.provider_id)
    )
    linked: dict[str, list[JsonDict]] = defaultdict(list)
    for row in rows.scalars():
        linked[row.location_id].append(_provider(row.provider_id))
    return linked


async def _channels(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[JsonDict]]:
    rows = await session.execute(
        select(LocationSalesChannel.location_id, SalesChannel)
        .join(SalesChannel, SalesChannel.id == LocationSalesChannel.sales_channel_id)
        .where(LocationSalesChannel.location_id.in_(location_ids))
        .order_by(SalesChannel.id)
    )
    linked: dict[str, list[JsonDict]] = defaultdict(list)
    for location_id, channel in rows:
        linked[location_id].append(channel_wire(channel))
    return linked


async def _sets(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[JsonDict]]:
    found = await sets_of(session, location_ids)
    zones = await zones_of(session, [fulfillment_set.id for fulfillment_set in found])
    linked: dict[str, list[JsonDict]] = defaultdict(list)
    for fulfillment_set in found:
        own = [zone for zone in zones if zone.fulfillment_set_id == fulfillment_set.id]
        linked[fulfillment_set.location_id].append(set_wire(fulfillment_set, own))
    return linked
