"""Admin API of inventory items: list and read them.

`backend.shipping.inventory_level_routes` sets the stock of an item.
"""

from typing import Annotated

from fastapi import APIRouter

from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import paging_fields, pick_each, read_query, slice_page
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire
from backend.inventory.answers import ItemAnswer, ItemsAnswer, LevelsAnswer
from backend.inventory_items.schemas import ItemsParameters
from backend.inventory_items.service import read_item, read_items_page
from backend.staff.dependencies import require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_STOCK),
)


@router.get("")
async def list_items(
    params: Annotated[ItemsParameters, read_query(ItemsParameters)], database: Db
) -> Wire[ItemsAnswer]:
    """List the inventory items, one for every variant, each with its stock by location."""
    async with database.read() as session:
        items, count = await read_items_page(session, params)
    return Wire({"inventory_items": pick_each(items, params), **paging_fields(count, params)})


@router.get("/{item_id}")
async def read_inventory_item(item_id: str, database: Db, fields: RequestedFields) -> Wire[ItemAnswer]:
    """Return an inventory item, with its stock by location."""
    async with database.read() as session:
        return Wire({"inventory_item": fields.pick(await read_item(session, item_id))})


@router.get("/{item_id}/location-levels")
async def list_levels(
    item_id: str, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[LevelsAnswer]:
    """List the item's stock by location."""
    async with database.read() as session:
        levels = (await read_item(session, item_id))["location_levels"]
    return Wire(
        {
            "inventory_levels": pick_each(slice_page(levels, params), params),
            **paging_fields(len(levels), params),
        }
    )
