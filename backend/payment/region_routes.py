"""Admin API of regions and of the payment providers that they offer (wire: commerce-api, Admin)."""

from collections.abc import Container
from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement

from backend.channels.models import Region
from backend.channels.wire import region_wire
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    name_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire
from backend.payment import regions
from backend.payment.answers import AdminRegionAnswer, AdminRegionOut, AdminRegionsAnswer, PaymentProviderOut
from backend.payment.region_schemas import NewRegion, RegionChange, RegionsParameters
from backend.payment.routes import Payments
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/regions",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)


SORTABLE = {"name": Region.name, "created_at": Region.created_at}


@router.get("")
async def list_regions(
    params: Annotated[RegionsParameters, read_query(RegionsParameters)], database: Db, payments: Payments
) -> Wire[AdminRegionsAnswer]:
    """List the regions. There is only one, Colombia."""
    order = order_clauses(params.order, SORTABLE, [Region.id])
    async with database.read() as session:
        found, count = await read_page(session, Region, where_clauses(params, _region_filters), order, params)
    shown = [_admin_region_wire(region, payments.providers) for region in found]
    return Wire({"regions": pick_each(shown, params), **paging_fields(count, params)})


def _region_filters(params: RegionsParameters) -> list[ColumnElement[bool]]:
    return [*name_clauses(Region)(params), *in_clauses((Region.currency_code, params.currency_code))]


@router.post("")
async def create_region(
    actor: StaffMember, body: NewRegion, database: Db, payments: Payments, fields: RequestedFields
) -> Wire[AdminRegionAnswer]:
    """Create the region of a shop that has none: Colombia, in pesos."""
    async with database.transaction() as session:
        region = await regions.create_region(session, actor, body, payments.providers)
        return _region_answer(region, payments.providers, fields)


@router.get("/{region_id}")
async def read_region(
    region_id: str, database: Db, payments: Payments, fields: RequestedFields
) -> Wire[AdminRegionAnswer]:
    """Return a region."""
    async with database.read() as session:
        region = await regions.find_region(session, region_id)
        return _region_answer(region, payments.providers, fields)


@router.post("/{region_id}")
async def change_region(
    *,
    region_id: str,
    actor: StaffMember,
    body: RegionChange,
    database: Db,
    payments: Payments,
    fields: RequestedFields,
) -> Wire[AdminRegionAnswer]:
    """Change the region's name or its payment providers. Payments that have started are not changed."""
    async with database.transaction() as session:
        region = await regions.change_region(session, actor, region_id, body, payments.providers)
        return _region_answer(region, payments.providers, fields)


@router.delete("/{region_id}")
async def delete_region(actor: StaffMember, region_id: str, database: Db) -> Wire[Deleted]:
    """Delete a region, unless it is the only one or has carts or orders."""
    async with database.transaction() as session:
        await regions.delete_region(session, actor, region_id)
    return Wire({"id": region_id, "object": "region", "deleted": True})


def _region_answer(region: Region, installed: Container[str], fields: Fields) -> Wire[AdminRegionAnswer]:
    return Wire({"region": fields.pick(_admin_region_wire(region, installed))})


def _admin_region_wire(region: Region, installed: Container[str]) -> AdminRegionOut:
    """Return the region in the platform's shape, with those of its payment providers that the shop uses."""
    offered: list[PaymentProviderOut] = [
        {"id": provider_id, "is_enabled": True}
        for provider_id in region.payment_providers
        if provider_id in installed
    ]
    return {**region_wire(region), "payment_providers": offered}
