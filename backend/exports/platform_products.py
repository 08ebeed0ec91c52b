"""The platform's table of products, a row for each variant: what `POST /admin/products/import` takes back unchanged."""

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
"""The platform keeps it in the variant's metadata, of which its table has no column."""
LISTS = {
    "Image": (Picture, "images", "url"),
    "Category": (ProductCategory, "categories", "id"),
    "Tag": (ProductHasTag, "tags", "value"),
}
"""By what stands between `Product` and the number: the table of their rows, the list on the wire, and what of each."""
READER = QueryReader(AdminProductsParameters)
FIELDS = Fields("*images,*categories,*tags,*variants,*variants.options,*variants.prices,*options")

Cells = Mapping[str, object]


async def conditions_of_query(session: AsyncSession, query: str) -> Sequence[ColumnElement[bool]]:
    """Which products a query of `GET /admin/products` means.

    Raises:
        RequestValidationError: it is none.
    """
    asked = READER.read_text(query)
    if not isinstance(asked, AdminProductsParameters):
        raise TypeError(f"not a query for products: {asked!r}")
    return await staff_conditions(session, asked)


async def columns_now(session: AsyncSession) -> list[str]:
    """The headings: as many places of each list as the product with the most of them has now."""
    names = [_heading("product", name) for name in PRODUCT]
    for name, (table, _list, _field) in LISTS.items():
        names += [f"Product {name} {number + 1}" for number in range(await _most(session, table))]
    names += [_heading("variant", name) for name in VARIANT]
    options = max(await _most(session, ProductOption), 1)
    pairs = ((number + 1, part) for number in range(options) for part in ("Name", "Value"))
    return [*names, PRICE, IS_FREE, *(f"Variant Option {number} {part}" for number, part in pairs)]


async def product_cells(session: AsyncSession, products: Sequence[Product]) -> list[Cells]:
    """The products' cells by their headings."""
    ids = [product.id for product in products]
    written = await ProductWriter(session, FIELDS, as_staff=True).write(ids)
    return [cells for product in written for cells in _of_product(product)]


def _of_product(product: Mapping[str, Any]) -> list[Cells]:
    cells: dict[str, object] = {_heading("product", name): _text(product.get(name)) for name in PRODUCT}
    for name, (_table, many, field) in LISTS.items():
        cells |= {f"Product {name} {number}": one[field] for number, one in enumerate(product[many], start=1)}
    return [{**cells, **_of_variant(variant)} for variant in product["variants"]] or [cells]


def _of_variant(variant: Mapping[str, Any]) -> dict[str, object]:
    cells: dict[str, object] = {_heading("variant", name): _text(variant.get(name)) for name in VARIANT}
    cells[PRICE] = variant["prices"][0]["amount"]
    cells[IS_FREE] = _text(bool((variant["metadata"] or {}).get(FREE_KEY)))
    for number, value in enumerate(variant["options"], start=1):
        cells[f"Variant Option {number} Name"] = value["option"]["title"]
        cells[f"Variant Option {number} Value"] = value["value"]
    return cells


async def _most(session: AsyncSession, table: Any) -> int:
    """The most rows of this table that one product has."""
    counted = select(func.count().label("n")).select_from(table).group_by(table.product_id).subquery()
    most = await session.execute(select(func.coalesce(func.max(counted.c.n), 0)))
    return int(most.scalar_one())


def _heading(of: str, name: str) -> str:
    return " ".join(part.capitalize() for part in (of, *name.split("_")))


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
