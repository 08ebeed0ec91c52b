"""Inventory items and their stock by location.

An inventory item is a variant: its id is the variant's under another prefix.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.models import Product, Variant
from backend.catalog.search.variant_search import with_words
from backend.core.db.database import locked
from backend.core.errors import InvalidData, NotAllowed, NotFound, require_found
from backend.edge.query import Fields, in_order, met, one_of
from backend.edge.wire import sibling_id
from backend.inventory.answers import ItemOut, LinkedItem
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import Reason, StockReserved, Why, count_stock, lock_level
from backend.inventory.wire import VARIANT, item_wire, levels_of, linked_item
from backend.inventory_items.schemas import ItemsParameters
from backend.staff.rights import Actor, Right

_VARIANTS = (
    select(Variant, Product.title)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id.in_(bindparam("ids", expanding=True)))
)
_WITH_VARIANTS = Fields("id,title,handle,status,thumbnail,*variants")
SORTABLE = {"sku": Variant.sku, "title": Product.title, "created_at": Variant.created_at}


async def items_page(session: AsyncSession, asked: ItemsParameters) -> tuple[list[ItemOut], int]:
    """Return a page of inventory items and the number of all that match.

    Raises:
        InvalidData: the items cannot be ordered by a field of `order`.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Product.deleted_at.is_(None), *met(asked, _filters))
    count = await session.execute(select(func.count()).select_from(query.subquery()))
    query = query.order_by(*in_order(asked.order, SORTABLE, [Variant.id]))
    found = (await session.execute(query.offset(asked.offset).limit(asked.limit))).all()
    return await _items(session, [(variant, title) for variant, title in found]), count.scalar_one()


def _filters(asked: ItemsParameters) -> list[ColumnElement[bool]]:
    ids = None if asked.id is None else [_variant_id(item_id) for item_id in asked.id]
    conditions = one_of((Variant.id, ids), (Variant.sku, asked.sku))
    if asked.location_id is not None:
        there = select(InventoryLevel.variant_id).where(InventoryLevel.location_id.in_(asked.location_id))
        conditions.append(Variant.id.in_(there))
    return [*conditions, *with_words(asked.q)]


async def read_item(session: AsyncSession, item_id: str) -> ItemOut:
    """Return the inventory item with its stock by location.

    Raises:
        NotFound: there is no such item.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Variant.id == _variant_id(item_id), Product.deleted_at.is_(None))
    found = require_found((await session.execute(query)).one_or_none(), "Inventory item", item_id)
    variant, title = found
    [item] = await _items(session, [(variant, title)])
    return item


async def _items(session: AsyncSession, found: Sequence[tuple[Variant, str]]) -> list[ItemOut]:
    """Return the items of these variants, each with its variant. `found`: variants with their product's title."""
    levels = await levels_of(session, [variant.id for variant, _ in found])
    written = await ProductWriter(session, _WITH_VARIANTS, as_staff=True).write(
        [variant.product_id for variant, _ in found]
    )
    variants = {
        variant["id"]: {
            **variant,
            "product": {name: part for name, part in product.items() if name != "variants"},
        }
        for product in written
        for variant in product["variants"]
    }
    return [
        {**item_wire(variant, title, levels[variant.id]), "variants": [variants[variant.id]]}
        for variant, title in found
    ]


async def stock_item(
    session: AsyncSession, actor: Actor, item_id: str, location_id: str, stocked: int | None
) -> ItemOut:
    """Set the stock of the item at an existing location; None leaves the number as it is.

    Returns:
        The item after the change.

    Raises:
        NotFound: there is no such item.
        InvalidData: more units than that are reserved.
    """
    actor.require(Right.CHANGE_STOCK)
    await read_item(session, item_id)
    variant_id = _variant_id(item_id)
    await record(session, actor, "stock changed", Subject(Thing.VARIANT, variant_id))
    if stocked is None:
        stocked = (await lock_level(session, variant_id, location_id)).stocked
    try:
        await count_stock(session, variant_id, location_id, stocked, Why(Reason.COUNT, actor))
    except StockReserved as error:
        raise InvalidData(
            f"{error.reserved} units are promised to buyers: fewer cannot be stocked at the location"
        ) from None
    return await read_item(session, item_id)


async def remove_level(
    session: AsyncSession, actor: Actor, item_id: str, location_id: str, *, force: bool = False
) -> str:
    """Delete the item's level at the location. With `force`, units that are stocked there are written off.

    Returns:
        The id of the deleted level.

    Raises:
        NotFound: it is not stocked there.
        NotAllowed: units of it are reserved or stocked there.
    """
    actor.require(Right.CHANGE_STOCK)
    variant_id = _variant_id(item_id)
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id
    )
    level = (await session.execute(locked(query))).scalar_one_or_none()
    if level is None:
        raise NotFound(f"Inventory item {item_id} is not stocked at location {location_id}")
    level_id = sibling_id("ilev", level.id)
    what = f"Cannot remove Inventory Level {level_id} at Location {location_id}"
    if level.reserved:
        raise NotAllowed(f"{what} because there are reservations at location")
    if level.stocked and not force:
        raise NotAllowed(f"{what} because {level.stocked} units are stocked there: count it as 0 first")
    await record(session, actor, "stock changed", Subject(Thing.VARIANT, variant_id))
    await count_stock(session, variant_id, location_id, 0, Why(Reason.COUNT, actor))
    await session.delete(level)
    await session.flush()
    return level_id


def _variant_id(item_id: str) -> str:
    return sibling_id(VARIANT, item_id)


async def linked_items_of(session: AsyncSession, variant_ids: Collection[str]) -> dict[str, list[LinkedItem]]:
    """Return the links to the inventory items of these variants, by variant id."""
    rows = (await session.execute(_VARIANTS, {"ids": list(variant_ids)})).all()
    levels = await levels_of(session, variant_ids)
    return {variant.id: [linked_item(variant, title, levels.get(variant.id, ()))] for variant, title in rows}
