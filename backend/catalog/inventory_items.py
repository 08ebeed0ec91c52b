"""Stock in the Admin API: an inventory item is a variant, its id the variant's under another prefix.

The stock is set beside the locations it is stocked at (`backend.shipping.location_routes`).
"""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.models import Product, Variant
from backend.catalog.product_wire import ProductWriter
from backend.catalog.stock_wire import VARIANT, item_wire, levels_of
from backend.catalog.variant_words import with_words
from backend.database import locked
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, listed, met, one_of, page_of, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import (
    Body,
    FilledName,
    FilterParameters,
    ListParameters,
    ListResponse,
    Name,
    ResponseModel,
    Units,
    example,
)
from backend.edge.wire import JsonDict, Wire, sibling_id
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import Reason, StockReserved, Why, count_stock, lock_level
from backend.staff.access import staff_who_may
from backend.staff.rights import Actor, Right


class ItemsParameters(FilterParameters):
    """Which inventory items."""

    q: str | None = Field(
        None, max_length=200, description="Part of a title, of the product's too, of a SKU or of a bar code."
    )
    id: list[Name] | None = None
    sku: list[Name] | None = None
    location_id: list[Name] | None = Field(
        None, alias="location_levels[location_id]", description="Only what is stocked at one of these."
    )


class LevelChange(Body):
    """How many units are stocked at a location."""

    model_config = example(stocked_quantity=40)

    stocked_quantity: Annotated[Units, Field(ge=0)]


class NewLevel(Body):
    """Units at a location; without a number, as many as there are: none where it had none."""

    model_config = example(location_id="sloc_01JPZ6V3N8K4T2WQ7RXB5C9MHD", stocked_quantity=25)

    location_id: FilledName
    stocked_quantity: Annotated[Units, Field(ge=0)] | None = None


class LevelOut(ResponseModel):
    """Stock at a location: `available_quantity` can be sold, `reserved_quantity` is reserved for buyers."""

    id: str
    location_id: str
    stocked_quantity: int = 0
    reserved_quantity: int = 0
    available_quantity: int = 0


class ItemOut(ResponseModel):
    """A variant as the warehouse knows it."""

    id: str
    sku: str | None = None
    title: str | None = None
    stocked_quantity: int = 0
    reserved_quantity: int = 0
    location_levels: list[LevelOut] = Field(default_factory=list)


class ItemAnswer(BaseModel):
    """An inventory item."""

    inventory_item: ItemOut


class ItemsAnswer(ListResponse):
    """A page of the inventory."""

    inventory_items: list[ItemOut]


class LevelsAnswer(ListResponse):
    """An item's stock by location."""

    inventory_levels: list[LevelOut]


router = APIRouter(
    prefix="/admin/inventory-items",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_STOCK),
)


@router.get("", response_model=ItemsAnswer)
async def list_items(asked: Annotated[ItemsParameters, read_query(ItemsParameters)], database: Db) -> Wire:
    """The inventory: an item for every variant, with its stock by location."""
    async with database.read() as session:
        items, count = await items_page(session, asked)
    return Wire(listed("inventory_items", items, count, asked))


@router.get("/{item_id}", response_model=ItemAnswer)
async def read(item_id: str, database: Db, fields: Shown) -> Wire:
    """The item, with its stock by location."""
    async with database.read() as session:
        return Wire({"inventory_item": fields.pick(await read_item(session, item_id))})


@router.get("/{item_id}/location-levels", response_model=LevelsAnswer)
async def list_levels(
    item_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire:
    """The item's stock by location."""
    async with database.read() as session:
        levels = (await read_item(session, item_id))["location_levels"]
    return Wire(listed("inventory_levels", page_of(levels, asked), len(levels), asked))


_WITH_VARIANTS = Fields("id,title,handle,status,thumbnail,*variants")
SORTABLE = {"sku": Variant.sku, "title": Product.title, "created_at": Variant.created_at}


async def items_page(session: AsyncSession, asked: ItemsParameters) -> tuple[list[JsonDict], int]:
    """A page of the inventory, and how many items there are in all.

    Raises:
        InvalidData: it cannot be ordered by what was asked.
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


async def read_item(session: AsyncSession, item_id: str) -> JsonDict:
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
    [item] = await _items(session, [(variant, title)])
    return item


async def _items(session: AsyncSession, found: Sequence[tuple[Variant, str]]) -> list[JsonDict]:
    """The items of these variants, each with its variant, and the title of each one's product."""
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
) -> JsonDict:
    """Set how many units of the item the location has; None: as many as it has. There is such a location.

    Returns:
        The item as it is now.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such item.
        InvalidData: more than that are reserved already.
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
    """Let the item be stocked at the location no longer. With `force`, units that are stocked there are gone.

    Returns:
        The id of the level that was.

    Raises:
        Forbidden: see `Actor.require`.
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
