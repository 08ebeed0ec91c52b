"""Collections and categories for staff, and the only two ways to assign products to them (spec: Admin API)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import (
    AdminCategoriesParameters,
    Assignment,
    CategoryChange,
    CollectionChange,
    NewCategory,
    NewCollection,
)
from backend.catalog.arrange import (
    arrange_category,
    arrange_collection,
    change_category,
    change_collection,
    create_category,
    create_collection,
    delete_category,
    delete_collection,
)
from backend.catalog.category_wire import category_wire
from backend.catalog.models import Collection
from backend.catalog.routes import matching_categories, matching_collections
from backend.catalog.schemas import (
    CategoriesAnswer,
    CategoryAnswer,
    CategoryParameters,
    CollectionAnswer,
    CollectionsAnswer,
    CollectionsParameters,
)
from backend.catalog.tree import read_tree
from backend.catalog.wire import collection_wire
from backend.edge.dependencies import Db, Shown
from backend.edge.docs import REFUSALS
from backend.edge.fields import Fields
from backend.edge.guard import STAFF_ONLY
from backend.edge.lists import listed, page_of
from backend.edge.query import read_query
from backend.edge.route import WireRoute
from backend.edge.schemas import Deleted
from backend.edge.wire import Wire
from backend.errors import NotFound

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=STAFF_ONLY,
)


@router.get("/collections", response_model=CollectionsAnswer)
async def list_collections(
    asked: Annotated[CollectionsParameters, read_query(CollectionsParameters)], database: Db
) -> Wire:
    """The collections; `title` finds one by its exact title."""
    async with database.read() as session:
        collections, count = await matching_collections(session, asked)
    return Wire(listed("collections", map(collection_wire, collections), count, asked))


@router.post("/collections", response_model=CollectionAnswer)
async def create(body: NewCollection, database: Db, fields: Shown) -> Wire:
    """A new collection."""
    async with database.transaction() as session:
        return _collection(await create_collection(session, body), fields)


@router.get("/collections/{collection_id}", response_model=CollectionAnswer)
async def read(collection_id: str, database: Db, fields: Shown) -> Wire:
    """The collection."""
    async with database.read() as session:
        collection = await session.get(Collection, collection_id)
    if collection is None:
        raise NotFound(f"Collection with id: {collection_id} was not found")
    return _collection(collection, fields)


@router.post("/collections/{collection_id}", response_model=CollectionAnswer)
async def update(collection_id: str, body: CollectionChange, database: Db, fields: Shown) -> Wire:
    """Change what is said of the collection."""
    async with database.transaction() as session:
        return _collection(await change_collection(session, collection_id, body), fields)


@router.delete("/collections/{collection_id}", response_model=Deleted)
async def delete(collection_id: str, database: Db) -> Wire:
    """Take the collection away; its products stay."""
    async with database.transaction() as session:
        await delete_collection(session, collection_id)
    return Wire({"id": collection_id, "object": "collection", "deleted": True})


@router.post("/collections/{collection_id}/products", response_model=CollectionAnswer)
async def arrange(collection_id: str, body: Assignment, database: Db, fields: Shown) -> Wire:
    """Put products into the collection and take products out."""
    async with database.transaction() as session:
        collection = await arrange_collection(session, collection_id, body.add or (), body.remove or ())
        return _collection(collection, fields)


@router.get("/product-categories", response_model=CategoriesAnswer)
async def list_categories(
    asked: Annotated[AdminCategoriesParameters, read_query(AdminCategoriesParameters)], database: Db
) -> Wire:
    """The categories."""
    async with database.read() as session:
        tree = await read_tree(session)
    is_none = asked.is_active is False or asked.is_internal is True  # all are active, none is internal
    found = [] if is_none else matching_categories(tree, asked)
    shown = [
        category_wire(
            tree,
            category,
            descendants=asked.include_descendants_tree,
            ancestors=asked.include_ancestors_tree,
            as_staff=True,
        )
        for category in page_of(found, asked)
    ]
    return Wire(listed("product_categories", shown, len(found), asked))


@router.post("/product-categories", response_model=CategoryAnswer)
async def create_a_category(body: NewCategory, database: Db, fields: Shown) -> Wire:
    """A new category; it may sit under a parent."""
    async with database.transaction() as session:
        category = await create_category(session, body)
        return await _category(session, category.id, fields)


@router.get("/product-categories/{category_id}", response_model=CategoryAnswer)
async def read_category(
    category_id: str, asked: Annotated[CategoryParameters, read_query(CategoryParameters)], database: Db
) -> Wire:
    """The category."""
    async with database.read() as session:
        return await _category(
            session,
            category_id,
            Fields(asked.fields),
            descendants=asked.include_descendants_tree,
            ancestors=asked.include_ancestors_tree,
        )


@router.post("/product-categories/{category_id}", response_model=CategoryAnswer)
async def update_category(category_id: str, body: CategoryChange, database: Db, fields: Shown) -> Wire:
    """Change what is said of the category."""
    async with database.transaction() as session:
        await change_category(session, category_id, body)
        return await _category(session, category_id, fields)


@router.delete("/product-categories/{category_id}", response_model=Deleted)
async def remove_category(category_id: str, database: Db) -> Wire:
    """Take the category away; its products stay."""
    async with database.transaction() as session:
        await delete_category(session, category_id)
    return Wire({"id": category_id, "object": "product_category", "deleted": True})


@router.post("/product-categories/{category_id}/products", response_model=CategoryAnswer)
async def arrange_in_category(category_id: str, body: Assignment, database: Db, fields: Shown) -> Wire:
    """Put products into the category and take products out."""
    async with database.transaction() as session:
        await arrange_category(session, category_id, body.add or (), body.remove or ())
        return await _category(session, category_id, fields)


def _collection(collection: Collection, fields: Fields) -> Wire:
    return Wire({"collection": fields.pick(collection_wire(collection))})


async def _category(
    session: AsyncSession,
    category_id: str,
    fields: Fields,
    *,
    descendants: bool = False,
    ancestors: bool = False,
) -> Wire:
    await session.flush()
    tree = await read_tree(session)
    category = tree.by_id.get(category_id)
    if category is None:
        raise NotFound(f"Product category with id: {category_id} was not found")
    shown = category_wire(tree, category, descendants=descendants, ancestors=ancestors, as_staff=True)
    return Wire({"product_category": fields.pick(shown)})
