"""Inventory items and their stock by location.

An inventory item is a variant: its id is the variant's id with another prefix.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.models import Product, Variant
from backend.catalog.products.preorders import set_incoming_units
from backend.catalog.search.variant_search import variant_text_conditions
from backend.core.db.database import lock_rows
from backend.core.errors import InvalidData, NotAllowed, NotFound, require_found
from backend.edge.query import Fields, in_clauses, order_clauses, where_clauses
from backend.edge.wire import derive_sibling_id
from backend.inventory.answers import ItemOut, LinkedItem
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import MovementDetails, Reason, StockReserved, count_stock, lock_level
from backend.inventory.wire import LEVEL, VARIANT, item_wire, linked_item_wire, read_levels
from backend.inventory_items.schemas import ItemsParameters
from backend.staff.rights import Actor, Right

_VARIANTS = (
    select(Variant, Product.title)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id.in_(bindparam("ids", expanding=True)))
)
_WITH_VARIANTS = Fields("id,title,handle,status,thumbnail,*variants")
SORTABLE = {"sku": Variant.sku, "title": Product.title, "created_at": Variant.created_at}


async def read_items_page(session: AsyncSession, params: ItemsParameters) -> tuple[list[ItemOut], int]:
    """Return a page of inventory items, and the number of all items that match the filters.

    Raises:
        InvalidData: `order` has a field by which the items cannot be ordered.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Product.deleted_at.is_(None), *where_clauses(params, _item_filters))
    count = await session.execute(select(func.count()).select_from(query.subquery()))
    query = query.order_by(*order_clauses(params.order, SORTABLE, [Variant.id]))
    found = (await session.execute(query.offset(params.offset).limit(params.limit))).all()
    return await _read_items(session, [(variant, title) for variant, title in found]), count.scalar_one()


def _item_filters(params: ItemsParameters) -> list[ColumnElement[bool]]:
    ids = None if params.id is None else [_to_variant_id(item_id) for item_id in params.id]
    conditions = in_clauses((Variant.id, ids), (Variant.sku, params.sku))
    if params.location_id is not None:
        at_locations = select(InventoryLevel.variant_id).where(
            InventoryLevel.location_id.in_(params.location_id)
        )
        conditions.append(Variant.id.in_(at_locations))
    return [*conditions, *variant_text_conditions(params.q)]


async def read_item(session: AsyncSession, item_id: str) -> ItemOut:
    """Return the inventory item with its stock by location.

    Raises:
        NotFound: there is no such item.
    """
    query = select(Variant, Product.title).join(Product, Product.id == Variant.product_id)
    query = query.where(Variant.id == _to_variant_id(item_id), Product.deleted_at.is_(None))
    found = require_found((await session.execute(query)).one_or_none(), "Inventory item", item_id)
    variant, title = found
    [item] = await _read_items(session, [(variant, title)])
    return item


async def _read_items(session: AsyncSession, found: Sequence[tuple[Variant, str]]) -> list[ItemOut]:
    """Return the inventory items of these variants, each with its variant.

    `found` has the variants, each with the title of its product.
    """
    levels = await read_levels(session, [variant.id for variant, _ in found])
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


async def set_item_stock(
    session: AsyncSession, actor: Actor, item_id: str, location_id: str, stocked: int | None
) -> ItemOut:
    """Set the units of the item that are stocked at an existing location. None leaves the number unchanged.

    Returns:
        The item after the change.

    Raises:
        NotFound: there is no such item.
        InvalidData: more units are reserved at the location.
    """
    actor.require(Right.CHANGE_STOCK)
    await read_item(session, item_id)
    variant_id = _to_variant_id(item_id)
    await record(session, actor, "stock changed", Subject(SubjectType.VARIANT, variant_id))
    preorder = await _lock_new_preorder(session, variant_id)
    if stocked is None:
        stocked = (await lock_level(session, variant_id, location_id)).stocked
    try:
        await count_stock(session, variant_id, location_id, stocked, MovementDetails(Reason.COUNT, actor))
    except StockReserved as error:
        raise InvalidData(
            f"{error.reserved} units are reserved for customers: fewer cannot be stocked at the location"
        ) from None
    if preorder is not None:
        await set_incoming_units(session, preorder, {variant_id})
    return await read_item(session, item_id)


async def _lock_new_preorder(session: AsyncSession, variant_id: str) -> Product | None:
    """Lock and return the variant's product if it is a preorder and the variant has no stock level yet, else None.

    A preorder's announced units belong to a stock level, so the caller must add them to the first one.
    """
    has_level = select(InventoryLevel.id).where(InventoryLevel.variant_id == variant_id).exists()
    query = (
        select(Product)
        .where(Product.id == select(Variant.product_id).where(Variant.id == variant_id).scalar_subquery())
        .where(Product.preorder_day.is_not(None), ~has_level)
    )
    return (await session.execute(lock_rows(query))).scalar_one_or_none()


async def remove_level(
    session: AsyncSession, actor: Actor, item_id: str, location_id: str, *, force: bool = False
) -> str:
    """Delete the item's level at the location. With `force`, units that are stocked there are written off.

    Returns:
        The id of the deleted level.

    Raises:
        NotFound: the item has no level at the location.
        NotAllowed: units are reserved there; or, without `force`, units are stocked there.
    """
    actor.require(Right.CHANGE_STOCK)
    variant_id = _to_variant_id(item_id)
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id
    )
    level = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if level is None:
        raise NotFound(f"Inventory item {item_id} is not stocked at location {location_id}")
    level_id = derive_sibling_id(LEVEL, level.id)
    refusal = f"Cannot remove Inventory Level {level_id} at Location {location_id}"
    if level.reserved:
        raise NotAllowed(f"{refusal} because there are reservations at location")
    if level.stocked and not force:
        raise NotAllowed(f"{refusal} because {level.stocked} units are stocked there: count it as 0 first")
    await record(session, actor, "stock changed", Subject(SubjectType.VARIANT, variant_id))
    await count_stock(session, variant_id, location_id, 0, MovementDetails(Reason.COUNT, actor))
    await session.delete(level)
    await session.flush()
    return level_id


def _to_variant_id(item_id: str) -> str:
    return derive_sibling_id(VARIANT, item_id)


async def read_linked_items(
    session: AsyncSession, variant_ids: Collection[str]
) -> dict[str, list[LinkedItem]]:
    """Return the links to the inventory items of these variants, by variant id."""
    rows = (await session.execute(_VARIANTS, {"ids": list(variant_ids)})).all()
    levels = await read_levels(session, variant_ids)
    return {
        variant.id: [linked_item_wire(variant, title, levels.get(variant.id, ()))] for variant, title in rows
    }
