"""The Store API of the catalogue. Products are never cached (spec: Storefront view rules 5)."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.answers import (
    CategoriesAnswer,
    CategoryAnswer,
    ProductAnswer,
    ProductsAnswer,
    StoreCollectionAnswer,
    StoreCollectionsAnswer,
    VariantsAnswer,
)
from backend.catalog.api.category_wire import category_wire, store_collection_wire
from backend.catalog.api.list_cache import PageCache
from backend.catalog.api.list_queries import Page, matching_categories, matching_collections, searched_page
from backend.catalog.api.product_rows import ProductScope
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.api.variant_list import variants_page, write_variants
from backend.catalog.category_tree import read_visible_tree
from backend.catalog.collections import find_collection
from backend.catalog.models import for_sale
from backend.catalog.schemas.store import (
    CategoriesParameters,
    CategoryParameters,
    CollectionsParameters,
    PriceContext,
    ProductParameters,
    ProductsParameters,
    VariantsParameters,
)
from backend.catalog.search.query_words import search_words
from backend.channels.answers import RegionAnswer, RegionsAnswer
from backend.channels.models import Region
from backend.channels.wire import region_wire
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData, NotFound, require_found
from backend.edge.dependencies import Channel, Db, RequestedFields, ShopSettings, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.middleware.response_cache import declare_products
from backend.edge.query import (
    Fields,
    name_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import NamedParameters
from backend.edge.wire import Wire

router = APIRouter(
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)

PRICE = "variants.calculated_price"
NO_REGION = "Missing required pricing context to calculate prices - region_id"
REGION_ORDER = {"name": Region.name, "created_at": Region.created_at}
_REGION_BY_ID = select(table_of(Region).c.id).where(table_of(Region).c.id == bindparam("id"))
"""Query for the id of a region. A mapped class instead of the table would cost twice as much."""


@router.get("/store/products")
async def list_products(
    request: Request,
    params: Annotated[ProductsParameters, read_query(ProductsParameters)],
    channel: Channel,
    database: Db,
    settings: ShopSettings,
) -> Wire[ProductsAnswer]:
    """List the products for sale."""
    fields = Fields(params.fields)
    async with database.read() as session:

        async def find() -> Page:
            await _require_price_context(session, params, is_priced=fields.wants(PRICE))
            if params.sales_channel_id is not None and channel not in params.sales_channel_id:
                return Page((), 0)
            words = search_words(settings.search_synonyms)
            return await searched_page(session, params, for_sale(), words)

        pages: PageCache = request.app.state.found_pages
        page = await pages.find(request, channel, params, find)
        writer = ProductWriter(session, fields, base_url=settings.base_url)
        products = await writer.write(page.ids, ProductScope.FOR_SALE)
    return Wire({"products": products, **paging_fields(page.count, params)})


@router.get("/store/products/{product_id}")
async def read_product(
    request: Request,
    product_id: str,
    params: Annotated[ProductParameters, read_query(ProductParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[ProductAnswer]:
    """Get the product if it is for sale."""
    fields = Fields(params.fields)
    async with database.read() as session:
        await _require_price_context(session, params, is_priced=fields.wants(PRICE))
        writer = ProductWriter(session, fields, base_url=settings.base_url)
        found = await writer.write([product_id], ProductScope.FOR_SALE)
    declare_products(request, [product_id])
    if not found:
        raise NotFound(f"Product with id: {product_id} was not found")
    return Wire({"product": found[0]})


@router.get("/store/product-variants")
async def list_variants(
    params: Annotated[VariantsParameters, read_query(VariantsParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[VariantsAnswer]:
    """List the variants of the products for sale, each with its product's id and its pictures."""
    fields = Fields(params.fields)
    async with database.read() as session:
        await _require_price_context(session, params, is_priced=fields.wants("calculated_price"))
        ids, count = await variants_page(session, params, search_words(settings.search_synonyms))
        shown = await write_variants(session, ids, fields, settings.base_url)
    return Wire({"variants": shown, **paging_fields(count, params)})


@router.get("/store/product-categories")
async def list_categories(
    params: Annotated[CategoriesParameters, read_query(CategoriesParameters)], database: Db
) -> Wire[CategoriesAnswer]:
    """List the categories; `parent_category_id=null&include_descendants_tree=true` returns the whole tree."""
    async with database.read() as session:
        tree = await read_visible_tree(session)
    found = matching_categories(tree, params)
    shown = [category_wire(tree, category, params) for category in slice_page(found, params)]
    return Wire({"product_categories": pick_each(shown, params), **paging_fields(len(found), params)})


@router.get("/store/product-categories/{category_id}")
async def read_category(
    category_id: str, params: Annotated[CategoryParameters, read_query(CategoryParameters)], database: Db
) -> Wire[CategoryAnswer]:
    """Get the category."""
    async with database.read() as session:
        tree = await read_visible_tree(session)
    shown = category_wire(tree, tree.find(category_id), params)
    return Wire({"product_category": Fields(params.fields).pick(shown)})


@router.get("/store/collections")
async def list_collections(
    params: Annotated[CollectionsParameters, read_query(CollectionsParameters)], database: Db
) -> Wire[StoreCollectionsAnswer]:
    """List the collections."""
    async with database.read() as session:
        collections, count = await matching_collections(session, params, only_active=True)
    shown = [store_collection_wire(collection) for collection in collections]
    return Wire({"collections": pick_each(shown, params), **paging_fields(count, params)})


@router.get("/store/collections/{collection_id}")
async def read_collection(
    collection_id: str, database: Db, fields: RequestedFields
) -> Wire[StoreCollectionAnswer]:
    """Get the collection."""
    async with database.read() as session:
        collection = await find_collection(session, collection_id)
    require_found(collection if collection.is_active else None, "Collection", collection_id)
    return Wire({"collection": fields.pick(store_collection_wire(collection))})


@router.get("/store/regions")
async def list_regions(
    params: Annotated[NamedParameters, read_query(NamedParameters)], database: Db
) -> Wire[RegionsAnswer]:
    """List the regions: there is one, Colombia (spec: What the service does 1)."""
    order = order_clauses(params.order, REGION_ORDER, [Region.id])
    async with database.read() as session:
        regions, count = await read_page(
            session, Region, where_clauses(params, name_clauses(Region)), order, params
        )
    return Wire({"regions": pick_each(map(region_wire, regions), params), **paging_fields(count, params)})


@router.get("/store/regions/{region_id}")
async def read_region(region_id: str, database: Db, fields: RequestedFields) -> Wire[RegionAnswer]:
    """Get the region."""
    async with database.read() as session:
        region = await session.get(Region, region_id)
    if region is None:
        raise NotFound(f"Region with id: {region_id} not found")
    return Wire({"region": fields.pick(region_wire(region))})


async def _require_price_context(session: AsyncSession, params: PriceContext, *, is_priced: bool) -> None:
    """Check that the region of the request exists, and that a request for calculated prices has a region.

    Raises:
        InvalidData: a price is requested without a region.
        NotFound: the region does not exist.
    """
    if params.region_id is None:
        if is_priced:
            raise InvalidData(NO_REGION)
        return
    if (await session.execute(_REGION_BY_ID, {"id": params.region_id})).first() is None:
        raise NotFound(f"Region with id: {params.region_id} not found")
