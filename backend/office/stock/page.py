"""Bodega: what is stocked there, found by a code or by words, and what is running out."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.search.staff_search import ProductFilter, by_title, conditions_of, variant_with_code
from backend.core.db.database import planned_for
from backend.core.errors import InvalidData, NotFound
from backend.inventory.models import FREE_UNITS, InventoryLevel
from backend.media.picture_urls import picture_address
from backend.office_settings import read_low_stock
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

MOST_ROWS = 40
MOST_MATCHES = 6
"""Toys that a text may mean."""
MOST_CHOICES = 100
"""Variants of those toys: as many as one has."""
SEPARATOR = "|"
LOW, OUT = "low", "out"


@dataclass(frozen=True, slots=True)
class StockRow:
    """Units of a variant at a location.

    Attributes:
        key: of this row among all: the variant's id and the location's.
        detail: its variant where there are several, and its code.
        free: units that can be sold.
        low_at: so many, or fewer, are few.
    """

    key: str
    variant_id: str
    product_id: str
    location_id: str
    title: str
    detail: str
    picture: str
    stocked: int
    reserved: int
    free: int
    low_at: int
    is_low: bool


@dataclass(frozen=True, slots=True)
class LocationView:
    """A place where units are stocked."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class StockPage:
    """Rows by title; `cursor` reads the next ones and is empty when there are none."""

    rows: list[StockRow]
    cursor: str = ""
    locations: list[LocationView] | None = None


@dataclass(frozen=True, slots=True)
class StockFilter:
    """What is wanted: a code, or words of a title; `only`: `low`, `out`, or all."""

    text: str = ""
    only: str = ""


_LEVELS: Select[Product, Variant, InventoryLevel] = (
    select(Product, Variant, InventoryLevel)
    .join(Variant, Variant.product_id == Product.id)
    .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .where(Product.deleted_at.is_(None))
)


async def stock_page(session: AsyncSession, actor: Actor, wanted: StockFilter, cursor: str = "") -> StockPage:
    """What is stocked where.

    Raises:
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_STOCK)
    if wanted.only not in {LOW, OUT}:
        return await _by_title(session, wanted.text, cursor)
    query = _LEVELS.where(*await _condition(session, wanted)).order_by(FREE_UNITS, InventoryLevel.id)
    if cursor:
        query = query.where(tuple_(FREE_UNITS, InventoryLevel.id) > _place(cursor))
    found = (await session.execute(query.limit(planned_for(MOST_ROWS + 1)))).all()
    usual = await read_low_stock(session)
    rows = [_row(*one, usual) for one in found[:MOST_ROWS]]
    following = ""
    if len(found) > MOST_ROWS:
        _product, _variant, level = found[MOST_ROWS - 1]
        following = f"{level.stocked - level.reserved}{SEPARATOR}{level.id}"
    return StockPage(rows, following, await _locations(session))


async def variants_found(session: AsyncSession, actor: Actor, text: str) -> list[StockRow]:
    """Return the variants of a scanned code, else those of a few products that some words find."""
    actor.require(Right.READ_STOCK)
    if not text.strip():
        return []
    toys, only, _cursor = await _toys(session, text, MOST_MATCHES)
    query = (
        select(Product, Variant)
        .join(Variant, Variant.product_id == Product.id)
        .where(Product.id.in_(toys), *only)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MOST_CHOICES)
    )
    empty = InventoryLevel(id="", variant_id="", location_id="")
    usual = await read_low_stock(session)
    return [_row(product, variant, empty, usual) for product, variant in (await session.execute(query)).all()]


async def stock_row(session: AsyncSession, actor: Actor, variant_id: str, location_id: str) -> StockRow:
    """One row.

    Raises:
        NotFound: there is no such variant, or none of it was ever stocked there.
    """
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id)
    found = (await session.execute(query.execution_options(populate_existing=True))).one_or_none()
    if found is None:
        raise NotFound(f"No units of variant {variant_id} are stocked at {location_id}")
    return _row(*found, await read_low_stock(session))


async def rows_now(session: AsyncSession, actor: Actor, rows: Sequence[StockRow]) -> list[StockRow]:
    """These rows as they are now, in their order; one that is gone stays as it was."""
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id.in_([row.variant_id for row in rows]))
    usual = await read_low_stock(session)
    found = {one.key: one for one in (_row(*level, usual) for level in (await session.execute(query)).all())}
    return [found.get(row.key, row) for row in rows]


async def _by_title(session: AsyncSession, text: str, cursor: str) -> StockPage:
    """A page by title. The toys come from the index of titles first: joined at once, all rows would be sorted."""
    toys, only, following = await _toys(session, text, MOST_ROWS, cursor)
    levels = _LEVELS.where(Product.id.in_(toys), *only)
    levels = levels.order_by(Product.title_key, Product.id, Variant.rank, InventoryLevel.id)
    usual = await read_low_stock(session)
    rows = [_row(*one, usual) for one in (await session.execute(levels)).all()]
    return StockPage(rows, following, await _locations(session))


async def _toys(
    session: AsyncSession, text: str, limit: int, cursor: str = ""
) -> tuple[list[str], list[ColumnElement[bool]], str]:
    """The products that the text means, which of their variants, and the cursor of the next page."""
    if (variant := await _named_variant(session, text)) is not None:
        return [variant.product_id], [Variant.id == variant.id], ""
    conditions = await conditions_of(session, ProductFilter(text))
    toys, following = await by_title(session, conditions, limit, cursor)
    return toys, [], following


async def _named_variant(session: AsyncSession, text: str) -> Variant | None:
    """The variant whose code it is, if it is one's."""
    return await variant_with_code(session, text.strip()) if text.strip() else None


async def _locations(session: AsyncSession) -> list[LocationView]:
    places = select(StockLocation.id, StockLocation.name).order_by(StockLocation.created_at, StockLocation.id)
    return [LocationView(*one) for one in (await session.execute(places)).all()]


async def _condition(session: AsyncSession, wanted: StockFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if (variant := await _named_variant(session, wanted.text)) is not None:
        conditions = [Variant.id == variant.id]
    elif wanted.text.strip():
        conditions = await conditions_of(session, ProductFilter(wanted.text))
    if wanted.only == OUT:
        return [*conditions, planned_for(0) >= FREE_UNITS]
    most = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
    usual = await read_low_stock(session)
    is_low = func.coalesce(Product.low_stock_at, usual) >= FREE_UNITS
    return [*conditions, planned_for(max(most or 0, usual)) >= FREE_UNITS, is_low]


def _row(product: Product, variant: Variant, level: InventoryLevel, usual: int) -> StockRow:
    low_at = usual if product.low_stock_at is None else product.low_stock_at
    free = level.stocked - level.reserved
    return StockRow(
        key=f"{variant.id}{SEPARATOR}{level.location_id}",
        variant_id=variant.id,
        product_id=product.id,
        location_id=level.location_id,
        title=product.title,
        detail=" · ".join(filter(None, (variant_name(variant.title), variant.sku, variant.ean))),
        picture=picture_address(product.thumbnail or ""),
        stocked=level.stocked,
        reserved=level.reserved,
        free=free,
        low_at=low_at,
        is_low=free <= low_at,
    )


def _place(cursor: str) -> tuple[int, str]:
    free, _separator, level_id = cursor.rpartition(SEPARATOR)
    try:
        return int(free), level_id
    except ValueError:
        raise InvalidData("The cursor is none of ours") from None
