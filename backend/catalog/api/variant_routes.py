"""The Admin API of variants of all products (wire: commerce-api, Admin)."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.answers import (
    StaffVariantAnswer,
    StaffVariantsAnswer,
    VariantBatchAnswer,
    VariantWithProduct,
)
from backend.catalog.api.product_commands import to_change_variants
from backend.catalog.api.product_rows import ProductScope
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.api.variant_list import VARIANT_ORDER, variant_conditions
from backend.catalog.models import Product, Variant
from backend.catalog.products.batch import apply_variant_batch
from backend.catalog.schemas.admin import VariantBatch
from backend.catalog.schemas.store import VariantFilters
from backend.catalog.search.variant_search import variant_text_conditions
from backend.core.errors import NotFound
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, order_clauses, paging_fields, pick_each, read_query, where_clauses
from backend.edge.requests import WireRoute
from backend.edge.schemas import Name
from backend.edge.wire import Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: inventory"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_STOCK),
)
_JSON_FIELDS = Fields(
    "*variants,+variants.inventory_quantity,+variants.calculated_price,*variants.inventory_items"
)
_PRODUCT_FIELDS = ("id", "title", "handle", "status", "thumbnail")


class VariantsParameters(VariantFilters):
    """Filters of the list of variants."""

    q: Name | None = Field(
        None, description="Part of a title, of the product's too, of a SKU or of a bar code."
    )


@router.get("/product-variants")
async def list_variants(
    params: Annotated[VariantsParameters, read_query(VariantsParameters)], database: Db
) -> Wire[StaffVariantsAnswer]:
    """List the variants of all products, each with its product."""
    query = select(Variant.id).join(Product, Product.id == Variant.product_id)
    query = query.where(Product.deleted_at.is_(None), *where_clauses(params, _staff_conditions))
    order = order_clauses(params.order, VARIANT_ORDER, [Variant.created_at.desc(), Variant.id])
    async with database.read() as session:
        count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        page = query.order_by(*order).offset(params.offset).limit(params.limit)
        shown = await _variants_json(session, list((await session.execute(page)).scalars()))
    return Wire({"variants": pick_each(shown, params), **paging_fields(count, params)})


@router.post("/products/{product_id}/variants/batch")
async def change_variants(
    actor: StaffMember, product_id: str, body: VariantBatch, database: Db, fields: RequestedFields
) -> Wire[VariantBatchAnswer]:
    """Delete, change and create variants of the product; if one fails, none is changed."""
    changed = [change.id for change in body.update]
    async with database.transaction() as session:
        created = await apply_variant_batch(session, actor, product_id, to_change_variants(body))
        shown = {one["id"]: fields.pick(one) for one in await _variants_json(session, [*created, *changed])}
    return Wire(
        {
            "created": [shown[one] for one in created],
            "updated": [shown[one] for one in changed],
            "deleted": {"ids": list(dict.fromkeys(body.delete)), "object": "variant", "deleted": True},
        }
    )


@router.get("/products/{product_id}/variants/{variant_id}")
async def read_variant(
    product_id: str, variant_id: str, database: Db, fields: RequestedFields
) -> Wire[StaffVariantAnswer]:
    """Get the variant, with its product."""
    query = select(Variant.id).where(Variant.id == variant_id, Variant.product_id == product_id)
    async with database.read() as session:
        found = await _variants_json(session, list((await session.execute(query)).scalars()))
    if not found:
        raise NotFound(f"Variant with id: {variant_id} was not found")
    return Wire({"variant": fields.pick(found[0])})


def _staff_conditions(params: VariantsParameters) -> list[ColumnElement[bool]]:
    return [*variant_conditions(params), *variant_text_conditions(params.q)]


async def _variants_json(session: AsyncSession, variant_ids: list[str]) -> list[VariantWithProduct]:
    """Return the variants as JSON for staff, in this order. Variants of deleted products are left out."""
    products_of_variants = select(Variant.product_id).where(Variant.id.in_(variant_ids))
    product_ids = (await session.execute(products_of_variants)).scalars().all()
    products = await ProductWriter(session, _JSON_FIELDS, as_staff=True).write(product_ids, ProductScope.KEPT)
    variants_by_id: dict[str, VariantWithProduct] = {
        variant["id"]: {
            **variant,
            "product": {name: product.get(name) for name in _PRODUCT_FIELDS},
            "inventory": [link["inventory"] for link in variant["inventory_items"]],
        }
        for product in products
        for variant in product["variants"]
    }
    return [variants_by_id[variant_id] for variant_id in variant_ids if variant_id in variants_by_id]
