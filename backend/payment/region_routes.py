"""Regions for staff: which ways to pay each of them offers."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Region
from backend.catalog.wire import region_wire
from backend.database import locked
from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.guard import STAFF_ONLY
from backend.edge.lists import listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import Answer, Body, FilledName, ListAnswer, ListParameters, example
from backend.edge.wire import JsonDict, Wire
from backend.errors import InvalidData, NotFound
from backend.payment.routes import Payments

router = APIRouter(
    prefix="/admin/regions",
    route_class=WireRoute,
    tags=["admin: payments"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)

UNKNOWN_PROVIDERS = "Payment providers with ids {ids} not found or not enabled"


class RegionChange(Body):
    """Which ways to pay the region offers, instead of those it offered before."""

    model_config = example(payment_providers=["gateway_pse", "pp_system_default"])

    payment_providers: Annotated[list[FilledName], Field(max_length=20)] | None = None


class AdminRegionOut(Answer):
    """Where the shop sells, and how one can pay there."""

    id: str
    name: str | None = None
    payment_providers: list[dict[str, Any]] = Field(default_factory=list)


class AdminRegionAnswer(BaseModel):
    """A region."""

    region: AdminRegionOut


class AdminRegionsAnswer(ListAnswer):
    """The regions."""

    regions: list[AdminRegionOut]


@router.get("", response_model=AdminRegionsAnswer)
async def list_regions(asked: Annotated[ListParameters, read_query(ListParameters)], database: Db) -> Wire:
    """The regions: there is one, Colombia."""
    async with database.read() as session:
        regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    return Wire(listed("regions", map(_region_wire, page_of(regions, asked)), len(regions), asked))


@router.get("/{region_id}", response_model=AdminRegionAnswer)
async def read(region_id: str, database: Db, fields: Shown) -> Wire:
    """The region."""
    async with database.read() as session:
        return Wire({"region": fields.pick(_region_wire(await _region(session, region_id)))})


@router.post("/{region_id}", response_model=AdminRegionAnswer)
async def change(region_id: str, body: RegionChange, database: Db, desk: Payments, fields: Shown) -> Wire:
    """Say which ways to pay the region offers. Payments that have been started are not touched."""
    async with database.transaction() as session:
        region = await _region(session, region_id)
        if body.payment_providers is not None:
            wanted = list(dict.fromkeys(body.payment_providers))
            unknown = [provider_id for provider_id in wanted if desk.provider(provider_id) is None]
            if unknown:
                raise InvalidData(UNKNOWN_PROVIDERS.format(ids=", ".join(unknown)))
            region.payment_providers = wanted
        return Wire({"region": fields.pick(_region_wire(region))})


async def _region(session: AsyncSession, region_id: str) -> Region:
    region = (
        await session.execute(locked(select(Region).where(Region.id == region_id)))
    ).scalar_one_or_none()
    if region is None:
        raise NotFound(f"Region with id: {region_id} not found")
    return region


def _region_wire(region: Region) -> JsonDict:
    offered = [{"id": provider_id, "is_enabled": True} for provider_id in region.payment_providers]
    return {**region_wire(region), "payment_providers": offered}
