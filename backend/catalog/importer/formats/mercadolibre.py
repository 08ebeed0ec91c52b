"""List of publications of Mercado Libre; the rows of one publication are its variants."""

import re
from collections.abc import Mapping, Sequence

from backend.catalog.importer.columns import VARIANT_PICTURES
from backend.catalog.importer.formats.conversion import (
    DRAFT,
    PUBLISHED,
    Cells,
    Draft,
    build_source_file,
    join_addresses,
    name_repeated_titles,
)
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.tables.models import Table, TableRow
from backend.spreadsheet_reader.headings import normalize_heading

HEADINGS: Mapping[str, Sequence[str]] = {
    "publication": (
        "numero de publicacion", "numero de la publicacion", "id de la publicacion", "item id",
        "codigo de publicacion",
    ),
    "title": ("titulo", "title"),
    "sku": ("sku", "seller sku", "sku del vendedor"),
    "bar_code": ("codigo universal de producto", "codigo universal", "ean", "gtin"),
    "stock": ("disponible", "cantidad disponible", "stock", "cantidad", "unidades disponibles", "quantity"),
    "price": ("precio", "precio cop", "price"),
    "currency": ("moneda", "currency", "currency id"),
    "status": ("estado", "status"),
    "pictures": ("link de la foto", "link de las fotos", "fotos", "imagenes", "links de las fotos"),
    "variant": ("variante", "variantes", "variacion", "variaciones"),
    "description": ("descripcion", "description"),
    "brand": ("marca", "brand"),
}  # fmt: skip
FIELDS: Mapping[str, str] = {
    "title": "title",
    "description": "description",
    "status": "status",
    "brand": "brand",
    "sku": "sku",
    "ean": "bar_code",
    "price": "price",
    "stock": "stock",
    "pictures": "pictures",
}
"""The list's fields by the importer's columns."""
SOLD = frozenset({"activa", "activo", "active", "publicada"})
CURRENCIES = frozenset({"", "cop", "pesos", "peso colombiano", "pesos colombianos"})
_SEPARATOR = re.compile(r"[|;,/\n]")


def convert(table: Table) -> SourceFile:
    """Convert a Mercado Libre list of publications to the importer's columns."""
    cells = Cells(table, HEADINGS)
    groups = cells.group_rows(table.rows, "publication")
    drafts: list[Draft] = []
    titles = {key: cells.get_first(rows, "title") for key, rows in groups.items()}
    handles = name_repeated_titles(titles)
    for key, rows in groups.items():
        has_variant_pictures = sum(bool(cells.get(row, "pictures")) for row in rows) > 1
        for number, row in enumerate(rows):
            draft = _convert_row(cells, row)
            draft.group = rows
            draft.set("title", titles[key])
            draft.set("handle", handles.get(key, ""))
            if has_variant_pictures:  # those of only one row are the publication's
                draft.set_variant_pictures(join_addresses([cells.get(row, "pictures")]))
            if number:
                for column in ("description", "brand", "status", "pictures"):
                    draft.cells.pop(column, None)
            drafts.append(draft)
        drafts[-len(rows)].set("pictures", join_addresses(cells.get(row, "pictures") for row in rows))
    places = {column: cells.find_places([name]) for column, name in FIELDS.items()}
    places[VARIANT_PICTURES] = places["pictures"]
    places |= {name: cells.find_places(["variant"]) for name in ("option_1", "value_1")}
    silent = cells.find_places(("publication", "currency"))
    return build_source_file(table, SourceFormat.MERCADOLIBRE, drafts, places, silent_places=silent)


def _convert_row(cells: Cells, row: TableRow) -> Draft:
    draft = Draft(row)
    for column, name in FIELDS.items():
        draft.set(column, cells.get(row, name))
    if draft.cells.get("status"):
        draft.cells["status"] = PUBLISHED if normalize_heading(draft.cells["status"]) in SOLD else DRAFT
    currency = cells.get(row, "currency")
    if normalize_heading(currency) not in CURRENCIES:
        draft.add_problem("price", f"is in {currency}, not in pesos", "currency", currency)
    options = dict(_read_pair(part) for part in _SEPARATOR.split(cells.get(row, "variant")) if ":" in part)
    draft.set_options({title: value for title, value in options.items() if title and value})
    return draft


def _read_pair(text: str) -> tuple[str, str]:
    title, _separator, value = text.partition(":")
    return title.strip(), value.strip()
