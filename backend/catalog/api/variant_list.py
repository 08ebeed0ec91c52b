"""List of the variants of products for sale in the Store API (wire: commerce-api-shapes)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.answers import ProductOut, VariantOut
from backend.catalog.api.product_rows import ProductScope
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.models import Product, Variant, for_sale
from backend.catalog.schemas.store import VariantFilters, VariantsParameters
from backend.catalog.search.engine import find_matches
from backend.catalog.search.query_words import SearchWords
from backend.edge.query import Fields, in_clauses, moment_clauses, order_clauses, where_clauses
from backend.edge.wire import JsonDict

VARIANT_ORDER = {"title": Variant.title, "sku": Variant.sku, "created_at": Variant.created_at}
_PRODUCT_FIELDS = ("id", "type_id")
_PICTURE_PRODUCT_FIELDS = ("id", "type_id", "type")


async def variants_page(
    session: AsyncSession, params: VariantsParameters, words: SearchWords
) -> tuple[Sequence[str], int]:
    """Return the ids of the variants on the requested page, and the number of all that match the query.

    The parameter `q` is searched for in the variants' products.

    Raises:
        InvalidData: variants cannot be sorted by the given order.
    """
    searched = {id(part): await find_matches(session, part.q or "", words) for part in params.parts()}

    def conditions(part: VariantsParameters) -> list[ColumnElement[bool]]:
        found = searched.get(id(part))
        text_conditions = [] if found is None else [Variant.product_id.in_(select(found.c.product_id))]
        return [*variant_conditions(part), *text_conditions]

    query = select(Variant.id).join(Product, Product.id == Variant.product_id)
    query = query.where(for_sale(), *where_clauses(params, conditions))
    order = order_clauses(params.order, VARIANT_ORDER, [Variant.product_id, Variant.rank, Variant.id])
    count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
    page = query.order_by(*order).offset(params.offset).limit(params.limit)
    return (await session.execute(page)).scalars().all(), count


def variant_conditions(params: VariantFilters) -> list[ColumnElement[bool]]:
    """Return the conditions on variants, without `q`."""
    return [
        *moment_clauses(params, Variant.created_at, Variant.updated_at),
        *in_clauses(
            (Variant.id, params.id),
            (Variant.product_id, params.product_id),
            (Variant.sku, params.sku),
            (Variant.ean, params.ean),
        ),
    ]


async def write_variants(
    session: AsyncSession, variant_ids: Sequence[str], fields: Fields, base_url: str
) -> list[VariantOut]:
    """Return these variants as the platform's JSON, in this order, with the requested `fields`.

    Variants of products that are not for sale are left out.
    """
    products_of_variants = select(Variant.product_id).where(Variant.id.in_(variant_ids))
    product_ids = (await session.execute(products_of_variants)).scalars().all()
    variant_parts = [
        name for name in ("calculated_price", "inventory_quantity", "images") if _is_requested(fields, name)
    ]
    product_fields = Fields(",".join(f"+variants.{name}" for name in variant_parts))
    products = await ProductWriter(session, product_fields, base_url=base_url).write(
        product_ids, ProductScope.FOR_SALE
    )
    variants_by_id = {
        variant["id"]: (product, variant) for product in products for variant in product["variants"]
    }
    return [
        fields.pick(cast(VariantOut, _variant_json(*variants_by_id[one], fields)))
        for one in variant_ids
        if one in variants_by_id
    ]


def _is_requested(fields: Fields, name: str) -> bool:
    return fields.wants(name, by_default=name == "images")


def _variant_json(product: ProductOut, variant: VariantOut, fields: Fields) -> JsonDict:
    shown: JsonDict = {name: value for name, value in variant.items() if name != "deleted_at"}
    all_product_fields = {
        name: value for name, value in product.items() if name not in ("variants", "images", "options")
    }
    shown["product"] = all_product_fields if fields.wants("product") else _pick_keys(product, _PRODUCT_FIELDS)
    if not fields.wants("options.option"):
        shown["options"] = [
            {**one, "option": _pick_keys(one["option"], ("id",))} for one in variant["options"]
        ]
    if "images" in variant:
        picture_relations = {"product": _pick_keys(product, _PICTURE_PRODUCT_FIELDS), "variants": []}
        shown["images"] = [{**picture, **picture_relations} for picture in variant["images"]]
    return shown


def _pick_keys(value: Mapping[str, Any], names: Iterable[str]) -> JsonDict:
    return {name: value[name] for name in names}
