"""Differences between the shop's current values and the values in a spreadsheet's row.

The exports in the import format are built from the same current values, so importing an unchanged export changes
nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.columns import (
    ID_CELLS,
    ID_COLUMNS,
    OPTION_CELLS,
    OPTIONS,
    PRODUCT_CELLS,
    VARIANT_CELLS,
    VARIANT_PICTURES,
)
from backend.catalog.models import (
    Category,
    Collection,
    Picture,
    Product,
    ProductCategory,
    Variant,
    VariantOptionValue,
)
from backend.catalog.products.options import read_named_values
from backend.catalog.products.tags_and_types import TagsAndType, read_tags_and_types
from backend.catalog.redirects.service import read_addresses
from backend.catalog.schemas.cell_parsers import normalize_name
from backend.catalog.schemas.cell_words import join_list
from backend.imports.picture_matching import Album
from backend.inventory.models import InventoryLevel

Values = Mapping[str, Any]
"""Values by column, as in `backend.catalog.importer.row_reader.Row`."""
RESERVED = "reserved"
"""Key of the number of reserved units at the location. It is not a column."""
TYPE_ID = "type_id"
"""Key of the id of the product's type. It is not a column."""
NO_STOCK: tuple[int | None, int] = (None, 0)


async def read_current_values(
    session: AsyncSession, pairs: Sequence[tuple[Product, Variant | None]], location_id: str
) -> list[Values]:
    """Return the current values of these products and variants, in the given order.

    The stock is the number of units at the location.
    """
    product_ids = {product.id for product, _variant in pairs}
    variant_ids = {variant.id for _product, variant in pairs if variant is not None}
    categories: dict[str, list[str]] = defaultdict(list)
    placed = (
        select(ProductCategory.product_id, Category.handle)
        .join(Category, Category.id == ProductCategory.category_id)
        .where(ProductCategory.product_id.in_(product_ids))
        .order_by(Category.handle)
    )
    for product_id, handle in await session.execute(placed):
        categories[product_id].append(handle)
    pictures: dict[str, list[str]] = defaultdict(list)
    pictured = select(Picture.product_id, Picture.url, Picture.value_id).where(
        Picture.product_id.in_(product_ids)
    )
    of_values: dict[str, list[str]] = defaultdict(list)
    for product_id, url, value_id in await session.execute(pictured.order_by(Picture.rank)):
        pictures[product_id].append(url)
        if value_id is not None:
            of_values[value_id].append(url)
    value_ids = await _read_value_ids(session, variant_ids) if of_values else {}
    levels = select(InventoryLevel.variant_id, InventoryLevel.stocked, InventoryLevel.reserved).where(
        InventoryLevel.variant_id.in_(variant_ids), InventoryLevel.location_id == location_id
    )
    stock = {
        variant_id: (stocked, reserved) for variant_id, stocked, reserved in await session.execute(levels)
    }
    siblings: dict[str, list[Variant]] = defaultdict(list)
    of_these = select(Variant).where(Variant.product_id.in_(product_ids))
    for one in (await session.execute(of_these.order_by(Variant.rank, Variant.id))).scalars():
        siblings[one.product_id].append(one)
    options = await read_named_values(session, siblings)
    words = await read_tags_and_types(session, sorted(product_ids))
    addresses = await read_addresses(session, sorted(product_ids))
    named = select(Collection.id, Collection.handle)
    collections = dict((await session.execute(named)).all())
    return [
        {
            **{name: getattr(product, name) for name in PRODUCT_CELLS},
            **{name: getattr(variant, name) for name in VARIANT_CELLS if variant is not None},
            "categories": tuple(categories[product.id]),
            "collection": collections.get(product.collection_id or ""),
            "stock": stock.get(variant.id, NO_STOCK)[0] if variant is not None else None,
            RESERVED: stock.get(variant.id, NO_STOCK)[1] if variant is not None else 0,
            "pictures": tuple(pictures[product.id]),
            VARIANT_PICTURES: tuple(
                url for value_id in value_ids.get(variant.id, ()) for url in of_values.get(value_id, ())
            )
            if variant is not None
            else (),
            "old_addresses": tuple(addresses.get(product.id, ())),
            **_tag_values(words.get(product.id, TagsAndType())),
            "variant_title": variant.title if variant is not None else None,
            OPTIONS: tuple(options.get(variant.id, {}).items()) if variant is not None else (),
        }
        for product, variant in pairs
    ]


async def _read_value_ids(session: AsyncSession, variant_ids: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids of the option values of each variant."""
    query = select(VariantOptionValue.variant_id, VariantOptionValue.value_id).where(
        VariantOptionValue.variant_id.in_(variant_ids)
    )
    found: dict[str, list[str]] = defaultdict(list)
    for variant_id, value_id in await session.execute(query.order_by(VariantOptionValue.value_id)):
        found[variant_id].append(value_id)
    return found


def _tag_values(words: TagsAndType) -> Values:
    return {
        "tags": tuple(tag["value"] for tag in words.tags),
        "type": words.type["value"] if words.type else None,
        TYPE_ID: words.type["id"] if words.type else None,
    }


def find_changes(row: Values, now: Values, album: Album, places: ProductGroups) -> dict[str, tuple[Any, Any]]:
    """Return the value before and after for each column that the row would change.

    Categories and collections are compared by their handles, pictures by their URLs. A picture that must still be
    downloaded counts as a change.
    """
    changes: dict[str, tuple[Any, Any]] = {}
    for column, row_value in row.items():
        if column in ID_CELLS or (column == "type" and row_value == now.get(TYPE_ID)):
            continue
        before, after = _normalize_pair(column, now.get(column), row_value, album, places)
        if before != after and not (before is None and after == ""):
            changes[column] = (before, after)
    return changes


def _normalize_pair(
    column: str, before: Any, row_value: Any, album: Album, places: ProductGroups
) -> tuple[Any, Any]:
    """Return the shop's value and the row's value, converted so that they are equal if they mean the same."""
    after = row_value
    if column == "categories":
        before, after = (
            _sort_unique(before),
            _sort_unique(map(places.categories.find_group_handle, row_value)),
        )
    elif column == "collection":
        after = places.collections.find_group_handle(row_value) if row_value else None
    elif column == "pictures":
        found = [(name, album.find(name)) for name in row_value]
        before = tuple(before or ())
        after = tuple(prepared.url if prepared else name for name, prepared in found)
    elif column == VARIANT_PICTURES:
        found = [(name, album.find(name)) for name in row_value]
        before, after = _find_added(before, [prepared.url if prepared else name for name, prepared in found])
    elif column == "old_addresses":
        before, after = _find_added(before, row_value)
    elif column == "tags":
        before, after = _sort_unique(before), _sort_unique(row_value)
    elif column == OPTIONS:
        is_same = dict(row_value) == {
            normalize_name(title): normalize_name(value) for title, value in before or ()
        }
        after = before if is_same else row_value
    elif isinstance(row_value, str) and isinstance(before, str):
        # spreadsheets use different line ends, and a space at the end is invisible
        before, after = _normalize_text(before), _normalize_text(row_value)
    return before, after


def _find_added(before: Iterable[str] | None, given: Iterable[str]) -> tuple[None, tuple[str, ...] | None]:
    """Return the values before and after for a column to which an import only adds values.

    The value before is always None. The value after has the added values; None if there are none.
    """
    return None, tuple(sorted(set(given) - set(before or ()))) or None


def _sort_unique(words: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(sorted(set(words or ())))


def select_changed(row: Values, changes: Mapping[str, object]) -> dict[str, Any]:
    """Return the row without unchanged values, so that concurrent changes of other columns are not overwritten."""
    named = {*ID_COLUMNS, *changes}
    return {name: value for name, value in row.items() if name in named or name not in COMPARED_COLUMNS}


def format_cell(column: str, value: Any) -> object:
    """Return a value as the content of a cell: a number or a text. Parsing it gives the same value again."""
    if value is None:
        return ""
    if column in ("featured", "is_free", "tax_excluded"):
        return "sí" if value else "no"
    if column == "status":
        return {"published": "publicado", "draft": "oculto"}.get(value, "")
    if column == OPTIONS:
        return " · ".join(f"{title}: {text}" for title, text in value)
    if isinstance(value, tuple):
        return join_list(value)
    return value


def format_option_cells(value: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return a variant's options and values as cells; empty if there are too many for a file's columns."""
    if len(value) > len(OPTION_CELLS) // 2:
        return {}
    return dict(zip(OPTION_CELLS, (text for pair in value for text in pair), strict=False))


def _normalize_text(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


COMPARED_COLUMNS = frozenset(
    {
        *PRODUCT_CELLS, *VARIANT_CELLS, "categories", "collection", "stock", "pictures", VARIANT_PICTURES,
        "old_addresses", "tags", "type", "variant_title", OPTIONS,
    }
)  # fmt: skip
"""Columns whose values are compared. Any other column is always written."""
