"""The platform's table of products, one row per variant. `POST /admin/products/import` accepts it unchanged."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.api.admin_list_queries import staff_conditions
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.models import Picture, Product, ProductCategory, ProductHasTag, ProductOption
from backend.catalog.schemas.admin import IS_FREE as FREE_KEY
from backend.catalog.schemas.admin import AdminProductsParameters
from backend.edge.query import Fields, QueryReader

PRODUCT = (
    "id", "handle", "title", "subtitle", "description", "status", "thumbnail", "weight", "length", "width",
    "height", "hs_code", "origin_country", "mid_code", "material", "collection_id", "type_id", "discountable",
    "created_at", "updated_at",
)  # fmt: skip
VARIANT = (
    "id", "title", "sku", "barcode", "ean", "upc", "allow_backorder", "manage_inventory", "weight", "length",
    "width", "height", "variant_rank", "created_at", "updated_at",
)  # fmt: skip
PRICE = "Variant Price COP"
IS_FREE = "Variant Is Free"
"""Column that only this shop has. The platform's table cannot contain the flag, because it has no metadata."""
LIST_COLUMNS = {
    "Image": (Picture, "images", "url"),
    "Category": (ProductCategory, "categories", "id"),
    "Tag": (ProductHasTag, "tags", "value"),
}
"""Lists of a product that have numbered columns, such as `Product Image 1`, by the word in the heading.

Each value has the database table of the entries, the name of the list in the API, and the exported field of an
entry.
"""
READER = QueryReader(AdminProductsParameters)
FIELDS = Fields("*images,*categories,*tags,*variants,*variants.options,*variants.prices,*options")

Cells = Mapping[str, object]


async def parse_product_conditions(session: AsyncSession, query: str) -> Sequence[ColumnElement[bool]]:
    """Return the SQL conditions for the products that this query of `GET /admin/products` selects.

    Raises:
        RequestValidationError: the query is not valid.
    """
    parameters = READER.read_text(query)
    if not isinstance(parameters, AdminProductsParameters):
        raise TypeError(f"not a query for products: {parameters!r}")
    return await staff_conditions(session, parameters)


async def list_current_columns(session: AsyncSession) -> list[str]:
    """Return the column headings of the file.

    A list, such as tags, has numbered columns: as many as the longest list of any product needs.
    """
    names = [_format_heading("product", name) for name in PRODUCT]
    for name, (table, _list, _field) in LIST_COLUMNS.items():
        names += [f"Product {name} {number + 1}" for number in range(await _count_max(session, table))]
    names += [_format_heading("variant", name) for name in VARIANT]
    options = max(await _count_max(session, ProductOption), 1)
    pairs = ((number + 1, part) for number in range(options) for part in ("Name", "Value"))
    return [*names, PRICE, IS_FREE, *(f"Variant Option {number} {part}" for number, part in pairs)]


async def build_product_cells(
    session: AsyncSession, products: Sequence[Product], _base_url: str
) -> list[Cells]:
    """Return the cells of the products' rows, by heading. URLs of pictures are as stored, without the base URL."""
    ids = [product.id for product in products]
    written = await ProductWriter(session, FIELDS, as_staff=True).write(ids)
    return [cells for product in written for cells in _to_product_cells(product)]


def _to_product_cells(product: Mapping[str, Any]) -> list[Cells]:
    cells: dict[str, object] = {
        _format_heading("product", name): _format_value(product.get(name)) for name in PRODUCT
    }
    for name, (_table, many, field) in LIST_COLUMNS.items():
        cells |= {f"Product {name} {number}": one[field] for number, one in enumerate(product[many], start=1)}
    return [{**cells, **_to_variant_cells(variant)} for variant in product["variants"]] or [cells]


def _to_variant_cells(variant: Mapping[str, Any]) -> dict[str, object]:
    cells: dict[str, object] = {
        _format_heading("variant", name): _format_value(variant.get(name)) for name in VARIANT
    }
    cells[PRICE] = variant["prices"][0]["amount"]
    cells[IS_FREE] = _format_value(bool((variant["metadata"] or {}).get(FREE_KEY)))
    for number, value in enumerate(variant["options"], start=1):
        cells[f"Variant Option {number} Name"] = value["option"]["title"]
        cells[f"Variant Option {number} Value"] = value["value"]
    return cells


async def _count_max(session: AsyncSession, table: Any) -> int:
    """Return the number of rows of this table for the product that has the most."""
    counted = select(func.count().label("n")).select_from(table).group_by(table.product_id).subquery()
    most = await session.execute(select(func.coalesce(func.max(counted.c.n), 0)))
    return int(most.scalar_one())


def _format_heading(of: str, name: str) -> str:
    return " ".join(part.capitalize() for part in (of, *name.split("_")))


def _format_value(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
