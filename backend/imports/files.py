"""Files of an import: a template to fill in, what was refused, and all products in the shape that is imported."""

from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import COLUMNS, OF_PROGRAMS, OPTION_CELLS, OPTIONS
from backend.catalog.importer.headings import hint_of, label_of
from backend.catalog.models import Product, Variant
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.spreadsheet import workbook
from backend.core.texts import _
from backend.imports.lookup import find_import
from backend.imports.messages import problem_text
from backend.imports.models import ProductImportRow, RowState
from backend.imports.row_changes import cell_of, option_cells, values_now
from backend.shipping.locations import first_location
from backend.staff.rights import Actor, Right

ORDER = (
    "title", "sku", *OPTION_CELLS, "price", "compare_at_price", "is_free", "stock", "categories", "brand", "age_range",
    "pictures", "description", "subtitle", "weight", "length", "width", "height", "ean", "tax_rate", "material",
    "origin_country", "warnings", "collection", "featured", "status", "handle",
)  # fmt: skip
"""In which order our own files have the columns: those that are filled in most come first."""
SHAPE = tuple(
    sorted(
        COLUMNS.keys() - OF_PROGRAMS.keys(),
        key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER),
    )
)
"""The columns of our own files."""
_TOP: dict[str, object] = {
    "title": _("Trompo de guayacán"),
    "sku": "TRO-1",
    "price": 18900,
    "stock": 12,
    "categories": _("Madera|Juegos de patio"),
    "brand": _("Taller Uno"),
    "age_range": "6-8",
    "pictures": "trompo.jpg|trompo-2.jpg",
    "description": _("Un trompo torneado a mano."),
    "weight": 0.35,
    "tax_rate": 19,
}
_PUPPET = {
    "title": _("Títere de dedo"),
    "price": 24900,
    "stock": 5,
    "option_1": _("Personaje"),
    "option_2": _("Color"),
}
EXAMPLES: tuple[dict[str, object], ...] = (
    _TOP,
    {**_PUPPET, "sku": "TIT-1", "value_1": _("Tucán"), "value_2": _("Rojo")},
    {**_PUPPET, "sku": "TIT-2", "value_1": _("Tucán"), "value_2": _("Azul")},
)
"""A toy of one variant, and one of two."""
WIDTHS = (28, 14, *(12,) * 6, 12, 12, 8, 10, 24, 18, 10, 28, 40)
"""Letters of the first columns."""


def template() -> bytes:
    """A workbook to fill in: the columns with an example; on a second sheet, what may stand in each."""
    head: list[object] = [label_of(name) for name in SHAPE]
    rows = [head, *([example.get(name, "") for name in SHAPE] for example in EXAMPLES)]
    guide = [[_("Columna"), _("Qué va en ella")], *([label_of(name), hint_of(name)] for name in SHAPE)]
    return workbook(rows, guide, widths=WIDTHS)


async def refused_file(session: AsyncSession, actor: Actor, import_id: str) -> bytes:
    """A workbook of the rows that were refused, with why in its last column. Mended, it is imported as it is.

    Raises:
        NotFound: there is no such import.
    """
    actor.require(Right.CHANGE_CATALOG)
    found = await find_import(session, import_id)
    query = select(ProductImportRow.line, ProductImportRow.texts, ProductImportRow.problems).where(
        ProductImportRow.import_id == import_id, ProductImportRow.state == RowState.REFUSED
    )
    rows = (await session.execute(query.order_by(ProductImportRow.line))).all()

    def written() -> Iterator[Sequence[object]]:
        yield [*(label_of(name) for name in found.columns), _("Problema"), _("Fila")]
        for line, texts, problems in rows:
            said = [
                f"{label_of(one['column'])}: {problem_text(one)}" if one["column"] else problem_text(one)
                for one in problems
            ]
            yield [*texts, " ".join(said), line]

    return workbook(written())


async def product_rows(session: AsyncSession, products: Sequence[Product]) -> list[Sequence[object]]:
    """The products in the shape that is imported, a row for each variant. Stock is that of the first location."""
    location_id = await first_location(session)
    by_id = {product.id: product for product in products}
    query = select(Variant).where(Variant.product_id.in_(by_id)).order_by(Variant.rank, Variant.id)
    variants: dict[str, list[Variant | None]] = {product.id: [] for product in products}
    for variant in (await session.execute(query)).scalars():
        variants[variant.product_id].append(variant)
    pairs = [(product, variant) for product in products for variant in variants[product.id] or [None]]
    rows: list[Sequence[object]] = []
    for values in await values_now(session, pairs, location_id):
        cells = {name: cell_of(name, values[name]) for name in SHAPE if name in values}
        cells |= option_cells(values[OPTIONS])
        try:
            COLUMNS["handle"].read(str(cells["handle"]))
        except CellError:  # the API takes other handles than a file does: its SKU names it
            cells["handle"] = ""
        rows.append([cells.get(name, "") for name in SHAPE])
    return rows
