"""Admin API of stock at locations: one inventory level, or several at once (wire: commerce-api, Admin)."""

from fastapi import APIRouter

from backend.core.db.database import Database
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.inventory.answers import ItemAnswer, LevelDeleted, LevelsBatchAnswer
from backend.inventory_items.schemas import LevelChange, NewLevel
from backend.inventory_items.service import read_item, remove_level, set_item_stock
from backend.shipping.inventory_levels import ItemLevels, ItemsLevels, change_levels
from backend.shipping.locations import lock_location
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_SETTINGS),
)


@router.post("/location-levels/batch")
async def change_levels_of_items(
    actor: StaffMember, body: ItemsLevels, database: Db
) -> Wire[LevelsBatchAnswer]:
    """Create, set and delete levels of several items, all or nothing."""
    async with database.transaction() as session:
        return Wire(await change_levels(session, actor, body))


@router.post("/{item_id}/location-levels/batch")
async def change_levels_of_item(
    actor: StaffMember, item_id: str, body: ItemLevels, database: Db
) -> Wire[LevelsBatchAnswer]:
    """Create, set and delete levels of the item, all or nothing."""
    async with database.transaction() as session:
        return Wire(await change_levels(session, actor, body, item_id))


@router.post("/{item_id}/location-levels")
async def add_level(
    actor: StaffMember, item_id: str, body: NewLevel, database: Db, fields: RequestedFields
) -> Wire[ItemAnswer]:
    """Create the item's inventory level at a location, or set the stocked units of an existing level.

    Without `stocked_quantity`, an existing level is unchanged.
    """
    return await _stock_answer(
        database=database,
        actor=actor,
        item_id=item_id,
        location_id=body.location_id,
        stocked=body.stocked_quantity,
        fields=fields,
    )


@router.post("/{item_id}/location-levels/{location_id}")
async def set_level(
    *,
    actor: StaffMember,
    item_id: str,
    location_id: str,
    body: LevelChange,
    database: Db,
    fields: RequestedFields,
) -> Wire[ItemAnswer]:
    """Set the number of units of the item at the location.

    It must not be less than the units reserved for customers.
    """
    return await _stock_answer(
        database=database,
        actor=actor,
        item_id=item_id,
        location_id=location_id,
        stocked=body.stocked_quantity,
        fields=fields,
    )


@router.delete("/{item_id}/location-levels/{location_id}")
async def delete_level(
    actor: StaffMember, item_id: str, location_id: str, database: Db
) -> Wire[LevelDeleted]:
    """Delete the item's inventory level at the location. The location must have no unit of the item."""
    async with database.transaction() as session:
        level_id = await remove_level(session, actor, item_id, location_id)
        item = await read_item(session, item_id)
    return Wire({"id": level_id, "object": "inventory-level", "deleted": True, "parent": item})


async def _stock_answer(
    *,
    database: Database,
    actor: Actor,
    item_id: str,
    location_id: str,
    stocked: int | None,
    fields: Fields,
) -> Wire[ItemAnswer]:
    actor.require(
        Right.CHANGE_STOCK
    )  # before the lookup, so that the response reveals nothing without the right
    async with database.transaction() as session:
        await lock_location(session, location_id)
        return Wire(
            {
                "inventory_item": fields.pick(
                    await set_item_stock(session, actor, item_id, location_id, stocked)
                )
            }
        )
