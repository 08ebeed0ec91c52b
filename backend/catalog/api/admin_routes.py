"""The Admin API of the catalogue: products, variants, collections and categories (spec: Admin API)."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog import categories, collections
from backend.catalog.answers import (
    CategoriesAnswer,
    CategoryAnswer,
    CollectionAnswer,
    CollectionsAnswer,
    ProductAnswer,
    ProductBatchAnswer,
    ProductOptionAnswer,
    ProductOptionsAnswer,
    ProductOut,
    ProductsAnswer,
    VariantsAnswer,
)
from backend.catalog.api.admin_list_queries import filters_of_staff, missing_in
from backend.catalog.api.category_wire import category_wire, collection_wire
from backend.catalog.api.list_queries import matching_categories, matching_collections, product_page
from backend.catalog.api.product_commands import (
    to_change_product,
    to_change_products,
    to_create_product,
    to_write_variant,
)
from backend.catalog.api.product_rows import Among
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.category_tree import read_tree
from backend.catalog.models import Collection
from backend.catalog.products import option_service
from backend.catalog.products import service as products
from backend.catalog.products.batch import apply_batch
from backend.catalog.products.options import SaidOption
from backend.catalog.schemas.admin import (
    AdminCategoriesParameters,
    AdminProductsParameters,
    Assignment,
    CategoryChange,
    CollectionChange,
    NewCategory,
    NewCollection,
    NewOption,
    NewProduct,
    NewVariant,
    OptionChange,
    ProductBatch,
    ProductUpdate,
    VariantUpdate,
)
from backend.catalog.schemas.store import CategoryParameters, CollectionsParameters
from backend.catalog.search.staff_search import conditions_of
from backend.core.errors import InvalidData, NotFound
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, page_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_CATALOG),
)


@router.get("/products")
async def list_products(
    asked: Annotated[AdminProductsParameters, read_query(AdminProductsParameters)], database: Db
) -> Wire[ProductsAnswer]:
    """The products, drafts included. `q`: beginnings of words of title and handle, or of a code."""
    async with database.read() as session:
        conditions = await conditions_of(session, missing_in(asked))
        filters = await filters_of_staff(session, asked)
        page = await product_page(session, asked, *conditions, filters=filters)
        found = await ProductWriter(session, Fields(asked.fields), as_staff=True).write(page.ids, Among.KEPT)
    return Wire({"products": found, **paging(page.count, asked)})


@router.post("/products")
async def create_product(
    actor: StaffMember, body: NewProduct, database: Db, fields: Shown
) -> Wire[ProductAnswer]:
    """A new product. It may not name its collection or categories: those are assigned by their own routes."""
    async with database.transaction() as session:
        product_id = await products.create_product(session, actor, to_create_product(body))
        return await _product(session, product_id, fields)


@router.post("/products/batch")
async def change_products(
    actor: StaffMember, body: ProductBatch, database: Db, fields: Shown
) -> Wire[ProductBatchAnswer]:
    """Delete, change and create products, in this order: all of it happens, or nothing."""
    changed = [change.id for change in body.update]
    async with database.transaction() as session:
        created = await apply_batch(session, actor, to_change_products(body))
        shown = await _all_written(session, [*created, *changed], fields)
    return Wire(
        {
            "created": [shown[product_id] for product_id in created],
            "updated": [shown[product_id] for product_id in changed],
            "deleted": {"ids": list(dict.fromkeys(body.delete)), "object": "product", "deleted": True},
        }
    )


@router.get("/products/{product_id}")
async def read_product(product_id: str, database: Db, fields: Shown) -> Wire[ProductAnswer]:
    """The product, whatever its status."""
    async with database.read() as session:
        return await _product(session, product_id, fields)


@router.post("/products/{product_id}")
async def update_product(
    actor: StaffMember, product_id: str, body: ProductUpdate, database: Db, fields: Shown
) -> Wire[ProductAnswer]:
    """Change what is said, leave the rest. `category_ids` is refused (spec: Errors).

    So are `collection_id` and `categories`, unless they are what the product has already.
    """
    async with database.transaction() as session:
        await products.change_product(session, actor, product_id, to_change_product(body))
        return await _product(session, product_id, fields)


@router.delete("/products/{product_id}")
async def delete_product(actor: StaffMember, product_id: str, database: Db) -> Wire[Deleted]:
    """Take the product out of the shop."""
    async with database.transaction() as session:
        await products.delete_product(session, actor, product_id)
    return Wire({"id": product_id, "object": "product", "deleted": True})


_VARIANTS = Fields("*variants,+variants.inventory_quantity,*variants.inventory_items")


@router.get("/products/{product_id}/variants")
async def list_variants(
    product_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[VariantsAnswer]:
    """The product's variants."""
    async with database.read() as session:
        variants = (await _written(session, product_id, _VARIANTS))["variants"]
    return Wire({"variants": pick_each(page_of(variants, asked), asked), **paging(len(variants), asked)})


@router.post("/products/{product_id}/variants")
async def create_variant(
    actor: StaffMember, product_id: str, body: NewVariant, database: Db, fields: Shown
) -> Wire[ProductAnswer]:
    """A new variant of the product."""
    async with database.transaction() as session:
        await products.add_variant(session, actor, product_id, to_write_variant(body))
        return await _product(session, product_id, fields)


@router.post("/products/{product_id}/variants/{variant_id}")
async def update_variant(
    *, actor: StaffMember, product_id: str, variant_id: str, body: VariantUpdate, database: Db, fields: Shown
) -> Wire[ProductAnswer]:
    """Change a variant: its prices, for example."""
    if body.id not in (None, variant_id):
        raise InvalidData(f"Invalid request: Value for field 'id' must be {variant_id}")
    async with database.transaction() as session:
        change = to_write_variant(body, variant_id)
        await products.change_variant(session, actor, product_id, variant_id, change)
        return await _product(session, product_id, fields)


@router.delete("/products/{product_id}/variants/{variant_id}")
async def delete_variant(actor: StaffMember, product_id: str, variant_id: str, database: Db) -> Wire[Deleted]:
    """Take a variant out of the shop."""
    async with database.transaction() as session:
        await products.delete_variant(session, actor, product_id, variant_id)
    return Wire({"id": variant_id, "object": "variant", "deleted": True})


@router.get("/products/{product_id}/options")
async def list_options(
    product_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[ProductOptionsAnswer]:
    """In what the product's variants differ."""
    async with database.read() as session:
        options = (await _written(session, product_id, Fields("*options")))["options"]
    return Wire({"product_options": pick_each(page_of(options, asked), asked), **paging(len(options), asked)})


@router.post("/products/{product_id}/options")
async def create_option(
    actor: StaffMember, product_id: str, body: NewOption, database: Db, fields: Shown
) -> Wire[ProductAnswer]:
    """A new option of the product. Its variants have none of its values until they are given one."""
    async with database.transaction() as session:
        new = SaidOption(body.title, body.values, metadata=body.metadata)
        await option_service.add_option(session, actor, product_id, new)
        return await _product(session, product_id, fields)


@router.get("/products/{product_id}/options/{product_option_id}")
async def read_option(
    product_id: str, product_option_id: str, database: Db, fields: Shown
) -> Wire[ProductOptionAnswer]:
    """An option of the product, with its values."""
    async with database.read() as session:
        options = (await _written(session, product_id, Fields("*options")))["options"]
    for option in options:
        if option["id"] == product_option_id:
            return Wire({"product_option": fields.pick(option)})
    raise NotFound(f"Product option with id: {product_option_id} was not found")


@router.post("/products/{product_id}/options/{product_option_id}")
async def update_option(
    *,
    actor: StaffMember,
    product_id: str,
    product_option_id: str,
    body: OptionChange,
    database: Db,
    fields: Shown,
) -> Wire[ProductAnswer]:
    """Change an option: its title, or its values. A value that a variant has cannot be left out."""
    async with database.transaction() as session:
        await option_service.change_option(
            session,
            actor,
            product_id,
            product_option_id,
            title=body.title,
            values=body.values,
            metadata=body.metadata,
        )
        return await _product(session, product_id, fields)


@router.delete("/products/{product_id}/options/{product_option_id}")
async def delete_option(
    actor: StaffMember, product_id: str, product_option_id: str, database: Db
) -> Wire[Deleted]:
    """Delete an option with its values."""
    async with database.transaction() as session:
        await option_service.delete_option(session, actor, product_id, product_option_id)
    return Wire({"id": product_option_id, "object": "product_option", "deleted": True})


@router.get("/collections")
async def list_collections(
    asked: Annotated[CollectionsParameters, read_query(CollectionsParameters)], database: Db
) -> Wire[CollectionsAnswer]:
    """The collections; `title` finds one by its exact title."""
    async with database.read() as session:
        collections, count = await matching_collections(session, asked)
    return Wire({"collections": pick_each(map(collection_wire, collections), asked), **paging(count, asked)})


@router.post("/collections")
async def create_collection(
    actor: StaffMember, body: NewCollection, database: Db, fields: Shown
) -> Wire[CollectionAnswer]:
    """A new collection."""
    async with database.transaction() as session:
        collection = await collections.create_collection(
            session, actor, title=body.title, handle=body.handle, metadata=body.metadata
        )
        return _collection(collection, fields)


@router.get("/collections/{collection_id}")
async def read_collection(collection_id: str, database: Db, fields: Shown) -> Wire[CollectionAnswer]:
    """The collection."""
    async with database.read() as session:
        return _collection(await collections.find_collection(session, collection_id), fields)


@router.post("/collections/{collection_id}")
async def update_collection(
    actor: StaffMember, collection_id: str, body: CollectionChange, database: Db, fields: Shown
) -> Wire[CollectionAnswer]:
    """Change the collection: its title, for example."""
    async with database.transaction() as session:
        return _collection(await collections.change_collection(session, actor, collection_id, body), fields)


@router.delete("/collections/{collection_id}")
async def delete_collection(actor: StaffMember, collection_id: str, database: Db) -> Wire[Deleted]:
    """Take the collection away; its products stay."""
    async with database.transaction() as session:
        await collections.delete_collection(session, actor, collection_id)
    return Wire({"id": collection_id, "object": "collection", "deleted": True})


@router.post("/collections/{collection_id}/products")
async def assign_to_collection(
    actor: StaffMember, collection_id: str, body: Assignment, database: Db, fields: Shown
) -> Wire[CollectionAnswer]:
    """Put products into the collection and take products out."""
    async with database.transaction() as session:
        collection = await collections.assign_to_collection(
            session, actor, collection_id, body.add or (), body.remove or ()
        )
        return _collection(collection, fields)


@router.get("/product-categories")
async def list_categories(
    asked: Annotated[AdminCategoriesParameters, read_query(AdminCategoriesParameters)], database: Db
) -> Wire[CategoriesAnswer]:
    """The categories."""
    async with database.read() as session:
        tree = await read_tree(session)
    found = matching_categories(tree, asked)
    shown = [category_wire(tree, category, asked, as_staff=True) for category in page_of(found, asked)]
    return Wire({"product_categories": pick_each(shown, asked), **paging(len(found), asked)})


@router.post("/product-categories")
async def create_category(
    actor: StaffMember, body: NewCategory, database: Db, fields: Shown
) -> Wire[CategoryAnswer]:
    """A new category; it may sit under a parent."""
    async with database.transaction() as session:
        category = await categories.create_category(
            session,
            actor,
            name=body.name,
            handle=body.handle,
            description=body.description,
            parent_id=body.parent_category_id,
            rank=body.rank,
            metadata=body.metadata,
        )
        return await _category(session, category.id, fields)


@router.get("/product-categories/{category_id}")
async def read_category(
    category_id: str, asked: Annotated[CategoryParameters, read_query(CategoryParameters)], database: Db
) -> Wire[CategoryAnswer]:
    """The category."""
    async with database.read() as session:
        return await _category(session, category_id, Fields(asked.fields), asked)


@router.post("/product-categories/{category_id}")
async def update_category(
    actor: StaffMember, category_id: str, body: CategoryChange, database: Db, fields: Shown
) -> Wire[CategoryAnswer]:
    """Change the category: its parent, for example."""
    async with database.transaction() as session:
        await categories.change_category(session, actor, category_id, body)
        return await _category(session, category_id, fields)


@router.delete("/product-categories/{category_id}")
async def delete_category(actor: StaffMember, category_id: str, database: Db) -> Wire[Deleted]:
    """Take the category away; its products stay."""
    async with database.transaction() as session:
        await categories.delete_category(session, actor, category_id)
    return Wire({"id": category_id, "object": "product_category", "deleted": True})


@router.post("/product-categories/{category_id}/products")
async def assign_to_category(
    actor: StaffMember, category_id: str, body: Assignment, database: Db, fields: Shown
) -> Wire[CategoryAnswer]:
    """Put products into the category and take products out."""
    async with database.transaction() as session:
        await categories.assign_to_category(session, actor, category_id, body.add or (), body.remove or ())
        return await _category(session, category_id, fields)


async def _product(session: AsyncSession, product_id: str, fields: Fields) -> Wire[ProductAnswer]:
    return Wire({"product": await _written(session, product_id, fields)})


async def _written(session: AsyncSession, product_id: str, fields: Fields) -> ProductOut:
    """The product as staff see it.

    Raises:
        NotFound: there is none, or it was deleted.
    """
    found = await _all_written(session, [product_id], fields)
    if not found:
        raise NotFound(f'Product with id "{product_id}" not found')
    return found[product_id]


async def _all_written(
    session: AsyncSession, product_ids: Sequence[str], fields: Fields
) -> dict[str, ProductOut]:
    """The products as staff see them, by their ids; those that were deleted are left out."""
    written = await ProductWriter(session, fields, as_staff=True).write(product_ids, Among.KEPT)
    return {product["id"]: product for product in written}


def _collection(collection: Collection, fields: Fields) -> Wire[CollectionAnswer]:
    return Wire({"collection": fields.pick(collection_wire(collection))})


async def _category(
    session: AsyncSession, category_id: str, fields: Fields, asked: CategoryParameters | None = None
) -> Wire[CategoryAnswer]:
    await session.flush()
    tree = await read_tree(session)
    shown = category_wire(tree, tree.find(category_id), asked or CategoryParameters(), as_staff=True)
    return Wire({"product_category": fields.pick(shown)})
