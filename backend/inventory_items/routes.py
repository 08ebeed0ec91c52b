"""Inventory items in the Admin API: list and read them.

The stock of an item is set by `backend.shipping.inventory_level_routes`.
"""

from typing import Annotated

from fastapi import APIRouter

from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import page_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire
from backend.inventory.answers import ItemAnswer, ItemsAnswer, LevelsAnswer
from backend.inventory_items.schemas import ItemsParameters
from backend.inventory_items.service import items_page, read_item
from backend.staff.dependencies import staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_STOCK),
)


@router.get("")
async def list_items(
    asked: Annotated[ItemsParameters, read_query(ItemsParameters)], database: Db
) -> Wire[ItemsAnswer]:
    """The inventory: an item for every variant, with its stock by location."""
    async with database.read() as session:
        items, count = await items_page(session, asked)
    return Wire({"inventory_items": pick_each(items, asked), **paging(count, asked)})


@router.get("/{item_id}")
async def read(item_id: str, database: Db, fields: Shown) -> Wire[ItemAnswer]:
    """The item, with its stock by location."""
    async with database.read() as session:
        return Wire({"inventory_item": fields.pick(await read_item(session, item_id))})


@router.get("/{item_id}/location-levels")
async def list_levels(
    item_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[LevelsAnswer]:
    """The item's stock by location."""
    async with database.read() as session:
        levels = (await read_item(session, item_id))["location_levels"]
    return Wire({"inventory_levels": pick_each(page_of(levels, asked), asked), **paging(len(levels), asked)})
