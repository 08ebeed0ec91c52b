"""Convert stock to the inventory items and stock levels of the commerce platform's API.

A variant has one inventory item: its id is the variant's id with another prefix.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.edge.wire import derive_sibling_id, exact_value, stamps
from backend.inventory.answers import LevelOut, LinkedItem, StockedItem
from backend.inventory.models import InventoryLevel

ITEM, LEVEL, VARIANT = "iitem", "ilev", "variant"

_LEVELS = (
    select(InventoryLevel)
    .where(InventoryLevel.variant_id.in_(bindparam("ids", expanding=True)))
    .order_by(InventoryLevel.id)
)


class StockedVariant(Protocol):
    """A variant, either as a model instance or as the row of a query."""

    @property
    def id(self) -> str:
        """Return the variant's id."""

    @property
    def title(self) -> str:
        """Return the variant's title, such as its colour."""

    @property
    def sku(self) -> str | None:
        """Return the variant's SKU; None if it has none."""

    @property
    def created_at(self) -> datetime | str:
        """Return the time of the variant's creation; in the row of a query it is a text."""

    @property
    def updated_at(self) -> datetime | str:
        """Return the time of the variant's latest change; in the row of a query it is a text."""


async def read_levels(session: AsyncSession, variant_ids: Collection[str]) -> dict[str, list[InventoryLevel]]:
    """Return the stock levels of these variants by variant id. They are always read again from the database."""
    levels: dict[str, list[InventoryLevel]] = defaultdict(list)
    fresh = _LEVELS.execution_options(populate_existing=True)
    for level in (await session.execute(fresh, {"ids": list(variant_ids)})).scalars():
        levels[level.variant_id].append(level)
    return levels


def level_wire(level: InventoryLevel) -> LevelOut:
    """Return the stock level in the platform's shape."""
    return {
        "id": derive_sibling_id(LEVEL, level.id),
        "inventory_item_id": derive_sibling_id(ITEM, level.variant_id),
        "location_id": level.location_id,
        "stocked_quantity": level.stocked,
        "reserved_quantity": level.reserved,
        "available_quantity": level.unreserved,
        "incoming_quantity": level.incoming,
        "raw_stocked_quantity": exact_value(level.stocked),
        "raw_reserved_quantity": exact_value(level.reserved),
        "metadata": None,
        **stamps(level.created_at, level.updated_at),
    }


def item_wire(variant: StockedVariant, title: str, levels: Sequence[InventoryLevel]) -> StockedItem:
    """Return the variant's inventory item, without its variant. `title` is the product's title."""
    return {
        "id": derive_sibling_id(ITEM, variant.id),
        "sku": variant.sku,
        "title": title,
        "description": variant.title,
        "requires_shipping": True,
        "metadata": None,
        "stocked_quantity": sum(level.stocked for level in levels),
        "reserved_quantity": sum(level.reserved for level in levels),
        "location_levels": [level_wire(level) for level in levels],
        **stamps(variant.created_at, variant.updated_at),
    }


def linked_item_wire(variant: StockedVariant, title: str, levels: Sequence[InventoryLevel]) -> LinkedItem:
    """Return the link from a variant to its inventory item. One unit of the variant takes one unit of the item."""
    return {
        "id": derive_sibling_id("pvitem", variant.id),
        "variant_id": variant.id,
        "inventory_item_id": derive_sibling_id(ITEM, variant.id),
        "required_quantity": 1,
        "inventory": item_wire(variant, title, levels),
    }
