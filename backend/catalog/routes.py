"""The catalogue for storefronts, read live: products are never cached (spec: Storefront view rules 5)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_wire import category_wire
from backend.catalog.conditions import for_sale
from backend.catalog.listing import COLUMNS, product_page
from backend.catalog.models import Category, Collection, Product, Region
from backend.catalog.region_wire import region_wire
from backend.catalog.schemas import (
    CategoriesAnswer,
    CategoriesParameters,
    CategoryAnswer,
    CategoryParameters,
    CollectionAnswer,
    CollectionsAnswer,
    CollectionsParameters,
    PriceContext,
    ProductAnswer,
    ProductParameters,
    ProductsAnswer,
    ProductsParameters,
    RegionAnswer,
    RegionsAnswer,
)
from backend.catalog.tree import Tree, read_tree
from backend.catalog.wire import ProductWriter, collection_wire
from backend.edge.dependencies import Channel, Db, ShopSettings, Shown, sales_channel
from backend.edge.docs import REFUSALS
from backend.edge.fields import Fields
from backend.edge.lists import in_order, listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Wire
from backend.errors import InvalidData, NotFound
from backend.words import fold

router = APIRouter(
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)

NO_REGION = "Missing required pricing context to calculate prices - region_id"
COLLECTION_ORDER = {
    "title": Collection.title,
    "handle": Collection.handle,
    "created_at": Collection.created_at,
}
CATEGORY_ORDER: dict[str, Callable[[Category], Any]] = {
    "name": lambda category: fold(category.name),
    "rank": lambda category: (category.rank, category.name),
    "handle": lambda category: category.handle,
    "created_at": lambda category: category.created_at,
}


@router.get("/store/products", response_model=ProductsAnswer)
async def list_products(
    asked: Annotated[ProductsParameters, read_query(ProductsParameters)],
    channel: Channel,
    database: Db,
    settings: ShopSettings,
) -> Wire:
    """The products for sale."""
    fields = Fields(asked.fields)
    async with database.read() as session:
        await _require_price_context(session, fields, asked)
        if asked.sales_channel_id is not None and channel not in asked.sales_channel_id:
            return Wire({"products": [], "count": 0, "offset": asked.offset, "limit": asked.limit})
        page = await product_page(session, asked, for_sale())
        products = await ProductWriter(session, fields, base_url=settings.base_url).write(page.rows)
    return Wire({"products": products, "count": page.count, "offset": asked.offset, "limit": asked.limit})


@router.get("/store/products/{product_id}", response_model=ProductAnswer)
async def read_product(
    product_id: str,
    asked: Annotated[ProductParameters, read_query(ProductParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire:
    """The product, if it is for sale."""
    fields = Fields(asked.fields)
    async with database.read() as session:
        await _require_price_context(session, fields, asked)
        query = select(*COLUMNS).where(Product.id == product_id, for_sale())
        rows = (await session.execute(query)).all()
        if not rows:
            raise NotFound(f"Product with id: {product_id} was not found")
        (product,) = await ProductWriter(session, fields, base_url=settings.base_url).write(rows)
    return Wire({"product": product})


@router.get("/store/product-categories", response_model=CategoriesAnswer)
async def list_categories(
    asked: Annotated[CategoriesParameters, read_query(CategoriesParameters)], database: Db
) -> Wire:
    """The categories; `parent_category_id=null&include_descendants_tree=true` gives the whole tree."""
    async with database.read() as session:
        tree = await read_tree(session)
    found = matching_categories(tree, asked)
    shown = [
        category_wire(
            tree,
            category,
            descendants=asked.include_descendants_tree,
            ancestors=asked.include_ancestors_tree,
        )
        for category in page_of(found, asked)
    ]
    return Wire(listed("product_categories", shown, len(found), asked))


@router.get("/store/product-categories/{category_id}", response_model=CategoryAnswer)
async def read_category(
    category_id: str, asked: Annotated[CategoryParameters, read_query(CategoryParameters)], database: Db
) -> Wire:
    """The category."""
    async with database.read() as session:
        tree = await read_tree(session)
    category = tree.by_id.get(category_id)
    if category is None:
        raise NotFound(f"Product category with id: {category_id} was not found")
    shown = category_wire(
        tree, category, descendants=asked.include_descendants_tree, ancestors=asked.include_ancestors_tree
    )
    return Wire({"product_category": Fields(asked.fields).pick(shown)})


@router.get("/store/collections", response_model=CollectionsAnswer)
async def list_collections(
    asked: Annotated[CollectionsParameters, read_query(CollectionsParameters)], database: Db
) -> Wire:
    """The collections."""
    async with database.read() as session:
        collections, count = await matching_collections(session, asked)
    shown = [_without_staff_fields(collection) for collection in collections]
    return Wire(listed("collections", shown, count, asked))


@router.get("/store/collections/{collection_id}", response_model=CollectionAnswer)
async def read_collection(collection_id: str, database: Db, fields: Shown) -> Wire:
    """The collection."""
    async with database.read() as session:
        collection = await session.get(Collection, collection_id)
    if collection is None:
        raise NotFound(f"Collection with id: {collection_id} was not found")
    return Wire({"collection": fields.pick(_without_staff_fields(collection))})


@router.get("/store/regions", response_model=RegionsAnswer)
async def list_regions(asked: Annotated[ListParameters, read_query(ListParameters)], database: Db) -> Wire:
    """The regions: there is one, Colombia (spec: What the service does 1)."""
    async with database.read() as session:
        regions = (await session.execute(select(Region).order_by(Region.id))).scalars().all()
    return Wire(listed("regions", map(region_wire, page_of(regions, asked)), len(regions), asked))


@router.get("/store/regions/{region_id}", response_model=RegionAnswer)
async def read_region(region_id: str, database: Db, fields: Shown) -> Wire:
    """The region."""
    async with database.read() as session:
        region = await session.get(Region, region_id)
    if region is None:
        raise NotFound(f"Region with id: {region_id} not found")
    return Wire({"region": fields.pick(region_wire(region))})


def matching_categories(tree: Tree, asked: CategoriesParameters) -> Sequence[Category]:
    """The categories that were asked for, in order.

    Raises:
        InvalidData: categories cannot be ordered by what was asked.
    """
    name = (asked.order or "rank").removeprefix("-")
    key = CATEGORY_ORDER.get(name)
    if key is None:
        raise InvalidData(f"Invalid request: cannot order by '{name}'; possible: {', '.join(CATEGORY_ORDER)}")
    parents = {None if parent in ("null", "") else parent for parent in asked.parent_category_id or ()}
    found = [
        category
        for category in tree.by_id.values()
        if (asked.id is None or category.id in asked.id)
        and (asked.handle is None or category.handle in asked.handle)
        and (asked.name is None or category.name in asked.name)
        and (asked.parent_category_id is None or category.parent_id in parents)
        and (not asked.q or fold(asked.q) in fold(f"{category.name} {category.handle}"))
    ]
    return sorted(found, key=key, reverse=(asked.order or "").startswith("-"))


async def matching_collections(
    session: AsyncSession, asked: CollectionsParameters
) -> tuple[Sequence[Collection], int]:
    """The asked stretch of the collections that were asked for, and their count."""
    query = select(Collection)
    one_of = ((Collection.id, asked.id), (Collection.handle, asked.handle), (Collection.title, asked.title))
    query = query.where(*(column.in_(values) for column, values in one_of if values is not None))
    if asked.q:
        query = query.where(Collection.title.icontains(asked.q, autoescape=True))
    count = await session.execute(select(func.count()).select_from(query.subquery()))
    query = query.order_by(*in_order(asked.order, COLLECTION_ORDER, [Collection.title, Collection.id]))
    found = await session.execute(query.offset(asked.offset).limit(asked.limit))
    return found.scalars().all(), count.scalar_one()


def _without_staff_fields(collection: Collection) -> dict[str, Any]:
    hidden = ("metadata", "deleted_at")
    return {name: value for name, value in collection_wire(collection).items() if name not in hidden}


async def _require_price_context(session: AsyncSession, fields: Fields, asked: PriceContext) -> None:
    """A calculated price holds in a region.

    Raises:
        InvalidData: a price is asked for, but no region is named.
        NotFound: nobody knows the region.
    """
    if asked.region_id is None:
        if fields.wants("variants.calculated_price"):
            raise InvalidData(NO_REGION)
        return
    if await session.get(Region, asked.region_id) is None:
        raise NotFound(f"Region with id: {asked.region_id} not found")
