"""Batch changes of stock of items at locations, all or nothing."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import NotFound
from backend.edge.schemas import Body, FilledName, Name, Units, example, validation_error
from backend.edge.wire import derive_sibling_id
from backend.inventory.answers import LevelOut, LevelsBatchAnswer
from backend.inventory.models import InventoryLevel
from backend.inventory.wire import ITEM
from backend.inventory_items.service import remove_level, set_item_stock
from backend.shipping.locations import lock_location
from backend.staff.rights import Actor, Right

MAX_LEVELS = 100
"""Maximum number of levels in a batch."""


class LevelInBatch(Body):
    """Units of an item at a location. Without a number, the stock is unchanged. `id`, the level's id, is ignored."""

    location_id: FilledName
    stocked_quantity: Annotated[Units, Field(ge=0)] | None = None
    incoming_quantity: Literal[0] | None = None
    id: Name | None = None


class LevelOfItem(LevelInBatch):
    """Units of an item at a location."""

    inventory_item_id: FilledName


class _Batch(Body):
    create: Sequence[LevelInBatch]
    update: Sequence[LevelInBatch]
    delete: Annotated[list[Name], Field(max_length=MAX_LEVELS)] = Field(default_factory=list)
    force: bool = Field(False, description="Delete also levels that have units.")

    @model_validator(mode="after")
    def _is_not_too_long(self) -> Self:
        if len(self.create) + len(self.update) + len(self.delete) > MAX_LEVELS:
            raise validation_error(f"A batch has {MAX_LEVELS} levels at most")
        return self


class ItemLevels(_Batch):
    """Inventory levels of one item to create, to set, and to delete by their ids."""

    model_config = example(
        update=[{"location_id": "sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "stocked_quantity": 12}]
    )

    create: list[LevelInBatch] = Field(default_factory=list)
    update: list[LevelInBatch] = Field(default_factory=list)


class ItemsLevels(_Batch):
    """Inventory levels of several items to create, to set, and to delete by their ids."""

    model_config = example(
        update=[
            {
                "inventory_item_id": "iitem_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
                "location_id": "sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD",
                "stocked_quantity": 12,
            }
        ]
    )

    create: list[LevelOfItem] = Field(default_factory=list)
    update: list[LevelOfItem] = Field(default_factory=list)


class ItemLocation(NamedTuple):
    """An item at a location."""

    item_id: str
    location_id: str


async def change_levels(
    session: AsyncSession, actor: Actor, batch: ItemLevels | ItemsLevels, item_id: str = ""
) -> LevelsBatchAnswer:
    """Create, set and delete inventory levels. With `item_id`, all levels of the batch belong to this item.

    Returns:
        The created and updated levels in their new state, and the ids of the deleted levels.

    Raises:
        NotFound: there is no such item, location or level.
        InvalidData: a new number is less than the reserved units.
        NotAllowed: a level to delete has units, or reserved units.
    """
    actor.require(Right.CHANGE_STOCK)
    created, changed = (
        [(_item_location(one, item_id), one) for one in part] for part in (batch.create, batch.update)
    )
    quantities = {place: one.stocked_quantity for place, one in created}
    quantities |= {place: one.stocked_quantity for place, one in changed if one.stocked_quantity is not None}
    for location_id in sorted({place.location_id for place, _ in (*created, *changed)}):
        await lock_location(session, location_id)
    levels: dict[ItemLocation, LevelOut] = {}
    for place in sorted(quantities):  # in a fixed order, so that concurrent batches never deadlock
        item = await set_item_stock(session, actor, *place, quantities[place])
        levels |= {ItemLocation(place.item_id, one["location_id"]): one for one in item["location_levels"]}
    for level_id in sorted(set(batch.delete)):
        await remove_level(
            session, actor, *await _find_item_location(session, level_id, item_id), force=batch.force
        )
    return {
        "created": [levels[place] for place, _ in created],
        "updated": [levels[place] for place, _ in changed if place in levels],
        "deleted": list(dict.fromkeys(batch.delete)),
    }


def _item_location(level: LevelInBatch, item_id: str) -> ItemLocation:
    return ItemLocation(
        level.inventory_item_id if isinstance(level, LevelOfItem) else item_id, level.location_id
    )


async def _find_item_location(session: AsyncSession, level_id: str, item_id: str) -> ItemLocation:
    level = await session.get(InventoryLevel, derive_sibling_id(ITEM, level_id))
    if level is None or item_id not in ("", derive_sibling_id(ITEM, level.variant_id)):
        raise NotFound(f"Inventory level with id: {level_id} was not found")
    return ItemLocation(derive_sibling_id(ITEM, level.variant_id), level.location_id)
