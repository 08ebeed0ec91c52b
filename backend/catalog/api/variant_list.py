"""Variants of products for sale, as shoppers' programs list them across products (wire: commerce-api-shapes)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.answers import ProductOut, VariantOut
from backend.catalog.api.product_rows import Among
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.models import Product, Variant, for_sale
from backend.catalog.schemas.store import VariantFilters, VariantsParameters
from backend.catalog.search.index import matches
from backend.catalog.search.query_words import SearchWords
from backend.edge.query import Fields, in_order, met, moments, one_of
from backend.edge.wire import JsonDict

VARIANT_ORDER = {"title": Variant.title, "sku": Variant.sku, "created_at": Variant.created_at}
_OF_PRODUCT = ("id", "type_id")
_OF_PICTURES_PRODUCT = ("id", "type_id", "type")


async def variants_page(
    session: AsyncSession, asked: VariantsParameters, words: SearchWords
) -> tuple[Sequence[str], int]:
    """The ids of the variants that were asked for, and how many they are in all. `q` finds products, as there.

    Raises:
        InvalidData: they cannot be ordered by what was asked.
    """
    searched = {id(part): await matches(session, part.q or "", words) for part in asked.parts()}

    def conditions(part: VariantsParameters) -> list[ColumnElement[bool]]:
        found = searched.get(id(part))
        of_words = [] if found is None else [Variant.product_id.in_(select(found.c.product_id))]
        return [*of_variants(part), *of_words]

    query = select(Variant.id).join(Product, Product.id == Variant.product_id)
    query = query.where(for_sale(), *met(asked, conditions))
    order = in_order(asked.order, VARIANT_ORDER, [Variant.product_id, Variant.rank, Variant.id])
    count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
    page = query.order_by(*order).offset(asked.offset).limit(asked.limit)
    return (await session.execute(page)).scalars().all(), count


def of_variants(asked: VariantFilters) -> list[ColumnElement[bool]]:
    """The conditions on variants, without `q`."""
    return [
        *moments(asked, Variant.created_at, Variant.updated_at),
        *one_of(
            (Variant.id, asked.id),
            (Variant.product_id, asked.product_id),
            (Variant.sku, asked.sku),
            (Variant.ean, asked.ean),
        ),
    ]


async def write_variants(
    session: AsyncSession, variant_ids: Sequence[str], fields: Fields, base_url: str
) -> list[VariantOut]:
    """The variants as the platform lists them, in this order, with what `fields` asks for."""
    of_these = select(Variant.product_id).where(Variant.id.in_(variant_ids))
    product_ids = (await session.execute(of_these)).scalars().all()
    wanted = [name for name in ("calculated_price", "inventory_quantity", "images") if _wants(fields, name)]
    written = Fields(",".join(f"+variants.{name}" for name in wanted))
    products = await ProductWriter(session, written, base_url=base_url).write(product_ids, Among.FOR_SALE)
    known = {variant["id"]: (product, variant) for product in products for variant in product["variants"]}
    return [
        fields.pick(cast(VariantOut, _written(*known[one], fields))) for one in variant_ids if one in known
    ]


def _wants(fields: Fields, name: str) -> bool:
    return fields.wants(name, by_default=name == "images")


def _written(product: ProductOut, variant: VariantOut, fields: Fields) -> JsonDict:
    shown: JsonDict = {name: value for name, value in variant.items() if name != "deleted_at"}
    whole = {name: value for name, value in product.items() if name not in ("variants", "images", "options")}
    shown["product"] = whole if fields.wants("product") else _some(product, _OF_PRODUCT)
    if not fields.wants("options.option"):
        shown["options"] = [{**one, "option": _some(one["option"], ("id",))} for one in variant["options"]]
    if "images" in variant:
        beside = {"product": _some(product, _OF_PICTURES_PRODUCT), "variants": []}
        shown["images"] = [{**picture, **beside} for picture in variant["images"]]
    return shown


def _some(value: Mapping[str, Any], names: Iterable[str]) -> JsonDict:
    return {name: value[name] for name in names}
