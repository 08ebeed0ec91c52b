"""What a row of a sheet would change: the shop's values beside the row's. Files of the shop's own are made of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.categories import Places
from backend.catalog.importer.columns import (
    ID_CELLS,
    NAMES,
    OPTION_CELLS,
    OPTIONS,
    PRODUCT_CELLS,
    VARIANT_CELLS,
)
from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from backend.catalog.products.options import named_values
from backend.catalog.products.tags_and_types import Words, words_of
from backend.catalog.schemas.cell_parsers import plain
from backend.imports.picture_matching import Album
from backend.inventory.models import InventoryLevel

Values = Mapping[str, Any]
"""By column, a value as `backend.catalog.importer.row_reader.Row` has it."""
RESERVED = "reserved"
"""Not a column: how many of the units at the location are reserved."""
NOTHING: tuple[int | None, int] = (None, 0)


async def values_now(
    session: AsyncSession, pairs: Sequence[tuple[Product, Variant | None]], location_id: str
) -> list[Values]:
    """The values that the shop has of these products and variants, in their order; stock is that of the location."""
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
    pictured = select(Picture.product_id, Picture.url).where(Picture.product_id.in_(product_ids))
    for product_id, url in await session.execute(pictured.order_by(Picture.rank)):
        pictures[product_id].append(url)
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
    options = await named_values(session, siblings)
    words = await words_of(session, sorted(product_ids))
    named = select(Collection.id, Collection.handle)
    collections = dict((await session.execute(named)).all())
    return [
        {
            **{name: getattr(product, name) for name in PRODUCT_CELLS},
            **{name: getattr(variant, name) for name in VARIANT_CELLS if variant is not None},
            "categories": tuple(categories[product.id]),
            "collection": collections.get(product.collection_id or ""),
            "stock": stock.get(variant.id, NOTHING)[0] if variant is not None else None,
            RESERVED: stock.get(variant.id, NOTHING)[1] if variant is not None else 0,
            "pictures": tuple(pictures[product.id]),
            **_words(words.get(product.id, Words())),
            "variant_title": variant.title if variant is not None else None,
            OPTIONS: tuple(options.get(variant.id, {}).items()) if variant is not None else (),
        }
        for product, variant in pairs
    ]


def _words(words: Words) -> Values:
    return {
        "tags": tuple(tag["value"] for tag in words.tags),
        "type": words.type["id"] if words.type else None,
    }


def changes_of(row: Values, now: Values, album: Album, places: Places) -> dict[str, tuple[Any, Any]]:
    """By column, what the row changes: the value before, and after. Of places and pictures, what they come to.

    A picture that has still to be fetched counts as another one.
    """
    changes: dict[str, tuple[Any, Any]] = {}
    for column, said in row.items():
        if column in ID_CELLS:
            continue
        before, after = _compared(column, now.get(column), said, album, places)
        if before != after and not (before is None and after == ""):
            changes[column] = (before, after)
    return changes


def _compared(column: str, before: Any, said: Any, album: Album, places: Places) -> tuple[Any, Any]:
    """The shop's value and the row's, equal where they mean the same."""
    after = said
    if column == "categories":
        before, after = _sorted(before), _sorted(map(places.categories.handle_of, said))
    elif column == "collection":
        after = places.collections.handle_of(said) if said else None
    elif column == "pictures":
        found = [(name, album.find(name)) for name in said]
        before = tuple(before or ())
        after = tuple(prepared.url if prepared else name for name, prepared in found)
    elif column == "tags":
        before, after = _sorted(before), _sorted(said)
    elif column == OPTIONS:
        is_same = dict(said) == {plain(title): plain(value) for title, value in before or ()}
        after = before if is_same else said
    elif isinstance(said, str) and isinstance(before, str):
        # spreadsheets end lines in their own way, and nobody sees a space at the end
        before, after = _plain(before), _plain(said)
    return before, after


def _sorted(words: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(sorted(set(words or ())))


def only_changed(row: Values, changes: Mapping[str, object]) -> dict[str, Any]:
    """The row without what stays as it is, so that what somebody changes meanwhile is left alone."""
    named = {*NAMES, *changes}
    return {name: value for name, value in row.items() if name in named or name not in COMPARED}


def cell_of(column: str, value: Any) -> object:
    """A value as it stands in the cell of a file: a number, or a text. It is read back as the same value."""
    if value is None:
        return ""
    if column in ("featured", "is_free"):
        return "sí" if value else "no"
    if column == "status":
        return {"published": "publicado", "draft": "oculto"}.get(value, "")
    if column == OPTIONS:
        return " · ".join(f"{title}: {text}" for title, text in value)
    if isinstance(value, tuple):
        return "|".join(value)
    return value


def option_cells(value: Sequence[tuple[str, str]]) -> dict[str, str]:
    """A variant's options and values in the columns of a file; none where it has more of them than a file."""
    if len(value) > len(OPTION_CELLS) // 2:
        return {}
    return dict(zip(OPTION_CELLS, (text for pair in value for text in pair), strict=False))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


COMPARED = frozenset(
    {
        *PRODUCT_CELLS, *VARIANT_CELLS, "categories", "collection", "stock", "pictures", "tags", "type",
        "variant_title", OPTIONS,
    }
)  # fmt: skip
"""The columns that are compared. One that is not is always written."""
