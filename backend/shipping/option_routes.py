"""Admin API of fulfillment sets, their zones and shipping options (spec: Admin API; States and transitions)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.channels.models import ShippingProfile
from backend.core.errors import NotFound, require_found
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_query,
    search_clauses,
    slice_page,
    where_clauses,
)
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
    find_option_type,
    list_undeleted_options,
)
from backend.shipping.schemas import NewOption, NewZone, OptionChange, OptionsParameters, ZoneChange
from backend.shipping.wire import option_type_wire, option_wire, set_wire, zone_wire
from backend.shipping.zones import (
    change_zone,
    create_zone,
    delete_set,
    delete_zone,
    find_set,
    find_zone,
    list_zones,
)
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: shipping"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
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
    """Delete the fulfillment set, if none of its zones has options."""
    async with database.transaction() as session:
        await delete_set(session, actor, set_id)
    return Wire({"id": set_id, "object": "fulfillment_set", "deleted": True})


@router.post("/fulfillment-sets/{set_id}/service-zones")
async def add_zone(
    actor: StaffMember, set_id: str, body: NewZone, database: Db, fields: RequestedFields
) -> Wire[SetAnswer]:
    """Create a zone of whole countries or of municipalities."""
    async with database.transaction() as session:
        await create_zone(session, actor, set_id, body)
        return await _set_answer(session, set_id, fields)


@router.get("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def read_zone(set_id: str, zone_id: str, database: Db, fields: RequestedFields) -> Wire[ZoneAnswer]:
    """Return one service zone of a fulfillment set."""
    async with database.read() as session:
        return Wire({"service_zone": fields.pick(zone_wire(await find_zone(session, set_id, zone_id)))})


@router.post("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def update_zone(
    *, actor: StaffMember, set_id: str, zone_id: str, body: ZoneChange, database: Db, fields: RequestedFields
) -> Wire[SetAnswer]:
    """Change a service zone of a fulfillment set."""
    async with database.transaction() as session:
        await change_zone(session, actor, set_id, zone_id, body)
        return await _set_answer(session, set_id, fields)


@router.delete("/fulfillment-sets/{set_id}/service-zones/{zone_id}")
async def remove_zone(actor: StaffMember, set_id: str, zone_id: str, database: Db) -> Wire[Deleted]:
    """Delete a service zone, if it has no shipping options."""
    async with database.transaction() as session:
        await delete_zone(session, actor, set_id, zone_id)
    return Wire({"id": zone_id, "object": "service_zone", "deleted": True})


@router.get("/shipping-options")
async def list_options(
    parameters: Annotated[OptionsParameters, read_query(OptionsParameters)], database: Db
) -> Wire[OptionsAnswer]:
    """List the shipping options."""
    query = WITH_ZONE.where(*where_clauses(parameters, _build_conditions))
    page = query.order_by(
        *order_clauses(parameters.order, SORTABLE, [ShippingOption.created_at, ShippingOption.id])
    )
    async with database.read() as session:
        ids = query.with_only_columns(ShippingOption.id).subquery()
        count = await session.execute(select(func.count()).select_from(ids))
        found = (await session.execute(page.offset(parameters.offset).limit(parameters.limit))).all()
    shown = [option_wire(*row) for row in found]
    return Wire(
        {"shipping_options": pick_each(shown, parameters), **paging_fields(count.scalar_one(), parameters)}
    )


def _build_conditions(parameters: OptionsParameters) -> list[ColumnElement[bool]]:
    conditions = in_clauses(
        (ShippingOption.id, parameters.id),
        (ShippingOption.service_zone_id, parameters.service_zone_id),
        (ShippingOption.shipping_profile_id, parameters.shipping_profile_id),
        (ShippingOption.provider_id, parameters.provider_id),
    )
    conditions += search_clauses(parameters.q, ShippingOption.name)
    if parameters.stock_location_id is not None:
        sets = select(FulfillmentSet.id).where(FulfillmentSet.location_id.in_(parameters.stock_location_id))
        conditions.append(ServiceZone.fulfillment_set_id.in_(sets))
    return conditions


@router.post("/shipping-options")
async def create(
    actor: StaffMember, body: NewOption, database: Db, providers: Providers, fields: RequestedFields
) -> Wire[OptionAnswer]:
    """Create a shipping option. The response is 400 if its provider is not linked to the location of its zone."""
    async with database.transaction() as session:
        option = await create_option(session, actor, providers, body)
        return await _option_answer(session, option.id, fields)


@router.get("/shipping-options/{option_id}")
async def read(option_id: str, database: Db, fields: RequestedFields) -> Wire[OptionAnswer]:
    """Return the shipping option."""
    async with database.read() as session:
        return await _option_answer(session, option_id, fields)


@router.post("/shipping-options/{option_id}")
async def update(
    *,
    actor: StaffMember,
    option_id: str,
    body: OptionChange,
    database: Db,
    providers: Providers,
    fields: RequestedFields,
) -> Wire[OptionAnswer]:
    """Change the option, for example its provider and the type of its price.

    The response is 400 if the provider (the new one, or the unchanged one) is not linked to the location or cannot
    calculate a price.
    """
    async with database.transaction() as session:
        await change_option(session, actor, providers, option_id, body)
        return await _option_answer(session, option_id, fields)


@router.delete("/shipping-options/{option_id}")
async def delete(actor: StaffMember, option_id: str, database: Db) -> Wire[Deleted]:
    """Delete the option, so that it is no longer offered."""
    async with database.transaction() as session:
        await delete_option(session, actor, option_id)
    return Wire({"id": option_id, "object": "shipping_option", "deleted": True})


@router.get("/shipping-option-types")
async def list_types(
    parameters: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[OptionTypesAnswer]:
    """List the types of the shipping options: each option has its own type."""
    async with database.read() as session:
        types = [option_type_wire(option) for option in await list_undeleted_options(session)]
    return Wire(
        {
            "shipping_option_types": pick_each(slice_page(types, parameters), parameters),
            **paging_fields(len(types), parameters),
        }
    )


@router.get("/shipping-option-types/{type_id}")
async def read_type(type_id: str, database: Db, fields: RequestedFields) -> Wire[OptionTypeAnswer]:
    """Return the shipping option type."""
    async with database.read() as session:
        shown = await find_option_type(session, type_id)
    return Wire({"shipping_option_type": fields.pick(shown)})


@router.get("/fulfillment-providers/{provider_id}/options")
async def list_provider_options(
    provider_id: str,
    parameters: Annotated[ListParameters, read_query(ListParameters)],
    providers: Providers,
) -> Wire[ProvidedOptionsAnswer]:
    """List the services of the provider. Each provider has one service: shipping to the customer."""
    if provider_id not in providers:
        raise NotFound(f"Fulfillment provider with id: {provider_id} was not found")
    offered: list[ProvidedOption] = [{"id": provider_id, "is_return": False}]
    return Wire(
        {
            "fulfillment_options": pick_each(slice_page(offered, parameters), parameters),
            **paging_fields(len(offered), parameters),
        }
    )


async def _set_answer(session: AsyncSession, set_id: str, fields: Fields) -> Wire[SetAnswer]:
    fulfillment_set = await find_set(session, set_id)
    zones = await list_zones(session, [set_id])
    return Wire({"fulfillment_set": fields.pick(set_wire(fulfillment_set, list(zones)))})


async def _option_answer(session: AsyncSession, option_id: str, fields: Fields) -> Wire[OptionAnswer]:
    found = require_found(
        (await session.execute(WITH_ZONE.where(ShippingOption.id == option_id))).one_or_none(),
        "Shipping option",
        option_id,
    )
    return Wire({"shipping_option": fields.pick(option_wire(*found))})
