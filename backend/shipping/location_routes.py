"""Admin API of stock locations: their links, providers and profiles."""

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
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    name_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
    where_clauses,
)
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
    link_providers,
    link_sales_channels,
    lock_location,
)
from backend.shipping.models import (
    LocationFulfillmentProvider,
    LocationSalesChannel,
    StockLocation,
)
from backend.shipping.provider_switches import list_disabled_providers
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
from backend.shipping.zones import create_set, list_fulfillment_sets, list_zones
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: shipping"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)
SORTABLE = {"name": StockLocation.name, "created_at": StockLocation.created_at}


async def get_providers(request: Request) -> FulfillmentProviders:
    """Return the running shop's fulfillment providers."""
    providers: FulfillmentProviders = request.app.state.fulfillment_providers
    return providers


Providers = Annotated[FulfillmentProviders, Depends(get_providers)]


@router.get("/stock-locations")
async def list_locations(
    parameters: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[LocationsAnswer]:
    """List the warehouses."""
    order = order_clauses(parameters.order, SORTABLE, [StockLocation.created_at, StockLocation.id])
    async with database.read() as session:
        found, count = await read_page(
            session, StockLocation, where_clauses(parameters, name_clauses(StockLocation)), order, parameters
        )
        shown = await _read_locations(session, found, Fields(parameters.fields))
    return Wire({"stock_locations": pick_each(shown, parameters), **paging_fields(count, parameters)})


@router.post("/stock-locations")
async def create(
    actor: StaffMember, body: NewLocation, database: Db, fields: RequestedFields
) -> Wire[LocationAnswer]:
    """Create a warehouse."""
    async with database.transaction() as session:
        location = await create_location(
            session, actor, name=body.name, address=_dump_sent_fields(body.address)
        )
        return await _location_answer(session, location, fields)


@router.get("/stock-locations/{location_id}")
async def read(location_id: str, database: Db, fields: RequestedFields) -> Wire[LocationAnswer]:
    """Return the stock location.

    With `*fulfillment_providers`, `*sales_channels` or `*fulfillment_sets` in `fields`, the response has these too.
    """
    async with database.read() as session:
        location = require_found(await session.get(StockLocation, location_id), "Stock location", location_id)
        return await _location_answer(session, location, fields)


@router.post("/stock-locations/{location_id}")
async def update(
    actor: StaffMember, location_id: str, body: LocationChange, database: Db, fields: RequestedFields
) -> Wire[LocationAnswer]:
    """Change the name or the address of a warehouse."""
    async with database.transaction() as session:
        location = await change_location(
            session, actor, location_id, name=body.name, address=_dump_sent_fields(body.address)
        )
        return await _location_answer(session, location, fields)


@router.delete("/stock-locations/{location_id}")
async def delete(actor: StaffMember, location_id: str, database: Db) -> Wire[Deleted]:
    """Delete the warehouse, if it has no stock and no shipping options, and no fulfillment was sent from it."""
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
    fields: RequestedFields,
) -> Wire[LocationAnswer]:
    """Add and remove fulfillment providers of the warehouse (spec: Admin API)."""
    actor.require(Right.CHANGE_SETTINGS)
    for provider_id in body.add or ():
        if provider_id not in providers:
            raise NotFound(f"Fulfillment provider with id: {provider_id} was not found")
    async with database.transaction() as session:
        location = await link_providers(
            session, actor, location_id, add=body.add or (), remove=body.remove or ()
        )
        return await _location_answer(session, location, fields)


@router.post("/stock-locations/{location_id}/sales-channels")
async def change_channels(
    actor: StaffMember, location_id: str, body: ChannelLinks, database: Db, fields: RequestedFields
) -> Wire[LocationAnswer]:
    """Add and remove sales channels that the location serves (spec: Admin API)."""
    async with database.transaction() as session:
        location = await link_sales_channels(
            session, actor, location_id, add=body.add or (), remove=body.remove or ()
        )
        return await _location_answer(session, location, fields)


@router.post("/stock-locations/{location_id}/fulfillment-sets")
async def add_set(
    actor: StaffMember, location_id: str, body: NewSet, database: Db, fields: RequestedFields
) -> Wire[LocationAnswer]:
    """Create a fulfillment set of the warehouse."""
    actor.require(
        Right.CHANGE_SETTINGS
    )  # before the lookup, so that the response reveals nothing without the right
    async with database.transaction() as session:
        location = await lock_location(session, location_id)
        await create_set(session, actor, location, body)
        return await _location_answer(session, location, fields)


@router.get("/fulfillment-providers")
async def list_providers(
    parameters: Annotated[ProvidersParameters, read_query(ProvidersParameters)],
    database: Db,
    providers: Providers,
) -> Wire[ProvidersAnswer]:
    """List the fulfillment providers that the shop uses (spec: Module registration rule)."""
    async with database.read() as session:
        off = await list_disabled_providers(session)
    provider_ids = {one for one in providers if parameters.is_enabled in (None, one not in off)}
    if parameters.id is not None:
        provider_ids &= set(parameters.id)
    if parameters.stock_location_id is not None:
        link = LocationFulfillmentProvider
        query = select(link.provider_id).where(link.location_id.in_(parameters.stock_location_id))
        async with database.read() as session:
            provider_ids &= set((await session.execute(query)).scalars())
    shown: list[ProviderOut] = [
        {"id": provider_id, "is_enabled": provider_id not in off} for provider_id in sorted(provider_ids)
    ]
    return Wire(
        {
            "fulfillment_providers": pick_each(slice_page(shown, parameters), parameters),
            **paging_fields(len(shown), parameters),
        }
    )


@router.get("/shipping-profiles")
async def list_profiles(
    parameters: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[ProfilesAnswer]:
    """List the shipping profiles. The shop has only the default profile."""
    order = order_clauses(parameters.order, {}, [ShippingProfile.created_at, ShippingProfile.id])
    async with database.read() as session:
        found, count = await read_page(
            session,
            ShippingProfile,
            where_clauses(parameters, name_clauses(ShippingProfile)),
            order,
            parameters,
        )
    return Wire(
        {
            "shipping_profiles": pick_each(map(profile_wire, found), parameters),
            **paging_fields(count, parameters),
        }
    )


@router.get("/shipping-profiles/{profile_id}")
async def read_profile(profile_id: str, database: Db, fields: RequestedFields) -> Wire[ProfileAnswer]:
    """Return the shipping profile."""
    async with database.read() as session:
        profile = await session.get(ShippingProfile, profile_id)
    profile = require_found(profile, "Shipping profile", profile_id)
    return Wire({"shipping_profile": fields.pick(profile_wire(profile))})


def _dump_sent_fields(address: LocationAddress | None) -> JsonObject | None:
    return None if address is None else address.model_dump(exclude_unset=True)


async def _location_answer(
    session: AsyncSession, location: StockLocation, fields: Fields
) -> Wire[LocationAnswer]:
    (shown,) = await _read_locations(session, [location], fields)
    return Wire({"stock_location": fields.pick(shown)})


async def _read_locations(
    session: AsyncSession, locations: Sequence[StockLocation], fields: Fields
) -> list[LocationOut]:
    """Return the warehouses. Providers, sales channels and fulfillment sets are added if `fields` requests them."""
    ids = [location.id for location in locations]
    shown = {location.id: location_wire(location) for location in locations}
    if fields.wants("fulfillment_providers"):
        providers = await _read_providers(session, ids)
        for id_, location in shown.items():
            location["fulfillment_providers"] = providers[id_]
    if fields.wants("sales_channels"):
        channels = await _read_channels(session, ids)
        for id_, location in shown.items():
            location["sales_channels"] = channels[id_]
    if fields.wants("fulfillment_sets"):
        sets = await _read_sets(session, ids)
        for id_, location in shown.items():
            location["fulfillment_sets"] = sets[id_]
    return list(shown.values())


async def _read_providers(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[ProviderOut]]:
    link = LocationFulfillmentProvider
    rows = await session.execute(
        select(link).where(link.location_id.in_(location_ids)).order_by(link.provider_id)
    )
    linked: dict[str, list[ProviderOut]] = defaultdict(list)
    for row in rows.scalars():
        linked[row.location_id].append({"id": row.provider_id, "is_enabled": True})
    return linked


async def _read_channels(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[ChannelOut]]:
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


async def _read_sets(session: AsyncSession, location_ids: Sequence[str]) -> dict[str, list[SetOut]]:
    found = await list_fulfillment_sets(session, location_ids)
    zones = await list_zones(session, [fulfillment_set.id for fulfillment_set in found])
    linked: dict[str, list[SetOut]] = defaultdict(list)
    for fulfillment_set in found:
        own = [zone for zone in zones if zone.fulfillment_set_id == fulfillment_set.id]
        linked[fulfillment_set.location_id].append(set_wire(fulfillment_set, own))
    return linked
