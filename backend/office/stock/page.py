"""The stock screen: a search for stocked units by code or words, and variants with low stock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.search.staff_search import (
    ProductFilter,
    filter_conditions,
    list_by_title,
    variant_with_code,
)
from backend.core.db.database import planned_literal
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.inventory.models import FREE_UNITS, InventoryLevel
from backend.media.picture_urls import encode_picture_url
from backend.office.listing import ListView, active_filters, read_filters
from backend.office_settings import read_low_stock
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right

PAGE_SIZE = 40
MAX_MATCHES = 6
"""Maximum number of products in the results of a search."""
MAX_CHOICES = 100
"""Maximum number of variants in the results of a search. A single product can have this many."""
SEPARATOR = "|"
MAX_TEXT_LENGTH = 300
LOW, OUT = "low", "out"
ONLY = {LOW: _("Se están acabando"), OUT: _("Agotados")}
FIELDS = ("q", "only")


@dataclass(frozen=True, slots=True)
class StockRow:
    """Units of a variant at a location.

    Attributes:
        id: the variant's id and the location's id.
        detail: the variant's name if the product has several variants, and its codes.
        free: units that can be sold.
        low_at: the number of units at or below which the stock is low.
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
    """A stock location."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StockPage(ListView):
    """A page of stocked units, sorted by product title or, with the filter `only`, by their number of free units.

    Its filters are `FIELDS`: `q` is a code or words of a title, `only` is `low`, `out` or empty.
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
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> StockPage:
    """Return a page of stocked units that match the filters `FIELDS`.

    Raises:
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_STOCK)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    if filters["only"] not in ONLY:
        rows, following = await _page_by_title(session, filters["q"], cursor)
    else:
        rows, following = await _page_by_units(session, filters["q"], filters["only"], cursor)
    return StockPage(
        rows=rows,
        cursor=following,
        filters=filters,
        active=active_filters(filters, (ONLY.get(filters["only"], ""), "only")),
        locations=await _locations(session),
    )


async def _page_by_units(
    session: AsyncSession, text: str, only: str, cursor: str
) -> tuple[list[StockRow], str]:
    """Return a page of stock rows, the fewest free units first, and the cursor of the next page."""
    query = _LEVELS.where(*await _filter_conditions(session, text, only)).order_by(
        FREE_UNITS, InventoryLevel.id
    )
    if cursor:
        query = query.where(tuple_(FREE_UNITS, InventoryLevel.id) > _parse_cursor(cursor))
    found = (await session.execute(query.limit(planned_literal(PAGE_SIZE + 1)))).all()
    usual = await read_low_stock(session)
    rows = [_stock_row(*one, usual) for one in found[:PAGE_SIZE]]
    following = ""
    if len(found) > PAGE_SIZE:
        _product, _variant, level = found[PAGE_SIZE - 1]
        following = f"{level.stocked - level.reserved}{SEPARATOR}{level.id}"
    return rows, following


async def find_variants(session: AsyncSession, actor: Actor, text: str) -> list[StockRow]:
    """Return the variant with the code `text`, else the variants of the first products that match `text`."""
    actor.require(Right.READ_STOCK)
    if not text.strip():
        return []
    product_ids, only, _cursor = await _find_products(session, text, MAX_MATCHES)
    query = (
        select(Product, Variant)
        .join(Variant, Variant.product_id == Product.id)
        .where(Product.id.in_(product_ids), *only)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MAX_CHOICES)
    )
    empty = InventoryLevel(id="", variant_id="", location_id="")
    usual = await read_low_stock(session)
    return [
        _stock_row(product, variant, empty, usual)
        for product, variant in (await session.execute(query)).all()
    ]


async def stock_row(session: AsyncSession, actor: Actor, variant_id: str, location_id: str) -> StockRow:
    """Return the units of the variant at the location.

    Raises:
        NotFound: the variant does not exist, or was never stocked at the location.
    """
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id)
    found = (await session.execute(query.execution_options(populate_existing=True))).one_or_none()
    if found is None:
        raise NotFound(f"No units of variant {variant_id} are stocked at {location_id}")
    return _stock_row(*found, await read_low_stock(session))


async def read_stock_rows(
    session: AsyncSession, actor: Actor, rows: Sequence[StockRow]
) -> dict[str, StockRow]:
    """Read the variants of these rows again. Return their current rows at all locations, by row id."""
    actor.require(Right.READ_STOCK)
    query = _LEVELS.where(InventoryLevel.variant_id.in_([row.variant_id for row in rows]))
    usual = await read_low_stock(session)
    return {
        one.id: one for one in (_stock_row(*level, usual) for level in (await session.execute(query)).all())
    }


async def _page_by_title(session: AsyncSession, text: str, cursor: str) -> tuple[list[StockRow], str]:
    """Return a page of stock rows sorted by title, and the cursor of the next page.

    The products are read first, from the index of titles. With a single join, the database would sort all rows.
    """
    product_ids, only, following = await _find_products(session, text, PAGE_SIZE, cursor)
    levels = _LEVELS.where(Product.id.in_(product_ids), *only)
    levels = levels.order_by(Product.title_key, Product.id, Variant.rank, InventoryLevel.id)
    usual = await read_low_stock(session)
    return [_stock_row(*one, usual) for one in (await session.execute(levels)).all()], following


async def _find_products(
    session: AsyncSession, text: str, limit: int, cursor: str = ""
) -> tuple[list[str], list[ColumnElement[bool]], str]:
    """Return the ids of the products that match `text`, and the cursor of the next page.

    If `text` is a variant's code, also return an SQL condition that selects only this variant.
    """
    if (variant := await _find_variant(session, text)) is not None:
        return [variant.product_id], [Variant.id == variant.id], ""
    conditions = await filter_conditions(session, ProductFilter(text))
    product_ids, following = await list_by_title(session, conditions, limit, cursor)
    return product_ids, [], following


async def _find_variant(session: AsyncSession, text: str) -> Variant | None:
    """Return the variant with this code; None if there is none."""
    return await variant_with_code(session, text.strip()) if text.strip() else None


async def _locations(session: AsyncSession) -> list[LocationView]:
    places = select(StockLocation.id, StockLocation.name).order_by(StockLocation.created_at, StockLocation.id)
    return [LocationView(*one) for one in (await session.execute(places)).all()]


async def _filter_conditions(session: AsyncSession, text: str, only: str) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if (variant := await _find_variant(session, text)) is not None:
        conditions = [Variant.id == variant.id]
    elif text.strip():
        conditions = await filter_conditions(session, ProductFilter(text))
    if only == OUT:
        return [*conditions, planned_literal(0) >= FREE_UNITS]
    most = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
    usual = await read_low_stock(session)
    is_low = func.coalesce(Product.low_stock_at, usual) >= FREE_UNITS
    return [*conditions, planned_literal(max(most or 0, usual)) >= FREE_UNITS, is_low]


def _stock_row(product: Product, variant: Variant, level: InventoryLevel, usual: int) -> StockRow:
    low_at = usual if product.low_stock_at is None else product.low_stock_at
    return StockRow(
        id=f"{variant.id}{SEPARATOR}{level.location_id}",
        variant_id=variant.id,
        product_id=product.id,
        location_id=level.location_id,
        title=product.title,
        detail=" · ".join(filter(None, (variant_name(variant.title), variant.sku, variant.ean))),
        picture=encode_picture_url(variant.thumbnail or product.thumbnail or ""),
        stocked=level.stocked,
        reserved=level.reserved,
        free=level.unreserved,
        low_at=low_at,
        is_low=level.unreserved <= low_at,
    )


def _parse_cursor(cursor: str) -> tuple[int, str]:
    free, _separator, level_id = cursor.rpartition(SEPARATOR)
    try:
        return int(free), level_id
    except ValueError:
        raise InvalidData("The cursor is invalid") from None
