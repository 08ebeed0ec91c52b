"""Bodega: what is stocked there, found by a code or by words, and what is running out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.search.staff_search import ProductFilter, by_title, conditions_of, variant_with_code
from backend.core.db.database import planned_for
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.inventory.models import FREE_UNITS, InventoryLevel
from backend.media.picture_urls import picture_address
from backend.office.listing import ListView, active_filters, read_asked
from backend.office_settings import read_low_stock
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

MOST_ROWS = 40
MOST_MATCHES = 6
"""Toys that a text may mean."""
MOST_CHOICES = 100
"""Variants of those toys: as many as one has."""
SEPARATOR = "|"
MAX_TEXT_LENGTH = 300
LOW, OUT = "low", "out"
ONLY = {LOW: _("Se están acabando"), OUT: _("Agotados")}
FIELDS = ("q", "only")


@dataclass(frozen=True, slots=True)
class StockRow:
    """Units of a variant at a location.

    Attributes:
        id: of this row among all: the variant's id and the location's.
        detail: its variant where there are several, and its code.
        free: units that can be sold.
        low_at: so many, or fewer, are few.
    """

    id: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StockPage(ListView):
    """Units by title, or the fewest first where few are asked for.

    Its fields are `FIELDS`: `q` is a code or words of a title, `only` is `low`, `out` or empty.
    """

    rows: list[StockRow]
    locations: list[LocationView] = field(default_factory=list)


_LEVELS: Select[Product, Variant, InventoryLevel] = (
    select(Product, Variant, InventoryLevel)
    .join(Variant, Variant.product_id == Product.id)
    .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .where(Product.deleted_at.is_(None))
)


async def stock_page(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> StockPage:
    """Return what is stocked where, for the values of `FIELDS`.

    Raises:
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_STOCK)
    kept = read_asked(asked, FIELDS, MAX_TEXT_LENGTH)
    if kept["only"] not in ONLY:
        rows, following = await _by_title(session, kept["q"], cursor)
    else:
        rows, following = await _by_units(session, kept["q"], kept["only"], cursor)
    return StockPage(
        rows=rows,
        cursor=following,
        asked=kept,
        active=active_filters(kept, (ONLY.get(kept["only"], ""), "only")),
        locations=await _locations(session),
    )


async def _by_units(session: AsyncSession, text: str, only: str, cursor: str) -> tuple[list[StockRow], str]:
    """Return a page with the fewest free units first, and the cursor of the next."""
    query = _LEVELS.where(*await _condition(session, text, only)).order_by(FREE_UNITS, InventoryLevel.id)
    if cursor:
        query = query.where(tuple_(FREE_UNITS, InventoryLevel.id) > _place(cursor))
    found = (await session.execute(query.limit(planned_for(MOST_ROWS + 1)))).all()
    usual = await read_low_stock(session)
    rows = [_row(*one, usual) for one in found[:MOST_ROWS]]
    following = ""
    if len(found) > MOST_ROWS:
        _product, _variant, level = found[MOST_ROWS - 1]
        following = f"{level.stocked - level.reserved}{SEPARATOR}{level.id}"
    return rows, following


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


async def rows_now(session: AsyncSession, actor: Actor, rows: Sequence[StockRow]) -> dict[str, StockRow]:
    """Return the rows of these variants as they are now, by their ids."""
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id.in_([row.variant_id for row in rows]))
    usual = await read_low_stock(session)
    return {one.id: one for one in (_row(*level, usual) for level in (await session.execute(query)).all())}


async def _by_title(session: AsyncSession, text: str, cursor: str) -> tuple[list[StockRow], str]:
    """Return a page by title, and the cursor of the next.

    The toys come from the index of titles first: joined at once, all rows would be sorted.
    """
    toys, only, following = await _toys(session, text, MOST_ROWS, cursor)
    levels = _LEVELS.where(Product.id.in_(toys), *only)
    levels = levels.order_by(Product.title_key, Product.id, Variant.rank, InventoryLevel.id)
    usual = await read_low_stock(session)
    return [_row(*one, usual) for one in (await session.execute(levels)).all()], following


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


async def _condition(session: AsyncSession, text: str, only: str) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if (variant := await _named_variant(session, text)) is not None:
        conditions = [Variant.id == variant.id]
    elif text.strip():
        conditions = await conditions_of(session, ProductFilter(text))
    if only == OUT:
        return [*conditions, planned_for(0) >= FREE_UNITS]
    most = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
    usual = await read_low_stock(session)
    is_low = func.coalesce(Product.low_stock_at, usual) >= FREE_UNITS
    return [*conditions, planned_for(max(most or 0, usual)) >= FREE_UNITS, is_low]


def _row(product: Product, variant: Variant, level: InventoryLevel, usual: int) -> StockRow:
    low_at = usual if product.low_stock_at is None else product.low_stock_at
    free = level.stocked - level.reserved
    return StockRow(
        id=f"{variant.id}{SEPARATOR}{level.location_id}",
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
