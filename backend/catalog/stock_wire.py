"""Stock as the platform shows it: a variant has one inventory item, its id the variant's under another prefix."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant
from backend.catalog.product_parts import VariantRow
from backend.edge.wire import JsonDict, exact, sibling_id, stamps
from backend.inventory.models import InventoryLevel

ITEM, VARIANT = "iitem", "variant"

_LEVELS = (
    select(InventoryLevel)
    .where(InventoryLevel.variant_id.in_(bindparam("ids", expanding=True)))
    .order_by(InventoryLevel.id)
)
_VARIANTS = (
    select(Variant, Product.title)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id.in_(bindparam("ids", expanding=True)))
)


async def levels_of(session: AsyncSession, variant_ids: Collection[str]) -> dict[str, list[InventoryLevel]]:
    """The stock of these variants by location, as the database has it now."""
    levels: dict[str, list[InventoryLevel]] = defaultdict(list)
    fresh = _LEVELS.execution_options(populate_existing=True)
    for level in (await session.execute(fresh, {"ids": list(variant_ids)})).scalars():
        levels[level.variant_id].append(level)
    return levels


def level_wire(level: InventoryLevel) -> JsonDict:
    """The stock at one location."""
    return {
        "id": sibling_id("ilev", level.id),
        "inventory_item_id": sibling_id(ITEM, level.variant_id),
        "location_id": level.location_id,
        "stocked_quantity": level.stocked,
        "reserved_quantity": level.reserved,
        "available_quantity": level.stocked - level.reserved,
        "incoming_quantity": 0,
        "raw_stocked_quantity": exact(level.stocked),
        "raw_reserved_quantity": exact(level.reserved),
        "metadata": None,
        **stamps(level.created_at, level.updated_at),
    }


def item_wire(variant: Variant | VariantRow, title: str, levels: Sequence[InventoryLevel]) -> JsonDict:
    """The variant's inventory item, without its variant. `title`: of the product."""
    return {
        "id": sibling_id(ITEM, variant.id),
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


def linked_item(variant: Variant | VariantRow, title: str, levels: Sequence[InventoryLevel]) -> JsonDict:
    """What links a variant to its inventory item: one unit sold takes one."""
    return {
        "id": sibling_id("pvitem", variant.id),
        "variant_id": variant.id,
        "inventory_item_id": sibling_id(ITEM, variant.id),
        "required_quantity": 1,
        "inventory": item_wire(variant, title, levels),
    }


async def linked_items_of(session: AsyncSession, variant_ids: Collection[str]) -> dict[str, list[JsonDict]]:
    """The inventory items of these variants, by the variant's id."""
    rows = (await session.execute(_VARIANTS, {"ids": list(variant_ids)})).all()
    levels = await levels_of(session, variant_ids)
    return {variant.id: [linked_item(variant, title, levels.get(variant.id, ()))] for variant, title in rows}
