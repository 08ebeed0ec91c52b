"""Product feed of Google Merchant Center; feeds for other channels have the same attributes."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from backend.catalog.importer.columns import VARIANT_PICTURES
from backend.catalog.importer.formats.conversion import (
    Cells,
    Draft,
    build_source_file,
    join_addresses,
    join_list,
    join_old_addresses,
    name_repeated_titles,
    split_commas,
)
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.row_reader import Note
from backend.catalog.importer.tables.models import Table, TableRow
from backend.core import clock

_ATTRIBUTES: Mapping[str, Sequence[str]] = {
    "id": ("id",),
    "title": ("title", "titulo"),
    "description": ("description", "descripcion"),
    "address": ("link", "enlace", "canonical link"),
    "picture": ("image link", "enlace imagen", "enlace de imagen"),
    "pictures": ("additional image link", "enlace imagen adicional", "enlace de imagen adicional"),
    "price": ("price", "precio"),
    "sale_price": ("sale price", "precio oferta", "precio de oferta"),
    "sale_days": (
        "sale price effective date",
        "fecha efectiva precio oferta",
        "fecha vigencia precio oferta",
    ),
    "brand": ("brand", "marca"),
    "gtin": ("gtin",),
    "category": ("product type", "tipo producto", "tipo de producto", "categoria"),
    "stock": ("quantity", "inventory", "quantity to sell on facebook", "cantidad"),
    "group": ("item group id", "identificador grupo articulos", "id grupo articulos"),
    "color": ("color",),
    "size": ("size", "talla"),
    "pattern": ("pattern", "estampado"),
    "material": ("material",),
    "weight": ("shipping weight", "product weight", "peso envio", "peso del envio"),
    "length": ("product length", "shipping length"),
    "width": ("product width", "shipping width"),
    "height": ("product height", "shipping height"),
}
HEADINGS: Mapping[str, Sequence[str]] = {
    name: (*some, *(f"g {one}" for one in some)) for name, some in _ATTRIBUTES.items()
}
"""Headings of each attribute. Headings of XML feeds have the prefix `g:`."""
FIELDS: Mapping[str, Sequence[str]] = {
    "title": ("title",),
    "description": ("description",),
    "material": ("material",),
    "weight": ("weight",),
    "length": ("length",),
    "height": ("height",),
    "width": ("width",),
    "brand": ("brand",),
    "categories": ("category",),
    "sku": ("id",),
    "ean": ("gtin",),
    "price": ("price", "sale_price"),
    "compare_at_price": ("price",),
    "stock": ("stock",),
    "pictures": ("picture", "pictures"),
    VARIANT_PICTURES: ("picture", "pictures"),
    "old_addresses": ("address",),
}
"""The feed's attributes by the importer's columns."""
OPTIONS = {"color": "Color", "size": "Talla", "pattern": "Diseño", "material": "Material"}
"""Attributes in which the products of a group may differ, and the titles of the options for them."""
MIN_TITLE_LENGTH = 3
_TITLE_END = " -–—|/,(:·"


def convert(table: Table) -> SourceFile:
    """Convert a Google product feed to the importer's columns."""
    cells = Cells(table, HEADINGS)
    products: dict[str, list[Draft]] = {}
    for group_id, rows in cells.group_rows(table.rows, "group").items():
        titles = _find_option_titles(cells, rows)
        if len(rows) > 1 and titles:
            products[group_id] = _convert_group(cells, rows, titles)
        else:
            products |= {f"{cells.get(row, 'id')} {row.line}": [_convert_row(cells, row)] for row in rows}
    handles = name_repeated_titles(
        {key: drafts[0].cells.get("title", "") for key, drafts in products.items()}
    )
    for key, drafts in products.items():
        for draft in drafts:
            draft.set("handle", handles.get(key, ""))
    places = {column: cells.find_places(names) for column, names in FIELDS.items()}
    return build_source_file(
        table,
        SourceFormat.GOOGLE,
        [draft for drafts in products.values() for draft in drafts],
        places,
        notes=[] if "stock" in cells.places else ["stock not said"],
        silent_places=cells.find_places(("group", "sale_days", *OPTIONS)),
    )


def _convert_row(cells: Cells, row: TableRow) -> Draft:
    draft = Draft(row)
    for column, names in FIELDS.items():
        if len(names) == 1 and column not in ("compare_at_price", "old_addresses"):
            draft.set(column, cells.get(row, names[0]))
    draft.set("old_addresses", join_old_addresses([cells.get(row, "address")]))
    draft.set("categories", join_list(split_commas(cells.get(row, "category"))))
    draft.set(
        "pictures", join_addresses([cells.get(row, "picture"), *split_commas(cells.get(row, "pictures"))])
    )
    _set_price(cells, draft)
    return draft


def _set_price(cells: Cells, draft: Draft) -> None:
    """Set the price: the sale price during the sale's period, else the regular price."""
    price, sale = cells.get(draft.source, "price"), cells.get(draft.source, "sale_price")
    begin, end = _parse_period(cells.get(draft.source, "sale_days"))
    now = clock.now()
    if not sale or (begin and begin > now) or (end and end < now):
        draft.set_price(price or sale, "")
        return
    draft.set_price(sale, price if price != sale else "")
    if end:
        draft.notes.append(Note("price", "sale ends", end.date().isoformat()))


def _parse_period(text: str) -> tuple[datetime | None, datetime | None]:
    """Parse two moments separated by a slash; None for both if they are missing or have no time zone."""
    try:
        begin, end = (datetime.fromisoformat(part.strip()) for part in text.split("/"))
    except ValueError:
        return None, None
    return (begin, end) if begin.tzinfo and end.tzinfo else (None, None)


def _find_option_titles(cells: Cells, rows: Sequence[TableRow]) -> dict[str, str]:
    """Return the titles of the options that distinguish these rows, by field; empty if two rows are alike."""
    values = {name: [cells.get(row, name) for row in rows] for name in OPTIONS}
    titles = {
        name: title for name, title in OPTIONS.items() if all(values[name]) and len(set(values[name])) > 1
    }
    combinations = {tuple(values[name][number] for name in titles) for number in range(len(rows))}
    return titles if len(combinations) == len(rows) else {}


def _convert_group(cells: Cells, rows: Sequence[TableRow], titles: Mapping[str, str]) -> list[Draft]:
    """Convert the items of one product to its variants.

    The product's title consists of the words with which all titles of the items begin.
    """
    drafts = [_convert_row(cells, row) for row in rows]
    found = [draft.cells.get("title", "") for draft in drafts]
    common = _common_words(found).rstrip(_TITLE_END)
    title = common if len(common) >= MIN_TITLE_LENGTH else found[0]
    pictures = join_addresses(one for draft in drafts for one in draft.cells.get("pictures", "").split("|"))
    for draft in drafts:
        draft.group = rows
        if draft is not drafts[0]:
            for column in ("description", "brand", "categories", "weight", "length", "width", "height"):
                draft.cells.pop(column, None)
        if "material" in titles:
            draft.cells.pop("material", None)
        draft.set("title", title)
        draft.set_options({option: cells.get(draft.source, name) for name, option in titles.items()})
        draft.set_variant_pictures(draft.cells.pop("pictures", ""))
    drafts[0].set("pictures", pictures)
    return drafts


def _common_words(texts: Sequence[str]) -> str:
    """Return the words with which all texts begin."""
    words: list[str] = []
    for some in zip(*(text.split() for text in texts), strict=False):
        if len(set(some)) > 1:
            break
        words.append(some[0])
    return " ".join(words)
