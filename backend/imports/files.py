"""Files in the import format: the template, and all products. Refused rows are in `backend.imports.refused_rows`."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import (
    API_COLUMNS,
    COLUMNS,
    OPTION_CELLS,
    OPTIONS,
    PRICES_WITHOUT_TAX,
    VARIANT_PICTURES,
)
from backend.catalog.importer.headings import get_hint, get_label
from backend.catalog.importer.row_reader import TAX_EXCLUDED, TAX_RATE
from backend.catalog.models import Product, Variant
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.spreadsheet import build_workbook
from backend.core.texts import _
from backend.imports.rows.changes import format_cell, format_option_cells, read_current_values
from backend.shipping.locations import find_first_location_id

COLUMN_ORDER = (
    "title", "sku", *OPTION_CELLS, "price", "compare_at_price", "cost", "is_free", "stock", "categories", "brand",
    "age_range",
    "pictures", VARIANT_PICTURES, "description", "subtitle", "weight", "length", "width", "height", "ean",
    "tax_rate", "material",
    "origin_country", "warnings", "collection", "featured", "status", "handle", "old_addresses",
    "seo_title", "seo_description",
)  # fmt: skip
"""Order of the columns in the shop's own files: columns that are filled in most often come first."""
EXCLUDED = "excluido"
"""Text in the column of the IVA rate for a product that is excluded from IVA."""
FILE_COLUMNS = tuple(
    sorted(
        COLUMNS.keys() - API_COLUMNS.keys() - PRICES_WITHOUT_TAX.keys() - {TAX_EXCLUDED},
        key=lambda name: COLUMN_ORDER.index(name) if name in COLUMN_ORDER else len(COLUMN_ORDER),
    )
)
"""Columns of the shop's own files."""
_TOP: dict[str, object] = {
    "title": _("Mochila tejida"),
    "sku": "MOC-1",
    "price": 189000,
    "stock": 12,
    "categories": _("Bolsos|Hechos a mano"),
    "brand": _("Taller Uno"),
    "pictures": "mochila.jpg|mochila-2.jpg",
    "description": _("Una mochila tejida a mano."),
    "weight": 0.35,
    "tax_rate": 19,
}
_SHIRT = {
    "title": _("Camiseta de algodón"),
    "price": 24900,
    "stock": 5,
    "option_1": _("Talla"),
    "option_2": _("Color"),
}
EXAMPLES: tuple[dict[str, object], ...] = (
    _TOP,
    {**_SHIRT, "sku": "CAM-1", "value_1": "M", "value_2": _("Rojo")},
    {**_SHIRT, "sku": "CAM-2", "value_1": "M", "value_2": _("Azul")},
)
"""Example rows: a product with one variant, and a product with two variants."""
COLUMN_WIDTHS = (28, 14, *(12,) * 6, 12, 12, 8, 10, 24, 18, 10, 28, 40)
"""Widths of the first columns, in characters."""


def build_template() -> bytes:
    """Return an empty import workbook: the columns with examples, and a second worksheet that explains each column."""
    head: list[object] = [get_label(name) for name in FILE_COLUMNS]
    rows = [head, *([example.get(name, "") for name in FILE_COLUMNS] for example in EXAMPLES)]
    guide = [
        [_("Columna"), _("Qué va en ella")],
        *([get_label(name), get_hint(name)] for name in FILE_COLUMNS),
    ]
    return build_workbook(rows, guide, widths=COLUMN_WIDTHS)


async def list_product_rows(session: AsyncSession, products: Sequence[Product]) -> list[Sequence[object]]:
    """Return the products in the import format, one row per variant.

    The stock column has the number of units at the shop's first location.
    """
    location_id = await find_first_location_id(session)
    by_id = {product.id: product for product in products}
    query = select(Variant).where(Variant.product_id.in_(by_id)).order_by(Variant.rank, Variant.id)
    variants: dict[str, list[Variant | None]] = {product.id: [] for product in products}
    for variant in (await session.execute(query)).scalars():
        variants[variant.product_id].append(variant)
    pairs = [(product, variant) for product in products for variant in variants[product.id] or [None]]
    rows: list[Sequence[object]] = []
    for values in await read_current_values(session, pairs, location_id):
        cells = {name: format_cell(name, values[name]) for name in FILE_COLUMNS if name in values}
        cells |= format_option_cells(values[OPTIONS])
        if values[TAX_EXCLUDED]:
            cells[TAX_RATE] = EXCLUDED
        try:
            COLUMNS["handle"].read(str(cells["handle"]))
        except CellError:  # the API accepts handles that a file does not: then the SKU identifies the product
            cells["handle"] = ""
        rows.append([cells.get(name, "") for name in FILE_COLUMNS])
    return rows
