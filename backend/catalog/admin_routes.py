"""The catalogue for staff: products and their variants (spec: Admin API)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import (
    AdminProductsParameters,
    ChannelsAnswer,
    KeysAnswer,
    NewProduct,
    NewVariant,
    ProductChange,
    VariantChange,
)
from backend.catalog.edit import (
    add_variant,
    change_product,
    change_variant,
    create_product,
    delete_product,
    delete_variant,
)
from backend.catalog.listing import COLUMNS, product_page
from backend.catalog.models import Product, PublishableKey, SalesChannel, Variant
from backend.catalog.schemas import ProductAnswer, ProductsAnswer
from backend.catalog.wire import ProductWriter
from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.fields import Fields
from backend.edge.guard import STAFF_ONLY
from backend.edge.lists import listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import Deleted, ListParameters
from backend.edge.wire import JsonDict, Wire, iso, stamps
from backend.errors import NotFound

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)


@router.get("/products", response_model=ProductsAnswer)
async def list_products(
    asked: Annotated[AdminProductsParameters, read_query(AdminProductsParameters)], database: Db
) -> Wire:
    """The products, drafts included. `q` is a part of a title, a handle or a SKU: the search knows no drafts."""
    conditions: list[ColumnElement[bool]] = [Product.deleted_at.is_(None)]
    if asked.status is not None:
        conditions.append(Product.status.in_(asked.status))
    if asked.q:
        conditions.append(_mentions(asked.q))
        asked = asked.model_copy(update={"q": None})
    async with database.read() as session:
        page = await product_page(session, asked, *conditions)
        products = await ProductWriter(session, Fields(asked.fields), as_staff=True).write(page.rows)
    return Wire({"products": products, "count": page.count, "offset": asked.offset, "limit": asked.limit})


@router.post("/products", response_model=ProductAnswer)
async def create(body: NewProduct, database: Db, fields: Shown) -> Wire:
    """A new product. It may not name its collection or categories: those are assigned by their own routes."""
    async with database.transaction() as session:
        product_id = await create_product(session, body)
        return await _product(session, product_id, fields)


@router.get("/products/{product_id}", response_model=ProductAnswer)
async def read(product_id: str, database: Db, fields: Shown) -> Wire:
    """The product, whatever its status."""
    async with database.read() as session:
        return await _product(session, product_id, fields)


@router.post("/products/{product_id}", response_model=ProductAnswer)
async def update(product_id: str, body: ProductChange, database: Db, fields: Shown) -> Wire:
    """Change what is said, leave the rest. `category_ids` and `collection_id` are refused (spec: Errors)."""
    async with database.transaction() as session:
        await change_product(session, product_id, body)
        return await _product(session, product_id, fields)


@router.delete("/products/{product_id}", response_model=Deleted)
async def delete(product_id: str, database: Db) -> Wire:
    """Take the product out of the shop."""
    async with database.transaction() as session:
        await delete_product(session, product_id)
    return Wire({"id": product_id, "object": "product", "deleted": True})


@router.get("/products/{product_id}/variants")
async def list_variants(
    product_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire:
    """The product's variants."""
    async with database.read() as session:
        variants = (await _written(session, product_id, Fields("*variants,+variants.inventory_quantity")))[
            "variants"
        ]
    return Wire(listed("variants", page_of(variants, asked), len(variants), asked))


@router.post("/products/{product_id}/variants", response_model=ProductAnswer)
async def create_variant(product_id: str, body: NewVariant, database: Db, fields: Shown) -> Wire:
    """A new variant of the product."""
    async with database.transaction() as session:
        await add_variant(session, product_id, body)
        return await _product(session, product_id, fields)


@router.post("/products/{product_id}/variants/{variant_id}", response_model=ProductAnswer)
async def update_variant(
    product_id: str, variant_id: str, body: VariantChange, database: Db, fields: Shown
) -> Wire:
    """Change a variant: its prices, for example."""
    async with database.transaction() as session:
        await change_variant(session, product_id, variant_id, body)
        return await _product(session, product_id, fields)


@router.delete("/products/{product_id}/variants/{variant_id}", response_model=Deleted)
async def remove_variant(product_id: str, variant_id: str, database: Db) -> Wire:
    """Take a variant out of the shop."""
    async with database.transaction() as session:
        await delete_variant(session, product_id, variant_id)
    return Wire({"id": variant_id, "object": "variant", "deleted": True})


@router.get("/sales-channels", response_model=ChannelsAnswer)
async def list_channels(asked: Annotated[ListParameters, read_query(ListParameters)], database: Db) -> Wire:
    """The ways to sell."""
    async with database.read() as session:
        channels = (await session.execute(select(SalesChannel).order_by(SalesChannel.id))).scalars().all()
    shown = [channel_wire(channel) for channel in page_of(channels, asked)]
    return Wire(listed("sales_channels", shown, len(channels), asked))


@router.get("/api-keys", response_model=KeysAnswer)
async def list_keys(asked: Annotated[ListParameters, read_query(ListParameters)], database: Db) -> Wire:
    """The publishable keys, which storefronts send with every call."""
    query = select(PublishableKey, SalesChannel).join(
        SalesChannel, SalesChannel.id == PublishableKey.sales_channel_id
    )
    async with database.read() as session:
        found = (await session.execute(query.order_by(PublishableKey.created_at))).all()
    shown = [_key(key, channel) for key, channel in page_of(found, asked)]
    return Wire(listed("api_keys", shown, len(found), asked))


def _mentions(text: str) -> ColumnElement[bool]:
    with_sku = select(Variant.product_id).where(Variant.sku.icontains(text, autoescape=True))
    return or_(
        Product.title.icontains(text, autoescape=True),
        Product.handle.icontains(text, autoescape=True),
        Product.id.in_(with_sku),
    )


def channel_wire(channel: SalesChannel) -> JsonDict:
    """A way to sell."""
    return {
        "id": channel.id,
        "name": channel.name,
        "description": None,
        "is_disabled": False,
        "metadata": None,
        **stamps(channel.created_at, channel.updated_at),
        "deleted_at": None,
    }


def _key(key: PublishableKey, channel: SalesChannel) -> JsonDict:
    return {
        "id": f"apk_{key.token.removeprefix('pk_')[:26]}",
        "token": key.token,
        "redacted": f"{key.token[:6]}***{key.token[-3:]}",
        "title": key.title,
        "type": "publishable",
        "last_used_at": None,
        "revoked_at": None,
        "sales_channels": [{"id": channel.id, "name": channel.name}],
        "created_at": iso(key.created_at),
        "updated_at": iso(key.updated_at),
    }


async def _product(session: AsyncSession, product_id: str, fields: Fields) -> Wire:
    return Wire({"product": await _written(session, product_id, fields)})


async def _written(session: AsyncSession, product_id: str, fields: Fields) -> JsonDict:
    """The product as staff see it.

    Raises:
        NotFound: there is none, or it was deleted.
    """
    await session.flush()
    query = select(*COLUMNS).where(Product.id == product_id, Product.deleted_at.is_(None))
    rows = (await session.execute(query)).all()
    if not rows:
        raise NotFound(f'Product with id "{product_id}" not found')
    (product,) = await ProductWriter(session, fields, as_staff=True).write(rows)
    return product
