"""Product export of WooCommerce, in Spanish or English: variations name their parent by SKU or id."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from backend.catalog.importer.columns import COLUMNS, VARIANT_PICTURES
from backend.catalog.importer.formats.conversion import (
    DRAFT,
    PUBLISHED,
    Cells,
    Draft,
    build_source_file,
    drop_zero,
    join_addresses,
    join_list,
    join_old_addresses,
    name_repeated_titles,
    parse_day,
    set_greatest_weight,
    split_commas,
)
from backend.catalog.importer.formats.models import SourceFile, SourceFormat
from backend.catalog.importer.headings import find_column
from backend.catalog.importer.row_reader import Note
from backend.catalog.importer.tables.models import Table, TableRow
from backend.catalog.schemas.cell_parsers import CellError
from backend.core import clock
from backend.core.dates import today_in_colombia
from backend.spreadsheet_reader.headings import normalize_heading

HEADINGS: Mapping[str, Sequence[str]] = {
    "id": ("id",),
    "kind": ("tipo", "type"),
    "sku": ("sku",),
    "bar_code": ("gtin upc ean o isbn", "gtin upc ean or isbn", "gtin", "ean", "codigo de barras", "barcode"),
    "title": ("nombre", "name"),
    "published": ("publicado", "published"),
    "featured": ("esta destacado", "is featured"),
    "visibility": ("visibilidad en el catalogo", "visibility in catalog"),
    "summary": ("descripcion corta", "short description"),
    "description": ("descripcion", "description"),
    "sale_begin": ("dia en que empieza el precio rebajado", "date sale price starts"),
    "sale_end": ("dia en que termina el precio rebajado", "date sale price ends"),
    "tax_class": ("clase de impuesto", "tax class"),
    "stock": ("inventario", "stock", "cantidad", "stock quantity"),
    "weight": ("peso kg", "weight kg"),
    "length": ("longitud cm", "length cm"),
    "width": ("anchura cm", "ancho cm", "width cm"),
    "height": ("altura cm", "alto cm", "height cm"),
    "sale_price": ("precio rebajado", "precio de oferta", "precio oferta", "sale price"),
    "price": ("precio normal", "precio regular", "regular price"),
    "categories": ("categorias", "categories"),
    "tags": ("etiquetas", "tags"),
    "pictures": ("imagenes", "images"),
    "parent": ("superior", "padre", "principal", "parent"),
    "brand": ("marcas", "marca", "brands", "brand"),
    "address": ("permalink", "enlace permanente", "product url", "url del producto"),
}
FIELDS: Mapping[str, Sequence[str]] = {
    "title": ("title",),
    "subtitle": ("summary",),
    "description": ("description",),
    "featured": ("featured",),
    "status": ("published", "visibility"),
    "tax_rate": ("tax_class",),
    "weight": ("weight",),
    "length": ("length",),
    "height": ("height",),
    "width": ("width",),
    "brand": ("brand",),
    "categories": ("categories",),
    "sku": ("sku",),
    "ean": ("bar_code",),
    "price": ("price", "sale_price"),
    "compare_at_price": ("price",),
    "stock": ("stock",),
    "pictures": ("pictures",),
    VARIANT_PICTURES: ("pictures",),
    "tags": ("tags",),
    "old_addresses": ("address",),
}
"""WooCommerce's fields by the importer's columns."""
VARIABLE, VARIATION = "variable", "variation"
HIDDEN = "hidden"
TAX_RATES = {"zero rate": "0", "tasa cero": "0", "reduced rate": "5", "tasa reducida": "5"}
"""Rates by the names of the tax classes that WooCommerce creates."""
MAX_SUBTITLE_LENGTH = 255
FACTS = ("material", "brand", "age_range")
"""The importer's columns that an attribute may fill if the product's variations do not differ in it."""
_ATTRIBUTE = re.compile(r"(?:nombre del atributo|attribute) (\d{1,2})(?: name)?")
_VALUES = re.compile(r"(?:valor(?: es|es)? del atributo|attribute) (\d{1,2})(?: value s| values?)?")
_PARENT_ID = re.compile(r"id:\s*(\d+)")


@dataclass(slots=True)
class _Product:
    """A simple product, or a variable one with its variations."""

    key: str
    parent: TableRow | None = None
    variations: list[TableRow] = field(default_factory=list)


class _Converter:
    def __init__(self, table: Table, today: date) -> None:
        self.table, self.today = table, today
        self.cells = Cells(table, HEADINGS)
        normalized = [normalize_heading(heading) for heading in table.headings]
        titles = {found[1]: at for at, one in enumerate(normalized) if (found := _ATTRIBUTE.fullmatch(one))}
        values = {found[1]: at for at, one in enumerate(normalized) if (found := _VALUES.fullmatch(one))}
        self.attributes = [
            (titles[number], values[number]) for number in sorted(titles, key=int) if number in values
        ]

    def convert(self) -> SourceFile:
        products = self._group_rows()
        titles = {
            product.key: self.cells.get(product.parent, "title")
            for product in products
            if product.parent is not None
        }
        handles = name_repeated_titles(titles)
        drafts = []
        for product in products:
            converted = self._convert_product(product)
            for draft in converted:
                draft.set("handle", handles.get(product.key, ""))
            drafts += converted
        places = {column: self.cells.find_places(names) for column, names in FIELDS.items()}
        silent = [place for pair in self.attributes for place in pair]
        silent += self.cells.find_places(("id", "kind", "parent", "sale_begin", "sale_end"))
        for number, (title, value) in enumerate(self.attributes[:3], start=1):
            places |= {f"option_{number}": [title], f"value_{number}": [value]}
        return build_source_file(
            self.table, SourceFormat.WOOCOMMERCE, drafts, places, notes=["tax not said"], silent_places=silent
        )

    def _group_rows(self) -> list[_Product]:
        products: dict[int, _Product] = {}
        by_reference: dict[str, _Product] = {}
        for row in self.table.rows:
            if not self._is_kind(row, VARIATION):
                key = self.cells.get(row, "id") or self.cells.get(row, "sku") or str(row.line)
                products[row.line] = product = _Product(key, row)
                by_reference.setdefault(f"id:{self.cells.get(row, 'id')}", product)
                if sku := self.cells.get(row, "sku"):
                    by_reference[sku] = product
        for row in self.table.rows:
            if self._is_kind(row, VARIATION):
                reference = self.cells.get(row, "parent")
                found = _PARENT_ID.fullmatch(reference)
                parent = by_reference.get(f"id:{found[1]}" if found else reference)
                if parent is None:  # only an existing variant can be changed
                    parent = products[row.line] = _Product(f" {row.line}")
                parent.variations.append(row)
        return list(products.values())

    def _is_kind(self, row: TableRow, kind: str) -> bool:
        return kind in [one.strip().lower() for one in self.cells.get(row, "kind").split(",")]

    def _convert_product(self, product: _Product) -> list[Draft]:
        parents = [product.parent] if product.parent is not None else []
        rows = [*parents, *product.variations]
        drafts = [Draft(row, rows) for row in product.variations or parents]
        for draft in drafts:
            self._convert_variant(draft)
        if product.parent is not None:
            for draft in drafts:
                draft.set("title", self.cells.get(product.parent, "title"))
            self._set_product_values(drafts[0], product.parent)
            drafts[0].set("pictures", join_addresses(one for row in rows for one in self._list_pictures(row)))
        set_greatest_weight(drafts, [self.cells.get(row, "weight") for row in rows])
        return drafts

    def _convert_variant(self, draft: Draft) -> None:
        row = draft.source
        draft.set("sku", self.cells.get(row, "sku"))
        draft.set("ean", self.cells.get(row, "bar_code"))
        draft.set("stock", self.cells.get(row, "stock"))
        self._set_price(draft)
        if not self._is_kind(row, VARIATION):
            return
        draft.set_options(dict(self._read_attributes(row)))
        draft.set_variant_pictures(join_addresses(self._list_pictures(row)))
        if self.cells.get(row, "published") in ("0", "-1"):
            draft.cells["stock"] = "0"
            draft.notes.append(Note("stock", "variant hidden"))

    def _set_price(self, draft: Draft) -> None:
        """Set the price: the sale price from the first to the final day of the sale, else the regular price."""
        row = draft.source
        price, sale = self.cells.get(row, "price"), self.cells.get(row, "sale_price")
        begin, end = (parse_day(self.cells.get(row, name)) for name in ("sale_begin", "sale_end"))
        if not sale or (begin and begin > self.today) or (end and end < self.today):
            draft.set_price(price or sale, "")
            return
        draft.set_price(sale, price if price != sale else "")
        if end:
            draft.notes.append(Note("price", "sale ends", end.isoformat()))

    def _set_product_values(self, draft: Draft, row: TableRow) -> None:
        summary, description = (
            _decode_text(self.cells.get(row, name)) for name in ("summary", "description")
        )
        if "<" in summary or len(summary) > MAX_SUBTITLE_LENGTH or not description:
            summary, description = "", "\n\n".join(part for part in (summary, description) if part)
        draft.set("subtitle", " ".join(summary.split()))
        draft.set("description", description)
        draft.set("status", self._find_status(row))
        if (featured := self.cells.get(row, "featured")) in ("0", "1"):
            draft.set("featured", {"1": "yes", "0": "no"}[featured])
        draft.set("tax_rate", TAX_RATES.get(normalize_heading(self.cells.get(row, "tax_class")), ""))
        for name in ("length", "width", "height"):
            draft.set(name, drop_zero(self.cells.get(row, name)))
        draft.set("categories", join_list(split_commas(self.cells.get(row, "categories"))))
        draft.set("tags", join_list(split_commas(self.cells.get(row, "tags"))))
        draft.set("old_addresses", join_old_addresses([self.cells.get(row, "address")]))
        draft.set("brand", next(iter(split_commas(self.cells.get(row, "brand"))), ""))
        options = {title for one in draft.cells if one.startswith("option_") for title in [draft.cells[one]]}
        for title, value in self._read_attributes(row):
            column = find_column(title)
            if (
                title not in options
                and column in FACTS
                and not draft.cells.get(column)
                and _is_valid(column, value)
            ):
                draft.set(column, value)

    def _find_status(self, row: TableRow) -> str:
        """Return the status; empty if the file does not have it. Private and hidden products are drafts."""
        published = self.cells.get(row, "published")
        if not published:
            return ""
        is_shown = published == "1" and self.cells.get(row, "visibility").lower() != HIDDEN
        return PUBLISHED if is_shown else DRAFT

    def _read_attributes(self, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield the titles and values of the row's attributes."""
        for title_place, value_place in self.attributes:
            title, value = (
                (row.texts[place] or "").strip() if place < len(row.texts) else ""
                for place in (title_place, value_place)
            )
            if title:
                yield title.removeprefix("pa_"), value.replace("\\,", ",")

    def _list_pictures(self, row: TableRow) -> list[str]:
        return split_commas(self.cells.get(row, "pictures"))


def convert(table: Table) -> SourceFile:
    """Convert a WooCommerce export to the importer's columns."""
    return _Converter(table, today_in_colombia(clock.now())).convert()


def _decode_text(text: str) -> str:
    r"""Return the text with its line breaks, which the export writes as `\n`."""
    return text.replace("\\\\n", "\0").replace("\\n", "\n").replace("\0", "\\n").replace("\r\n", "\n")


def _is_valid(column: str, value: str) -> bool:
    try:
        COLUMNS[column].read(value)
    except CellError:
        return False
    return bool(value)
