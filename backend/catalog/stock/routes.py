"""Stock for staff to see; it is set beside the locations it lies at (`backend.shipping.stock_routes`)."""

from typing import Annotated

from fastapi import APIRouter

from backend.catalog.stock.items import item, items_page
from backend.catalog.stock.schemas import ItemAnswer, ItemsAnswer, ItemsParameters, LevelsAnswer
from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.guard import STAFF_ONLY
from backend.edge.lists import listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire

router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)


@router.get("", response_model=ItemsAnswer)
async def list_items(asked: Annotated[ItemsParameters, read_query(ItemsParameters)], database: Db) -> Wire:
    """The inventory: an item for every variant, with its stock by location."""
    async with database.read() as session:
        items, count = await items_page(session, asked)
    return Wire(listed("inventory_items", items, count, asked))


@router.get("/{item_id}", response_model=ItemAnswer)
async def read(item_id: str, database: Db, fields: Shown) -> Wire:
    """The item, with its stock by location."""
    async with database.read() as session:
        return Wire({"inventory_item": fields.pick(await item(session, item_id))})


@router.get("/{item_id}/location-levels", response_model=LevelsAnswer)
async def list_levels(
    item_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire:
    """The item's stock by location."""
    async with database.read() as session:
        levels = (await item(session, item_id))["location_levels"]
    return Wire(listed("inventory_levels", page_of(levels, asked), len(levels), asked))
