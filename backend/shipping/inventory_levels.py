"""Stock of items at locations, several at once as programs set it: all of it happens, or nothing."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import NotFound
from backend.edge.schemas import Body, FilledName, Name, Units, example, problem
from backend.edge.wire import sibling_id
from backend.inventory.answers import LevelOut, LevelsBatchAnswer
from backend.inventory.models import InventoryLevel
from backend.inventory.wire import ITEM
from backend.inventory_items.service import remove_level, stock_item
from backend.shipping.locations import find_location
from backend.staff.rights import Actor, Right

MAX_LEVELS = 100
"""Levels of one batch."""


class LevelInBatch(Body):
    """Units at a location; without a number, as many as there are. `id` is the level's and says nothing more."""

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
    force: bool = Field(False, description="Delete levels at which units are stocked, too.")

    @model_validator(mode="after")
    def _is_not_too_long(self) -> Self:
        if len(self.create) + len(self.update) + len(self.delete) > MAX_LEVELS:
            raise problem(f"A batch has {MAX_LEVELS} levels at most")
        return self


class ItemLevels(_Batch):
    """Levels of one item to create, to set, and to delete by their ids."""

    model_config = example(
        update=[{"location_id": "sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", "stocked_quantity": 12}]
    )

    create: list[LevelInBatch] = Field(default_factory=list)
    update: list[LevelInBatch] = Field(default_factory=list)


class ItemsLevels(_Batch):
    """Levels of several items to create, to set, and to delete by their ids."""

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


class Place(NamedTuple):
    """Where units of an item are stocked."""

    item_id: str
    location_id: str


async def change_levels(
    session: AsyncSession, actor: Actor, batch: ItemLevels | ItemsLevels, item_id: str = ""
) -> LevelsBatchAnswer:
    """Create, set and delete these levels; with `item_id`, those of this item.

    Returns:
        What was created and updated, each level as it is now, and the ids of those that were deleted.

    Raises:
        NotFound: there is no such item, location or level.
        InvalidData: more units than that are reserved.
        NotAllowed: a level to delete has units, or units that are reserved.
    """
    actor.require(Right.CHANGE_STOCK)
    made, changed = ([(_place(one, item_id), one) for one in part] for part in (batch.create, batch.update))
    wanted = {place: one.stocked_quantity for place, one in made}
    wanted |= {place: one.stocked_quantity for place, one in changed if one.stocked_quantity is not None}
    for location_id in sorted({place.location_id for place, _ in (*made, *changed)}):
        await find_location(session, location_id)
    levels: dict[Place, LevelOut] = {}
    for place in sorted(wanted):  # in one order: two batches at once never deadlock
        item = await stock_item(session, actor, *place, wanted[place])
        levels |= {Place(place.item_id, one["location_id"]): one for one in item["location_levels"]}
    for level_id in sorted(set(batch.delete)):
        await remove_level(session, actor, *await _place_of(session, level_id, item_id), force=batch.force)
    return {
        "created": [levels[place] for place, _ in made],
        "updated": [levels[place] for place, _ in changed if place in levels],
        "deleted": list(dict.fromkeys(batch.delete)),
    }


def _place(said: LevelInBatch, item_id: str) -> Place:
    return Place(said.inventory_item_id if isinstance(said, LevelOfItem) else item_id, said.location_id)


async def _place_of(session: AsyncSession, level_id: str, item_id: str) -> Place:
    level = await session.get(InventoryLevel, sibling_id(ITEM, level_id))
    if level is None or item_id not in ("", sibling_id(ITEM, level.variant_id)):
        raise NotFound(f"Inventory level with id: {level_id} was not found")
    return Place(sibling_id(ITEM, level.variant_id), level.location_id)
