"""The Admin API of regions and of the payment providers that they offer (wire: commerce-api, Admin)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement

from backend.channels.models import Region
from backend.channels.wire import region_wire
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, named, one_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire
from backend.payment import regions
from backend.payment.answers import AdminRegionAnswer, AdminRegionOut, AdminRegionsAnswer, PaymentProviderOut
from backend.payment.region_schemas import NewRegion, RegionChange, RegionsParameters
from backend.payment.routes import Payments
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/regions",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_SETTINGS),
)


SORTABLE = {"name": Region.name, "created_at": Region.created_at}


@router.get("")
async def list_regions(
    asked: Annotated[RegionsParameters, read_query(RegionsParameters)], database: Db
) -> Wire[AdminRegionsAnswer]:
    """The regions: there is one, Colombia."""
    order = in_order(asked.order, SORTABLE, [Region.id])
    async with database.read() as session:
        found, count = await rows_of(session, Region, met(asked, _filters), order, asked)
    return Wire({"regions": pick_each(map(_shown, found), asked), **paging(count, asked)})


def _filters(asked: RegionsParameters) -> list[ColumnElement[bool]]:
    return [*named(Region)(asked), *one_of((Region.currency_code, asked.currency_code))]


@router.post("")
async def create_region(
    actor: StaffMember, body: NewRegion, database: Db, payments: Payments, fields: Shown
) -> Wire[AdminRegionAnswer]:
    """The region of a shop that has none: Colombia, in pesos."""
    async with database.transaction() as session:
        return _region(await regions.create_region(session, actor, body, payments.providers), fields)


@router.get("/{region_id}")
async def read_region(region_id: str, database: Db, fields: Shown) -> Wire[AdminRegionAnswer]:
    """The region."""
    async with database.read() as session:
        return _region(await regions.find_region(session, region_id), fields)


@router.post("/{region_id}")
async def change_region(
    *, region_id: str, actor: StaffMember, body: RegionChange, database: Db, payments: Payments, fields: Shown
) -> Wire[AdminRegionAnswer]:
    """Change its name, or which ways to pay it offers. Payments that have been started are not touched."""
    async with database.transaction() as session:
        region = await regions.change_region(session, actor, region_id, body, payments.providers)
        return _region(region, fields)


@router.delete("/{region_id}")
async def delete_region(actor: StaffMember, region_id: str, database: Db) -> Wire[Deleted]:
    """Delete it, unless it is the last one or something was sold in it."""
    async with database.transaction() as session:
        await regions.delete_region(session, actor, region_id)
    return Wire({"id": region_id, "object": "region", "deleted": True})


def _region(region: Region, fields: Fields) -> Wire[AdminRegionAnswer]:
    return Wire({"region": fields.pick(_shown(region))})


def _shown(region: Region) -> AdminRegionOut:
    offered: list[PaymentProviderOut] = [
        {"id": provider_id, "is_enabled": True} for provider_id in region.payment_providers
    ]
    return {**region_wire(region), "payment_providers": offered}
