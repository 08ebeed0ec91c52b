"""Product export of Shopify: the rows of one product share its handle; rows may have only a picture."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from backend.catalog.handles import make_handle
from backend.catalog.importer.columns import COLUMNS, VARIANT_PICTURES
from backend.catalog.importer.formats.conversion import (
    DRAFT,
    PUBLISHED,
    Cells,
    Draft,
    build_source_file,
    join_addresses,
    join_list,
    join_old_addresses,
    parse_decimal,
    says_yes,
    set_greatest_weight,
    split_commas,
    write_decimal,
)
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.tables.models import Table, TableRow
from backend.catalog.schemas.cell_parsers import CellError

HEADINGS: Mapping[str, Sequence[str]] = {
    "handle": ("handle", "url handle"),
    "title": ("title",),
    "description": ("body html", "description"),
    "vendor": ("vendor",),
    "type": ("type", "custom product type"),
    "tags": ("tags",),
    "published": ("published", "published on online store"),
    "status": ("status",),
    **{f"option_{number}": (f"option{number} name",) for number in (1, 2, 3)},
    **{f"value_{number}": (f"option{number} value",) for number in (1, 2, 3)},
    "sku": ("variant sku", "sku"),
    "grams": ("variant grams", "weight value grams"),
    "stock": ("variant inventory qty", "inventory quantity"),
    "price": ("variant price", "price"),
    "compare_at_price": ("variant compare at price", "compare at price"),
    "bar_code": ("variant barcode", "barcode"),
    "picture": ("image src", "product image url"),
    "position": ("image position",),
    "variant_picture": ("variant image", "variant image url"),
    "gift_card": ("gift card",),
    "cost": ("cost per item",),
    "seo_title": ("seo title",),
    "seo_description": ("seo description",),
}
"""Headings of the export since 2012 and of the one since 2024."""
FIELDS: Mapping[str, Sequence[str]] = {
    "handle": ("handle",),
    "title": ("title",),
    "description": ("description",),
    "brand": ("vendor",),
    "type": ("type",),
    "tags": ("tags",),
    "status": ("status", "published"),
    "weight": ("grams",),
    "sku": ("sku",),
    "stock": ("stock",),
    "price": ("price",),
    "compare_at_price": ("compare_at_price",),
    "ean": ("bar_code",),
    "pictures": ("picture", "variant_picture"),
    VARIANT_PICTURES: ("variant_picture",),
    **{f"{part}_{number}": (f"{part}_{number}",) for number in (1, 2, 3) for part in ("option", "value")},
    "old_addresses": ("handle",),
    "cost": ("cost",),
    "seo_title": ("seo_title",),
    "seo_description": ("seo_description",),
}
"""Shopify's fields by the importer's columns."""
GRAMS_PER_KILOGRAM = 1000
NO_OPTIONS = {"Title": "Default Title"}
"""Option and value of a product without options."""
_VARIANT_FIELDS = ("sku", "price", "value_1", "bar_code")
_ACTIVE = "active"


def convert(table: Table) -> SourceFile:
    """Convert a Shopify export to the importer's columns."""
    cells = Cells(table, HEADINGS)
    groups = cells.group_rows(table.rows, "handle")
    drafts = [draft for rows in groups.values() for draft in _convert_product(cells, rows)]
    places = {column: cells.find_places(names) for column, names in FIELDS.items()}
    silent = cells.find_places(("position", "gift_card"))
    return build_source_file(
        table, SourceFormat.SHOPIFY, drafts, places, notes=["tax not said"], silent_places=silent
    )


def _convert_product(cells: Cells, rows: Sequence[TableRow]) -> list[Draft]:
    """Convert the rows of one product. Values of the product as a whole are set only in the first variant's row."""
    variants = [row for row in rows if any(cells.get(row, name) for name in _VARIANT_FIELDS)] or rows[:1]
    drafts = [Draft(row, rows) for row in variants]
    titles = [cells.get_first(rows, f"option_{number}") for number in (1, 2, 3)]
    for draft in drafts:
        _convert_variant(cells, draft, titles)
        draft.set("handle", _to_handle(cells.get(draft.source, "handle")))
    first = drafts[0]
    if handle := cells.get_first(rows, "handle"):
        first.set("old_addresses", join_old_addresses([f"/products/{handle}"]))
    for column, name in (
        ("title", "title"),
        ("description", "description"),
        ("brand", "vendor"),
        ("type", "type"),
        ("seo_title", "seo_title"),
        ("seo_description", "seo_description"),
    ):
        first.set(column, cells.get_first(rows, name))
    first.set("tags", join_list(split_commas(cells.get_first(rows, "tags"))))
    first.set("status", _find_status(cells, rows))
    first.set("pictures", join_addresses(_list_pictures(cells, rows)))
    set_greatest_weight(drafts, [_to_kilograms(cells.get(row, "grams")) for row in variants])
    return drafts


def _convert_variant(cells: Cells, draft: Draft, titles: Sequence[str]) -> None:
    row = draft.source
    draft.set("sku", cells.get(row, "sku"))
    draft.set("ean", cells.get(row, "bar_code"))
    draft.set("stock", cells.get(row, "stock"))
    draft.set("cost", cells.get(row, "cost"))
    draft.set_price(cells.get(row, "price"), cells.get(row, "compare_at_price"))
    options = {
        title: value
        for number, title in enumerate(titles, start=1)
        if (value := cells.get(row, f"value_{number}"))
    }
    if options != NO_OPTIONS:
        draft.set_options(options)
    draft.set_variant_pictures(join_addresses([cells.get(row, "variant_picture")]))


def _find_status(cells: Cells, rows: Sequence[TableRow]) -> str:
    """Return the status; empty if the file does not have it.

    A gift card is always a draft, because the shop does not support gift cards.
    """
    if says_yes(cells.get_first(rows, "gift_card")):
        return DRAFT
    status, published = (cells.get_first(rows, name) for name in ("status", "published"))
    if not (status or published):
        return ""
    is_published = status.lower() in ("", _ACTIVE) and (not published or says_yes(published))
    return PUBLISHED if is_published else DRAFT


def _list_pictures(cells: Cells, rows: Sequence[TableRow]) -> list[str]:
    """Return the addresses of the pictures in the order of their positions, then those of the variants."""
    placed = [
        (parse_decimal(cells.get(row, "position")) or Decimal(index), address)
        for index, row in enumerate(rows, start=1)
        if (address := cells.get(row, "picture"))
    ]
    ordered = [address for _position, address in sorted(placed, key=lambda one: one[0])]
    return [*ordered, *(cells.get(row, "variant_picture") for row in rows)]


def _to_kilograms(grams: str) -> str:
    value = parse_decimal(grams.replace(",", "."))
    return grams if value is None else write_decimal(value / GRAMS_PER_KILOGRAM)


def _to_handle(handle: str) -> str:
    """Return the handle, converted if it has letters that the importer does not accept."""
    try:
        return str(COLUMNS["handle"].read(handle)) if handle else ""
    except CellError:
        return make_handle(handle)
