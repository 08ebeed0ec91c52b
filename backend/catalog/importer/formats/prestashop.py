"""Conversion of two files of PrestaShop, in Spanish or English: the back office's product list, and its import file."""

from collections.abc import Mapping, Sequence

from backend.catalog.importer.formats.conversion import (
    DRAFT,
    PUBLISHED,
    Cells,
    Draft,
    build_source_file,
    drop_zero,
    join_addresses,
    join_list,
    parse_day,
    parse_decimal,
    split_commas,
    write_decimal,
)
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.row_reader import Note
from backend.catalog.importer.tables.models import Table, TableRow
from backend.catalog.redirects.lookup import prestashop_address
from backend.core import clock
from backend.core.dates import today_in_colombia
from backend.spreadsheet_reader.headings import normalize_heading

HEADINGS: Mapping[str, Sequence[str]] = {
    "id": ("id de producto", "product id", "id", "id producto", "id del producto"),
    "active": ("active 0 1", "activo 0 1", "estado", "status", "activo", "active", "activado"),
    "title": ("nombre", "name"),
    "categories": ("categories x y z", "categorias x y z", "categoria", "category", "categories", "categorias"),
    "price": (
        "precio imp incl", "precio impuestos incl", "precio impuestos incluidos", "precio con impuestos",
        "price tax incl", "price tax included", "precio final", "final price",
    ),
    "net_price": (
        "precio imp excl", "precio impuestos excl", "precio impuestos excluidos", "precio sin impuestos",
        "precio sin impuestos incluidos", "price tax excl", "price tax excluded", "precio base", "base price",
    ),
    "discount": ("discount percent", "porcentaje de descuento"),
    "discount_amount": ("discount amount", "valor del descuento", "importe del descuento"),
    "discount_begin": ("discount from yyyy mm dd", "descuento desde aaaa mm dd"),
    "discount_end": ("discount to yyyy mm dd", "descuento hasta aaaa mm dd"),
    "sku": (
        "reference", "referencia", "referencia n", "n de referencia", "referencia no", "no de referencia",
        "referencia n o", "n o de referencia",
    ),
    "brand": ("manufacturer", "fabricante", "marca", "brand"),
    "ean": ("ean13", "ean 13", "ean"),
    "upc": ("upc",),
    "width": ("width", "ancho", "anchura"),
    "height": ("height", "alto", "altura"),
    "length": ("depth", "profundidad"),
    "weight": ("weight", "peso"),
    "stock": ("quantity", "cantidad"),
    "summary": ("summary", "resumen", "short description", "descripcion corta"),
    "description": ("description", "descripcion"),
    "tags": ("tags x y z", "etiquetas x y z", "tags", "etiquetas"),
    "handle": ("url rewritten", "url rewrite", "url amigable", "rewritten url", "friendly url"),
    "pictures": (
        "image urls x y z", "urls de las imagenes x y z", "url de imagenes x y z", "url de las imagenes x y z",
        "image", "imagen",
    ),
}  # fmt: skip
FIELDS: Mapping[str, Sequence[str]] = {
    "handle": ("handle",),
    "title": ("title",),
    "description": ("description", "summary"),
    "status": ("active",),
    "weight": ("weight",),
    "length": ("length",),
    "height": ("height",),
    "width": ("width",),
    "brand": ("brand",),
    "categories": ("categories",),
    "sku": ("sku",),
    "ean": ("ean", "upc"),
    "price": ("price",),
    "price_without_tax": ("net_price",),
    "stock": ("stock",),
    "pictures": ("pictures",),
    "tags": ("tags",),
    "old_addresses": ("id",),
}
"""PrestaShop's fields by the importer's columns."""
WITHOUT_TAX = "_without_tax"
ROOTS = frozenset({"inicio", "home", "raiz", "root"})
"""Names of PrestaShop's root category."""
ACTIVE = frozenset({"1", "si", "yes", "activado", "activo", "enabled", "active", "true", "verdadero"})
PERCENT = 100


def convert(table: Table) -> SourceFile:
    """Convert a PrestaShop list or import file to the importer's columns. A price with tax is preferred."""
    cells = Cells(table, HEADINGS)
    drafts = [_convert_row(cells, row) for row in table.rows]
    places = {column: cells.find_places(names) for column, names in FIELDS.items()}
    has_price = any("price" in draft.cells for draft in drafts)
    if has_price and not any(f"price{WITHOUT_TAX}" in draft.cells for draft in drafts):
        places.pop(f"price{WITHOUT_TAX}")
    silent = cells.find_places(("id", "net_price", "discount", "discount_begin", "discount_end"))
    return build_source_file(table, SourceFormat.PRESTASHOP, drafts, places, silent_places=silent)


def _convert_row(cells: Cells, row: TableRow) -> Draft:
    draft = Draft(row)
    for column in ("title", "brand", "sku", "stock"):
        draft.set(column, cells.get(row, column))
    draft.set("ean", drop_zero(cells.get(row, "ean")) or drop_zero(cells.get(row, "upc")))
    draft.set("handle", cells.get(row, "handle").lower())
    if active := cells.get(row, "active"):
        draft.set("status", PUBLISHED if normalize_heading(active) in ACTIVE else DRAFT)
    for column in ("weight", "length", "height", "width"):
        draft.set(column, drop_zero(cells.get(row, column)))
    draft.set("description", _join_texts(cells.get(row, "summary"), cells.get(row, "description")))
    if (product_id := cells.get(row, "id")).isdecimal():
        draft.set("old_addresses", str(prestashop_address(product_id)))
    draft.set("categories", join_list(map(_to_category_path, split_commas(cells.get(row, "categories")))))
    draft.set("tags", join_list(split_commas(cells.get(row, "tags"))))
    draft.set("pictures", join_addresses(split_commas(cells.get(row, "pictures"))))
    _set_price(cells, draft)
    return draft


def _set_price(cells: Cells, draft: Draft) -> None:
    row = draft.source
    price, suffix = cells.get(row, "price"), ""
    if not price:
        price, suffix = cells.get(row, "net_price"), WITHOUT_TAX
    percent = parse_decimal(cells.get(row, "discount").removesuffix("%").replace(",", "."))
    value = parse_decimal(price)
    today = today_in_colombia(clock.now())
    begin, end = (parse_day(cells.get(row, name)) for name in ("discount_begin", "discount_end"))
    is_on = not ((begin and begin > today) or (end and end < today))
    if value and percent and 0 < percent < PERCENT and is_on:
        reduced = value * (PERCENT - percent) / PERCENT
        draft.set_price(write_decimal(reduced), price, suffix=suffix)
        if end:
            draft.notes.append(Note("price", "sale ends", end.isoformat()))
    elif price:
        draft.set(f"price{suffix}", price)
    amount = parse_decimal(cells.get(row, "discount_amount") or "0")
    if amount is None or amount:
        draft.notes.append(Note("price", "discount left out", cells.get(row, "discount_amount")))


def _join_texts(summary: str, description: str) -> str:
    """Return the summary and the description as paragraphs."""
    return "\n\n".join(part for part in (summary, description) if part)


def _to_category_path(text: str) -> str:
    """Return the path below PrestaShop's root category, with `>` between the names."""
    names = [one.strip() for one in text.replace(">", "/").split("/")]
    return " > ".join(one for one in names if one and normalize_heading(one) not in ROOTS)
