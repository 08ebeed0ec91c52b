"""Fulfillment sets, their zones and the ways to ship there, for staff (spec: Admin API; States and transitions)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import ShippingProfile
from backend.core.errors import NotFound, require_found
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, mentions, met, one_of, page_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.shipping.answers import (
    OptionAnswer,
    OptionsAnswer,
    OptionTypeAnswer,
    OptionTypesAnswer,
    ProvidedOption,
    ProvidedOptionsAnswer,
    SetAnswer,
    ZoneAnswer,
)
from backend.shipping.location_routes import Providers
from backend.shipping.models import FulfillmentSet, ServiceZone, ShippingOption
from backend.shipping.options import (
    change_option,
    create_option,
    delete_option,
    type_with_id,
    undeleted_options,
)
from backend.shipping.schemas import NewOption, NewZone, OptionChange, OptionsParameters, ZoneChange
from backend.shipping.wire import option_type, option_wire, set_wire, zone_wire
from backend.shipping.zones import (
    change_zone,
    create_zone,
    delete_set,
    delete_zone,
    find_set,
    find_zone,
    zones_of,
)
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: shipping"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)

SORTABLE = {"name": ShippingOption.name, "created_at": ShippingOption.created_at}
WITH_ZONE = (
    select(ShippingOption, ServiceZone, ShippingProfile, FulfillmentSet)
    .join(ServiceZone, ServiceZone.id == ShippingOption.service_zone_id)
    .join(FulfillmentSet, FulfillmentSet.id == ServiceZone.fulfillment_set_id)
    .join(ShippingProfile, ShippingProfile.id == ShippingOption.shipping_profile_id)
    .where(ShippingOption.deleted_at.is_(None))
)


@router.delete("/fulfillment-sets/{set_id}")
async def remove_set(actor: StaffMember, set_id: str, database: Db) -> Wire[Deleted]:
    """Take the fulfillment set away, once none of its zones has options."""
    async with database.transaction() as session:
        await delete_set(session, actor, set_id)
    return Wire({"id": set_id, "object": "fulfillment_set", "deleted": True})


@router.post("/fulfillment-sets/{set_id}/service-zones")
async def add_zone(
    actor: StaffMember, set_id: str, body: NewZone, database: Db, fields: Shown
) -> Wire[SetAnswer]:
    """A new zone, of whole countries."""
    async with database.transaction() as session:
        await create_zone(session, actor, set_id, body)
        return await _set(session, set_id, fields)


@router.get("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def read_zone(set_id: str, zone_id: str, database: Db, fields: Shown) -> Wire[ZoneAnswer]:
    """The zone."""
    async with database.read() as session:
        return Wire({"service_zone": fields.pick(zone_wire(await find_zone(session, set_id, zone_id)))})


@router.post("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def update_zone(
    *, actor: StaffMember, set_id: str, zone_id: str, body: ZoneChange, database: Db, fields: Shown
) -> Wire[SetAnswer]:
    """Change what is said of the zone."""
    async with database.transaction() as session:
        await change_zone(session, actor, set_id, zone_id, body)
        return await _set(session, set_id, fields)


@router.delete("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def remove_zone(actor: StaffMember, set_id: str, zone_id: str, database: Db) -> Wire[Deleted]:
    """Take the zone away, once it has no options."""
    async with database.transaction() as session:
        await delete_zone(session, actor, set_id, zone_id)
    return Wire({"id": zone_id, "object": "service_zone", "deleted": True})


@router.get("/shipping-options")
async def list_options(
    asked: Annotated[OptionsParameters, read_query(OptionsParameters)], database: Db
) -> Wire[OptionsAnswer]:
    """The ways to ship."""
    query = WITH_ZONE.where(*met(asked, _filters))
    page = query.order_by(*in_order(asked.order, SORTABLE, [ShippingOption.created_at, ShippingOption.id]))
    async with database.read() as session:
        ids = query.with_only_columns(ShippingOption.id).subquery()
        count = await session.execute(select(func.count()).select_from(ids))
        found = (await session.execute(page.offset(asked.offset).limit(asked.limit))).all()
    shown = [option_wire(*row) for row in found]
    return Wire({"shipping_options": pick_each(shown, asked), **paging(count.scalar_one(), asked)})


def _filters(asked: OptionsParameters) -> list[ColumnElement[bool]]:
    conditions = one_of(
        (ShippingOption.id, asked.id),
        (ShippingOption.service_zone_id, asked.service_zone_id),
        (ShippingOption.shipping_profile_id, asked.shipping_profile_id),
        (ShippingOption.provider_id, asked.provider_id),
    )
    conditions += mentions(asked.q, ShippingOption.name)
    if asked.stock_location_id is not None:
        sets = select(FulfillmentSet.id).where(FulfillmentSet.location_id.in_(asked.stock_location_id))
        conditions.append(ServiceZone.fulfillment_set_id.in_(sets))
    return conditions


@router.post("/shipping-options")
async def create(
    actor: StaffMember, body: NewOption, database: Db, providers: Providers, fields: Shown
) -> Wire[OptionAnswer]:
    """A new way to ship. 400 when its provider is not linked to the zone's warehouse."""
    async with database.transaction() as session:
        option = await create_option(session, actor, providers, body)
        return await _option(session, option.id, fields)


@router.get("/shipping-options/{option_id}")
async def read(option_id: str, database: Db, fields: Shown) -> Wire[OptionAnswer]:
    """The shipping option."""
    async with database.read() as session:
        return await _option(session, option_id, fields)


@router.post("/shipping-options/{option_id}")
async def update(
    *,
    actor: StaffMember,
    option_id: str,
    body: OptionChange,
    database: Db,
    providers: Providers,
    fields: Shown,
) -> Wire[OptionAnswer]:
    """Change the option: its provider and the type of its price, for example.

    400 when the provider, new or present, is not linked to the warehouse, or cannot calculate a price.
    """
    async with database.transaction() as session:
        await change_option(session, actor, providers, option_id, body)
        return await _option(session, option_id, fields)


@router.delete("/shipping-options/{option_id}")
async def delete(actor: StaffMember, option_id: str, database: Db) -> Wire[Deleted]:
    """Offer the option no longer."""
    async with database.transaction() as session:
        await delete_option(session, actor, option_id)
    return Wire({"id": option_id, "object": "shipping_option", "deleted": True})


@router.get("/shipping-option-types")
async def list_types(
    asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[OptionTypesAnswer]:
    """What kinds of shipping there are: each option says its own."""
    async with database.read() as session:
        types = [option_type(option) for option in await undeleted_options(session)]
    return Wire(
        {"shipping_option_types": pick_each(page_of(types, asked), asked), **paging(len(types), asked)}
    )


@router.get("/shipping-option-types/{type_id}")
async def read_type(type_id: str, database: Db, fields: Shown) -> Wire[OptionTypeAnswer]:
    """The kind of shipping that an option is."""
    async with database.read() as session:
        shown = await type_with_id(session, type_id)
    return Wire({"shipping_option_type": fields.pick(shown)})


@router.get("/fulfillment-providers/{provider_id}/options")
async def list_provider_options(
    provider_id: str,
    asked: Annotated[ListParameters, read_query(ListParameters)],
    providers: Providers,
) -> Wire[ProvidedOptionsAnswer]:
    """What a shipping option may have the provider do: it ships, and fetches nothing back."""
    if provider_id not in providers:
        raise NotFound(f"Fulfillment provider with id: {provider_id} was not found")
    offered: list[ProvidedOption] = [{"id": provider_id, "is_return": False}]
    return Wire(
        {"fulfillment_options": pick_each(page_of(offered, asked), asked), **paging(len(offered), asked)}
    )


async def _set(session: AsyncSession, set_id: str, fields: Fields) -> Wire[SetAnswer]:
    fulfillment_set = await find_set(session, set_id)
    zones = await zones_of(session, [set_id])
    return Wire({"fulfillment_set": fields.pick(set_wire(fulfillment_set, list(zones)))})


async def _option(session: AsyncSession, option_id: str, fields: Fields) -> Wire[OptionAnswer]:
    found = require_found(
        (await session.execute(WITH_ZONE.where(ShippingOption.id == option_id))).one_or_none(),
        "Shipping option",
        option_id,
    )
    return Wire({"shipping_option": fields.pick(option_wire(*found))})
