"""Products with their parts, read in one statement: variants, pictures, options, tags, type, collection, categories.

The database writes the parts of each product as JSON (`backend.core.db.json_rows`). Reading them by a statement for
each kind of part takes twice as long, nearly all of it in Python.
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
from backend.core.db.json_rows import JsonRows, json_rows, rows_from
from backend.core.db.tables import JsonObject, table_of
from backend.inventory.models import InventoryLevel


class Among(StrEnum):
    """Which products count."""

    ALL = "all"
    KEPT = "kept"
    """Those that are not deleted."""
    FOR_SALE = "for sale"


class Part(StrEnum):
    """What may be read beside a product's own columns."""

    VARIANTS = "variants"
    UNITS = "units"
    """Of the variants: how many can be sold."""
    OPTIONS = "options"
    PICTURES = "pictures"
    TAGS = "tags"
    TYPE = "type"
    COLLECTION = "collection"
    CATEGORIES = "categories"
    METADATA = "extra_metadata"


class VariantRow(NamedTuple):
    """A variant. `units` is None where they were not asked for."""

    id: str
    title: str
    sku: str | None
    ean: str | None
    price: int
    compare_at_price: int | None
    rank: int
    is_free: bool
    """0 or 1 on SQLite."""
    created_at: str
    updated_at: str
    units: int | None

    @property
    def has_price(self) -> bool:
        """True if the variant can be sold at its price: see `backend.catalog.models.has_price`."""
        return self.price > 0 or bool(self.is_free) or self.sku == WRAPPING_SKU


class PictureRow(NamedTuple):
    """A picture."""

    id: str
    url: str
    alt: str
    rank: int
    created_at: str
    updated_at: str


class WordRow(NamedTuple):
    """A tag or a type."""

    id: str
    value: str
    meta: JsonObject
    created_at: str
    updated_at: str


class CollectionRow(NamedTuple):
    """A collection."""

    id: str
    title: str
    handle: str
    meta: JsonObject
    created_at: str
    updated_at: str


class CategoryRow(NamedTuple):
    """A category."""

    id: str
    name: str
    description: str
    handle: str
    rank: int
    meta: JsonObject
    parent_id: str | None
    created_at: str
    updated_at: str


class ValueRow(NamedTuple):
    """A value of an option."""

    id: str
    option_id: str
    value: str
    rank: int
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option with its values in their order, and the value that each variant has."""

    id: str
    title: str
    meta: JsonObject
    created_at: str
    updated_at: str
    values: list[ValueRow]
    of_variants: dict[str, ValueRow]


_OF_OPTION = ("id", "title", "meta", "created_at", "updated_at")
_MOMENTS = frozenset({"created_at", "updated_at", "deleted_at"})
_PRODUCT, _VARIANT, _LEVEL = table_of(Product), table_of(Variant), table_of(InventoryLevel)
_OPTION, _VALUE, _LINK = table_of(ProductOption), table_of(ProductOptionValue), table_of(VariantOptionValue)


async def read_products(
    session: AsyncSession, ids: Sequence[str], parts: frozenset[Part], among: Among = Among.ALL
) -> list[Row[Any]]:
    """The products with these ids, in this order; those that do not count, or are unknown, are left out.

    A row has a product's columns, moments as the wire has them, and each part for `rows_from` or `options_from`.
    What the session has not written yet is written first.
    """
    if not ids:
        return []
    if session.new or session.dirty or session.deleted:
        await session.flush()
    dialect = session.get_bind().dialect.name
    wanted = list(dict.fromkeys(ids))
    statement = _statement(dialect, parts, among)
    rows = (await session.execute(statement, {"ids": json_rows(dialect).ids(wanted)})).all()
    found = {row.id: row for row in rows}
    return [found[product_id] for product_id in wanted if product_id in found]


def options_from(written: str | None) -> list[OptionRow]:
    """The options that the database wrote."""
    return rows_from(_option, written)


def _option(*row: Any) -> OptionRow:
    *own, written, links = row
    values = [ValueRow(*value) for value in written]
    by_id = {value.id: value for value in values}
    return OptionRow(
        **dict(zip(_OF_OPTION, own, strict=True)),
        values=values,
        of_variants={variant_id: by_id[value_id] for variant_id, value_id in links},
    )


@cache
def _statement(dialect: str, parts: frozenset[Part], among: Among) -> Select[Any]:
    """Built once: building it takes longer than running it."""
    json = json_rows(dialect)
    columns = [
        json.moment(column).label(column.name) if column.name in _MOMENTS else column
        for column in _PRODUCT.columns
        if column.name != Part.METADATA
    ]
    built = {name: build(json) for name, build in _PARTS.items() if name in parts}
    if Part.VARIANTS in parts:
        built[Part.VARIANTS] = _variants(json, with_units=Part.UNITS in parts)
    columns += [built.get(name, null()).label(name) for name in Part if name is not Part.UNITS]
    query = select(*columns).where(json.is_one_of(_PRODUCT.c.id))
    if among is not Among.ALL:
        query = query.where(_PRODUCT.c.deleted_at.is_(None))
    if among is Among.FOR_SALE:
        query = query.where(_PRODUCT.c.status == literal_column("'published'"))
    return query


def _row(json: JsonRows, table: FromClause, names: Sequence[str], *more: ColumnElement[Any]) -> Select[Any]:
    """What writes rows of the table: of the columns with these names, and `more`."""
    values = [
        json.moment(table.c[name])
        if name in _MOMENTS
        else json.json(table.c[name])
        if name == "meta"
        else table.c[name]
        for name in names
    ]
    return select(json.row(*values, *more)).select_from(table)


def _of_products(json: JsonRows, query: Select[Any]) -> ColumnElement[Any]:
    return json.rows(query.correlate(_PRODUCT))


def _variants(json: JsonRows, *, with_units: bool) -> ColumnElement[Any]:
    units: ColumnElement[Any] = null()
    if with_units:
        in_stock = func.coalesce(func.sum(_LEVEL.c.stocked - _LEVEL.c.reserved), literal_column("0"))
        units = (
            select(in_stock).where(_LEVEL.c.variant_id == _VARIANT.c.id).correlate(_VARIANT).scalar_subquery()
        )
    query = _row(json, _VARIANT, VariantRow._fields[:-1], units).where(_VARIANT.c.product_id == _PRODUCT.c.id)
    return _of_products(json, query.order_by(_VARIANT.c.rank, _VARIANT.c.id))


def _options(json: JsonRows) -> ColumnElement[Any]:
    own = _VALUE.c.option_id == _OPTION.c.id
    values = _row(json, _VALUE, ValueRow._fields).where(own).order_by(_VALUE.c.rank, _VALUE.c.id)
    links = (
        select(json.row(_LINK.c.variant_id, _LINK.c.value_id))
        .join_from(_LINK, _VALUE, _VALUE.c.id == _LINK.c.value_id)
        .where(own)
    )
    nested = (json.nested(part.correlate(_OPTION)) for part in (values, links))
    query = _row(json, _OPTION, _OF_OPTION, *nested).where(_OPTION.c.product_id == _PRODUCT.c.id)
    return _of_products(json, query.order_by(_OPTION.c.rank, _OPTION.c.id))


def _pictures(json: JsonRows) -> ColumnElement[Any]:
    picture = table_of(Picture)
    query = _row(json, picture, PictureRow._fields).where(picture.c.product_id == _PRODUCT.c.id)
    return _of_products(json, query.order_by(picture.c.rank))


def _tags(json: JsonRows) -> ColumnElement[Any]:
    tag, link = table_of(ProductTag), table_of(ProductHasTag)
    query = _row(json, tag, WordRow._fields).join(link, link.c.tag_id == tag.c.id)
    return _of_products(json, query.where(link.c.product_id == _PRODUCT.c.id).order_by(tag.c.value))


def _type(json: JsonRows) -> ColumnElement[Any]:
    kind, link = table_of(ProductType), table_of(ProductHasType)
    query = _row(json, kind, WordRow._fields).join(link, link.c.type_id == kind.c.id)
    return _of_products(json, query.where(link.c.product_id == _PRODUCT.c.id))


def _collection(json: JsonRows) -> ColumnElement[Any]:
    collection = table_of(Collection)
    return _of_products(
        json, _row(json, collection, CollectionRow._fields).where(collection.c.id == _PRODUCT.c.collection_id)
    )


def _categories(json: JsonRows) -> ColumnElement[Any]:
    category, link = table_of(Category), table_of(ProductCategory)
    query = _row(json, category, CategoryRow._fields).join(link, link.c.category_id == category.c.id)
    query = query.where(link.c.product_id == _PRODUCT.c.id)
    return _of_products(json, query.order_by(category.c.rank, category.c.name))


def _metadata(json: JsonRows) -> ColumnElement[Any]:
    return json.text(_PRODUCT.c.extra_metadata)


_PARTS: dict[Part, Callable[[JsonRows], ColumnElement[Any]]] = {
    Part.OPTIONS: _options,
    Part.PICTURES: _pictures,
    Part.TAGS: _tags,
    Part.TYPE: _type,
    Part.COLLECTION: _collection,
    Part.CATEGORIES: _categories,
    Part.METADATA: _metadata,
}
