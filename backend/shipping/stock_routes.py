"""Setting stock at a warehouse. Here and not in the inventory, which does not know warehouses."""

from fastapi import APIRouter

from backend.catalog.inventory_items import ItemAnswer, LevelChange, NewLevel, stock_item
from backend.database import Database
from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.fields import Fields
from backend.edge.guard import STAFF_ONLY
from backend.edge.route import WireRoute
from backend.edge.wire import Wire
from backend.shipping.admin import find_location

router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)


@router.post("/{item_id}/location-levels", response_model=ItemAnswer)
async def add_level(item_id: str, body: NewLevel, database: Db, fields: Shown) -> Wire:
    """Units of the item at a location that had none."""
    return await _stock(database, item_id, body.location_id, body.stocked_quantity, fields)


@router.post("/{item_id}/location-levels/{location_id}", response_model=ItemAnswer)
async def set_level(item_id: str, location_id: str, body: LevelChange, database: Db, fields: Shown) -> Wire:
    """How many units of the item lie at the location; never fewer than are promised to buyers."""
    return await _stock(database, item_id, location_id, body.stocked_quantity, fields)


async def _stock(database: Database, item_id: str, location_id: str, stocked: int, fields: Fields) -> Wire:
    async with database.transaction() as session:
        await find_location(session, location_id)
        return Wire({"inventory_item": fields.pick(await stock_item(session, item_id, location_id, stocked))})
