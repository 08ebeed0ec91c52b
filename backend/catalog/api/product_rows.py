"""Rows of products with their parts (variants, pictures, options, tags…), read in one SQL statement.

The database returns the parts of each product as JSON (`backend.core.db.json_rows`). One statement for each kind of
part would take twice as long, mostly in Python.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Row, Select, func, literal_column, null, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    WRAPPING_SKU,
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    ProductHasTag,
    ProductHasType,
    ProductOption,
    ProductOptionValue,
    ProductTag,
    ProductType,
    Variant,
    VariantOptionValue,
)
from backend.core.db.json_rows import JsonRows, json_rows, parse_rows
from backend.core.db.tables import JsonObject, table_of
from backend.inventory.models import InventoryLevel


class ProductScope(StrEnum):
    """Filter of the products by status."""

    ALL = "all"
    KEPT = "kept"
    """Products that are not deleted."""
    FOR_SALE = "for sale"


class ProductPart(StrEnum):
    """A part of a product that is read in addition to its own columns."""

    VARIANTS = "variants"
    UNITS = "units"
    """Number of units of each variant that can be sold."""
    OPTIONS = "options"
    PICTURES = "pictures"
    TAGS = "tags"
    TYPE = "type"
    COLLECTION = "collection"
    CATEGORIES = "categories"
    METADATA = "extra_metadata"


class VariantRow(NamedTuple):
    """Row of a variant. `units` is None if they were not requested."""

    id: str
    title: str
    sku: str | None
    ean: str | None
    price: int
    compare_at_price: int | None
    cost: int | None
    thumbnail: str | None
    rank: int
    is_free: bool
    """A Boolean; SQLite returns 0 or 1."""
    created_at: str
    updated_at: str
    units: int | None

    @property
    def has_price(self) -> bool:
        """True if the variant can be sold at its price: see `backend.catalog.models.has_price`."""
        return self.price > 0 or bool(self.is_free) or self.sku == WRAPPING_SKU


class PictureRow(NamedTuple):
    """Row of a picture."""

    id: str
    url: str
    alt: str
    value_id: str | None
    rank: int
    created_at: str
    updated_at: str


class WordRow(NamedTuple):
    """Row of a tag or a type."""

    id: str
    value: str
    meta: JsonObject
    created_at: str
    updated_at: str


class CollectionRow(NamedTuple):
    """Row of a collection."""

    id: str
    title: str
    handle: str
    is_active: bool
    picture: str
    meta: JsonObject
    created_at: str
    updated_at: str


class CategoryRow(NamedTuple):
    """Row of a category."""

    id: str
    name: str
    description: str
    handle: str
    rank: int
    is_active: bool
    picture: str
    meta: JsonObject
    parent_id: str | None
    created_at: str
    updated_at: str


class ValueRow(NamedTuple):
    """Row of an option value."""

    id: str
    option_id: str
    value: str
    rank: int
    meta: JsonObject
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option with its values in order, and each variant's value by the variant's id."""

    id: str
    title: str
    meta: JsonObject
    created_at: str
    updated_at: str
    values: list[ValueRow]
    of_variants: dict[str, ValueRow]


_OPTION_COLUMNS = ("id", "title", "meta", "created_at", "updated_at")
_MOMENTS = frozenset({"created_at", "updated_at", "deleted_at"})
_PRODUCT, _VARIANT, _LEVEL = table_of(Product), table_of(Variant), table_of(InventoryLevel)
_OPTION, _VALUE, _VARIANT_VALUE = (
    table_of(ProductOption),
    table_of(ProductOptionValue),
    table_of(VariantOptionValue),
)


async def read_products(
    session: AsyncSession,
    ids: Sequence[str],
    parts: frozenset[ProductPart],
    scope: ProductScope = ProductScope.ALL,
) -> list[Row[Any]]:
    """Return the products with these ids, in this order. Unknown products and those that `scope` excludes are left out.

    A row has the product's columns, with dates and times as text in the API's format, and each part as JSON text
    for `parse_rows` or `options_from`. Pending changes of the session are flushed first.
    """
    if not ids:
        return []
    if session.new or session.dirty or session.deleted:
        await session.flush()
    dialect = session.get_bind().dialect.name
    unique_ids = list(dict.fromkeys(ids))
    statement = _build_select(dialect, parts, scope)
    rows = (await session.execute(statement, {"ids": json_rows(dialect).ids(unique_ids)})).all()
    found = {row.id: row for row in rows}
    return [found[product_id] for product_id in unique_ids if product_id in found]


def options_from(written: str | None) -> list[OptionRow]:
    """Parse the options that the database returned as JSON."""
    return parse_rows(_option_row, written)


def _option_row(*row: Any) -> OptionRow:
    *own, written, links = row
    values = [ValueRow(*value) for value in written]
    by_id = {value.id: value for value in values}
    return OptionRow(
        **dict(zip(_OPTION_COLUMNS, own, strict=True)),
        values=values,
        of_variants={variant_id: by_id[value_id] for variant_id, value_id in links},
    )


@cache
def _build_select(dialect: str, parts: frozenset[ProductPart], scope: ProductScope) -> Select[Any]:
    """Return the query for products with these parts, cached because building it takes longer than running it."""
    json = json_rows(dialect)
    columns = [
        json.moment(column).label(column.name) if column.name in _MOMENTS else column
        for column in _PRODUCT.columns
        if column.name != ProductPart.METADATA
    ]
    part_columns = {name: build(json) for name, build in _PARTS.items() if name in parts}
    if ProductPart.VARIANTS in parts:
        part_columns[ProductPart.VARIANTS] = _variants_column(json, with_units=ProductPart.UNITS in parts)
    columns += [
        part_columns.get(name, null()).label(name) for name in ProductPart if name is not ProductPart.UNITS
    ]
    query = select(*columns).where(json.is_one_of(_PRODUCT.c.id))
    if scope is not ProductScope.ALL:
        query = query.where(_PRODUCT.c.deleted_at.is_(None))
    if scope is ProductScope.FOR_SALE:
        query = query.where(_PRODUCT.c.status == literal_column("'published'"))
    return query


def _json_row(
    json: JsonRows, table: FromClause, names: Sequence[str], *more: ColumnElement[Any]
) -> Select[Any]:
    """Return a SELECT that writes each row of the table as JSON: the columns `names`, then the expressions `more`."""
    values = [
        json.moment(table.c[name])
        if name in _MOMENTS
        else json.json(table.c[name])
        if name == "meta"
        else table.c[name]
        for name in names
    ]
    return select(json.row(*values, *more)).select_from(table)


def _json_rows_of_product(json: JsonRows, query: Select[Any]) -> ColumnElement[Any]:
    return json.rows(query.correlate(_PRODUCT))


def _variants_column(json: JsonRows, *, with_units: bool) -> ColumnElement[Any]:
    units: ColumnElement[Any] = null()
    if with_units:
        sellable = _LEVEL.c.stocked + _LEVEL.c.incoming - _LEVEL.c.reserved
        in_stock = func.coalesce(func.sum(sellable), literal_column("0"))
        units = (
            select(in_stock).where(_LEVEL.c.variant_id == _VARIANT.c.id).correlate(_VARIANT).scalar_subquery()
        )
    query = _json_row(json, _VARIANT, VariantRow._fields[:-1], units).where(
        _VARIANT.c.product_id == _PRODUCT.c.id
    )
    return _json_rows_of_product(json, query.order_by(_VARIANT.c.rank, _VARIANT.c.id))


def _options_column(json: JsonRows) -> ColumnElement[Any]:
    own = _VALUE.c.option_id == _OPTION.c.id
    values = _json_row(json, _VALUE, ValueRow._fields).where(own).order_by(_VALUE.c.rank, _VALUE.c.id)
    links = (
        select(json.row(_VARIANT_VALUE.c.variant_id, _VARIANT_VALUE.c.value_id))
        .join_from(_VARIANT_VALUE, _VALUE, _VALUE.c.id == _VARIANT_VALUE.c.value_id)
        .where(own)
    )
    nested = (json.nested(part.correlate(_OPTION)) for part in (values, links))
    query = _json_row(json, _OPTION, _OPTION_COLUMNS, *nested).where(_OPTION.c.product_id == _PRODUCT.c.id)
    return _json_rows_of_product(json, query.order_by(_OPTION.c.rank, _OPTION.c.id))


def _pictures_column(json: JsonRows) -> ColumnElement[Any]:
    picture = table_of(Picture)
    query = _json_row(json, picture, PictureRow._fields).where(picture.c.product_id == _PRODUCT.c.id)
    return _json_rows_of_product(json, query.order_by(picture.c.rank))


def _tags_column(json: JsonRows) -> ColumnElement[Any]:
    tag, link = table_of(ProductTag), table_of(ProductHasTag)
    query = _json_row(json, tag, WordRow._fields).join(link, link.c.tag_id == tag.c.id)
    return _json_rows_of_product(json, query.where(link.c.product_id == _PRODUCT.c.id).order_by(tag.c.value))


def _type_column(json: JsonRows) -> ColumnElement[Any]:
    kind, link = table_of(ProductType), table_of(ProductHasType)
    query = _json_row(json, kind, WordRow._fields).join(link, link.c.type_id == kind.c.id)
    return _json_rows_of_product(json, query.where(link.c.product_id == _PRODUCT.c.id))


def _collection_column(json: JsonRows) -> ColumnElement[Any]:
    collection = table_of(Collection)
    return _json_rows_of_product(
        json,
        _json_row(json, collection, CollectionRow._fields).where(collection.c.id == _PRODUCT.c.collection_id),
    )


def _categories_column(json: JsonRows) -> ColumnElement[Any]:
    category, link = table_of(Category), table_of(ProductCategory)
    query = _json_row(json, category, CategoryRow._fields).join(link, link.c.category_id == category.c.id)
    query = query.where(link.c.product_id == _PRODUCT.c.id)
    return _json_rows_of_product(json, query.order_by(category.c.rank, category.c.name))


def _metadata_column(json: JsonRows) -> ColumnElement[Any]:
    return json.text(_PRODUCT.c.extra_metadata)


_PARTS: dict[ProductPart, Callable[[JsonRows], ColumnElement[Any]]] = {
    ProductPart.OPTIONS: _options_column,
    ProductPart.PICTURES: _pictures_column,
    ProductPart.TAGS: _tags_column,
    ProductPart.TYPE: _type_column,
    ProductPart.COLLECTION: _collection_column,
    ProductPart.CATEGORIES: _categories_column,
    ProductPart.METADATA: _metadata_column,
}
