"""Stock as staff see and set it. An inventory item is a variant: its id is the variant's under another prefix."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant
from backend.catalog.stock.schemas import ItemsParameters
from backend.edge.lists import in_order
from backend.edge.wire import JsonDict, exact, sibling_id, stamps
from backend.errors import InvalidData, NotFound
from backend.inventory.models import InventoryLevel
from backend.inventory.service import set_stock

ITEM, VARIANT = "iitem", "variant"
SORTABLE = {"sku": Variant.sku, "title": Product.title, "created_at": Variant.created_at}


async def items_page(session: AsyncSession, asked: ItemsParameters) -> tuple[list[JsonDict], int]:
    """The asked stretch of the inventory, and how many items there are.

    Raises:
        InvalidData: it cannot be ordered by what was asked.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Product.deleted_at.is_(None))
    if asked.id is not None:
        query = query.where(Variant.id.in_([_variant_id(item_id) for item_id in asked.id]))
    if asked.sku is not None:
        query = query.where(Variant.sku.in_(asked.sku))
    if asked.q:
        text = asked.q
        query = query.where(
            or_(Variant.sku.icontains(text, autoescape=True), Product.title.icontains(text, autoescape=True))
        )
    count = await session.execute(select(func.count()).select_from(query.subquery()))
    query = query.order_by(*in_order(asked.order, SORTABLE, [Variant.id]))
    found = (await session.execute(query.offset(asked.offset).limit(asked.limit))).all()
    levels = await _levels(session, [variant.id for variant, _ in found])
    return [_item(variant, title, levels[variant.id]) for variant, title in found], count.scalar_one()


async def item(session: AsyncSession, item_id: str) -> JsonDict:
    """The inventory item.

    Raises:
        NotFound: there is none.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Variant.id == _variant_id(item_id), Product.deleted_at.is_(None))
    found = (await session.execute(query)).one_or_none()
    if found is None:
        raise NotFound(f"Inventory item with id: {item_id} was not found")
    variant, title = found
    return _item(variant, title, (await _levels(session, [variant.id]))[variant.id])


async def stock_item(session: AsyncSession, item_id: str, location_id: str, stocked: int) -> JsonDict:
    """Say how many units of the item lie at the location, which the caller knows to be one.

    Returns:
        The item as it is now.

    Raises:
        NotFound: there is no such item.
        InvalidData: more than that are promised to buyers already.
    """
    await item(session, item_id)
    level = await set_stock(session, _variant_id(item_id), location_id, stocked)
    if level.stocked != stocked:
        raise InvalidData(f"{level.reserved} units are promised to buyers: fewer cannot lie at the location")
    return await item(session, item_id)


def level_wire(level: InventoryLevel) -> JsonDict:
    """The stock at one location."""
    return {
        "id": sibling_id("ilev", level.id),
        "inventory_item_id": _item_id(level.variant_id),
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


def _item(variant: Variant, title: str, levels: Sequence[InventoryLevel]) -> JsonDict:
    return {
        "id": _item_id(variant.id),
        "sku": variant.sku,
        "title": title,
        "description": variant.title,
        "requires_shipping": True,
        "metadata": None,
        "stocked_quantity": sum(level.stocked for level in levels),
        "reserved_quantity": sum(level.reserved for level in levels),
        "location_levels": [level_wire(level) for level in levels],
        "variants": [{"id": variant.id, "title": variant.title, "product_id": variant.product_id}],
        **stamps(variant.created_at, variant.updated_at),
    }


async def _levels(session: AsyncSession, variant_ids: Sequence[str]) -> dict[str, list[InventoryLevel]]:
    query = (
        select(InventoryLevel).where(InventoryLevel.variant_id.in_(variant_ids)).order_by(InventoryLevel.id)
    )
    levels: dict[str, list[InventoryLevel]] = defaultdict(list)
    for level in (await session.execute(query.execution_options(populate_existing=True))).scalars():
        levels[level.variant_id].append(level)
    return levels


def _item_id(variant_id: str) -> str:
    return sibling_id(ITEM, variant_id)


def _variant_id(item_id: str) -> str:
    return sibling_id(VARIANT, item_id)
