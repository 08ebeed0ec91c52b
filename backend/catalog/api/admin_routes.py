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
from backend.catalog.api.admin_list_queries import missing_data_filter, staff_filters
from backend.catalog.api.category_wire import category_wire, collection_wire
from backend.catalog.api.list_queries import matching_categories, matching_collections, product_page
from backend.catalog.api.product_commands import (
    to_change_product,
    to_change_products,
    to_create_product,
    to_write_variant,
)
from backend.catalog.api.product_rows import ProductScope
from backend.catalog.api.product_wire import ProductWriter
from backend.catalog.category_tree import read_tree
from backend.catalog.models import Collection
from backend.catalog.products import option_service
from backend.catalog.products import service as products
from backend.catalog.products.batch import apply_batch
from backend.catalog.products.options import OptionInput
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
from backend.catalog.search.staff_search import filter_conditions
from backend.core.errors import InvalidData, NotFound
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, paging_fields, pick_each, read_query, slice_page
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)


@router.get("/products")
async def list_products(
    params: Annotated[AdminProductsParameters, read_query(AdminProductsParameters)], database: Db
) -> Wire[ProductsAnswer]:
    """List the products, drafts included.

    `q` matches the beginnings of words in the title and the handle, and the beginning of a code (SKU, EAN).
    """
    async with database.read() as session:
        conditions = await filter_conditions(session, missing_data_filter(params))
        filters = await staff_filters(session, params)
        page = await product_page(session, params, *conditions, filters=filters)
        found = await ProductWriter(session, Fields(params.fields), as_staff=True).write(
            page.ids, ProductScope.KEPT
        )
    return Wire({"products": found, **paging_fields(page.count, params)})


@router.post("/products")
async def create_product(
    actor: StaffMember, body: NewProduct, database: Db, fields: RequestedFields
) -> Wire[ProductAnswer]:
    """Create a product. A collection and categories in the body are refused: they are assigned by separate routes."""
    async with database.transaction() as session:
        product_id = await products.create_product(session, actor, to_create_product(body))
        return await _product_response(session, product_id, fields)


@router.post("/products/batch")
async def change_products(
    actor: StaffMember, body: ProductBatch, database: Db, fields: RequestedFields
) -> Wire[ProductBatchAnswer]:
    """Delete, change and create products, in this order. If one operation fails, nothing is changed."""
    changed = [change.id for change in body.update]
    async with database.transaction() as session:
        created = await apply_batch(session, actor, to_change_products(body))
        shown = await _products_json(session, [*created, *changed], fields)
    return Wire(
        {
            "created": [shown[product_id] for product_id in created],
            "updated": [shown[product_id] for product_id in changed],
            "deleted": {"ids": list(dict.fromkeys(body.delete)), "object": "product", "deleted": True},
        }
    )


@router.get("/products/{product_id}")
async def read_product(product_id: str, database: Db, fields: RequestedFields) -> Wire[ProductAnswer]:
    """Get the product, whatever its status."""
    async with database.read() as session:
        return await _product_response(session, product_id, fields)


@router.post("/products/{product_id}")
async def update_product(
    actor: StaffMember, product_id: str, body: ProductUpdate, database: Db, fields: RequestedFields
) -> Wire[ProductAnswer]:
    """Change the given fields of a product. `category_ids` is refused (spec: Errors).

    `collection_id` and `categories` are refused too, unless they equal the product's current values.
    """
    async with database.transaction() as session:
        await products.change_product(session, actor, product_id, to_change_product(body))
        return await _product_response(session, product_id, fields)


@router.delete("/products/{product_id}")
async def delete_product(actor: StaffMember, product_id: str, database: Db) -> Wire[Deleted]:
    """Delete the product from the shop."""
    async with database.transaction() as session:
        await products.delete_product(session, actor, product_id)
    return Wire({"id": product_id, "object": "product", "deleted": True})


_VARIANT_FIELDS = Fields("*variants,+variants.inventory_quantity,*variants.inventory_items")


@router.get("/products/{product_id}/variants")
async def list_variants(
    product_id: str, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[VariantsAnswer]:
    """List the product's variants."""
    async with database.read() as session:
        variants = (await _product_json(session, product_id, _VARIANT_FIELDS))["variants"]
    return Wire(
        {"variants": pick_each(slice_page(variants, params), params), **paging_fields(len(variants), params)}
    )


@router.post("/products/{product_id}/variants")
async def create_variant(
    actor: StaffMember, product_id: str, body: NewVariant, database: Db, fields: RequestedFields
) -> Wire[ProductAnswer]:
    """Create a variant of the product."""
    async with database.transaction() as session:
        await products.add_variant(session, actor, product_id, to_write_variant(body))
        return await _product_response(session, product_id, fields)


@router.post("/products/{product_id}/variants/{variant_id}")
async def update_variant(
    *,
    actor: StaffMember,
    product_id: str,
    variant_id: str,
    body: VariantUpdate,
    database: Db,
    fields: RequestedFields,
) -> Wire[ProductAnswer]:
    """Change a variant, for example its prices."""
    if body.id not in (None, variant_id):
        raise InvalidData(f"Invalid request: Value for field 'id' must be {variant_id}")
    async with database.transaction() as session:
        change = to_write_variant(body, variant_id)
        await products.change_variant(session, actor, product_id, variant_id, change)
        return await _product_response(session, product_id, fields)


@router.delete("/products/{product_id}/variants/{variant_id}")
async def delete_variant(actor: StaffMember, product_id: str, variant_id: str, database: Db) -> Wire[Deleted]:
    """Delete a variant from the shop."""
    async with database.transaction() as session:
        await products.delete_variant(session, actor, product_id, variant_id)
    return Wire({"id": variant_id, "object": "variant", "deleted": True})


@router.get("/products/{product_id}/options")
async def list_options(
    product_id: str, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[ProductOptionsAnswer]:
    """List the product's options."""
    async with database.read() as session:
        options = (await _product_json(session, product_id, Fields("*options")))["options"]
    return Wire(
        {
            "product_options": pick_each(slice_page(options, params), params),
            **paging_fields(len(options), params),
        }
    )


@router.post("/products/{product_id}/options")
async def create_option(
    actor: StaffMember, product_id: str, body: NewOption, database: Db, fields: RequestedFields
) -> Wire[ProductAnswer]:
    """Create an option of the product. Existing variants have no value for the option until one is set."""
    async with database.transaction() as session:
        new = OptionInput(body.title, body.values, metadata=body.metadata)
        await option_service.add_option(session, actor, product_id, new)
        return await _product_response(session, product_id, fields)


@router.get("/products/{product_id}/options/{product_option_id}")
async def read_option(
    product_id: str, product_option_id: str, database: Db, fields: RequestedFields
) -> Wire[ProductOptionAnswer]:
    """Get an option of the product, with its values."""
    async with database.read() as session:
        options = (await _product_json(session, product_id, Fields("*options")))["options"]
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
    fields: RequestedFields,
) -> Wire[ProductAnswer]:
    """Change an option's title or values. A value that a variant has cannot be removed."""
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
        return await _product_response(session, product_id, fields)


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
    params: Annotated[CollectionsParameters, read_query(CollectionsParameters)], database: Db
) -> Wire[CollectionsAnswer]:
    """List the collections; `title` matches the exact title."""
    async with database.read() as session:
        collections, count = await matching_collections(session, params)
    return Wire(
        {"collections": pick_each(map(collection_wire, collections), params), **paging_fields(count, params)}
    )


@router.post("/collections")
async def create_collection(
    actor: StaffMember, body: NewCollection, database: Db, fields: RequestedFields
) -> Wire[CollectionAnswer]:
    """Create a collection."""
    async with database.transaction() as session:
        collection = await collections.create_collection(
            session, actor, title=body.title, handle=body.handle, metadata=body.metadata
        )
        return _collection_response(collection, fields)


@router.get("/collections/{collection_id}")
async def read_collection(
    collection_id: str, database: Db, fields: RequestedFields
) -> Wire[CollectionAnswer]:
    """Get the collection."""
    async with database.read() as session:
        return _collection_response(await collections.find_collection(session, collection_id), fields)


@router.post("/collections/{collection_id}")
async def update_collection(
    actor: StaffMember, collection_id: str, body: CollectionChange, database: Db, fields: RequestedFields
) -> Wire[CollectionAnswer]:
    """Change the collection, for example its title."""
    async with database.transaction() as session:
        return _collection_response(
            await collections.change_collection(session, actor, collection_id, body), fields
        )


@router.delete("/collections/{collection_id}")
async def delete_collection(actor: StaffMember, collection_id: str, database: Db) -> Wire[Deleted]:
    """Delete the collection; its products are kept."""
    async with database.transaction() as session:
        await collections.delete_collection(session, actor, collection_id)
    return Wire({"id": collection_id, "object": "collection", "deleted": True})


@router.post("/collections/{collection_id}/products")
async def assign_to_collection(
    actor: StaffMember, collection_id: str, body: Assignment, database: Db, fields: RequestedFields
) -> Wire[CollectionAnswer]:
    """Add products to the collection and remove products from it."""
    async with database.transaction() as session:
        collection = await collections.assign_to_collection(
            session, actor, collection_id, body.add or (), body.remove or ()
        )
        return _collection_response(collection, fields)


@router.get("/product-categories")
async def list_categories(
    params: Annotated[AdminCategoriesParameters, read_query(AdminCategoriesParameters)], database: Db
) -> Wire[CategoriesAnswer]:
    """List the categories."""
    async with database.read() as session:
        tree = await read_tree(session)
    found = matching_categories(tree, params)
    shown = [category_wire(tree, category, params, as_staff=True) for category in slice_page(found, params)]
    return Wire({"product_categories": pick_each(shown, params), **paging_fields(len(found), params)})


@router.post("/product-categories")
async def create_category(
    actor: StaffMember, body: NewCategory, database: Db, fields: RequestedFields
) -> Wire[CategoryAnswer]:
    """Create a category, optionally below a parent."""
    async with database.transaction() as session:
        category = await categories.create_category(
            session,
            actor,
            name=body.name,
            handle=body.handle,
            description=body.description,
            parent_id=body.parent_category_id,
            rank=body.rank,
            is_active=body.is_active is not False,
            metadata=body.metadata,
        )
        return await _category_response(session, category.id, fields)


@router.get("/product-categories/{category_id}")
async def read_category(
    category_id: str, params: Annotated[CategoryParameters, read_query(CategoryParameters)], database: Db
) -> Wire[CategoryAnswer]:
    """Get the category."""
    async with database.read() as session:
        return await _category_response(session, category_id, Fields(params.fields), params)


@router.post("/product-categories/{category_id}")
async def update_category(
    actor: StaffMember, category_id: str, body: CategoryChange, database: Db, fields: RequestedFields
) -> Wire[CategoryAnswer]:
    """Change the category, for example its parent."""
    async with database.transaction() as session:
        await categories.change_category(session, actor, category_id, body)
        return await _category_response(session, category_id, fields)


@router.delete("/product-categories/{category_id}")
async def delete_category(actor: StaffMember, category_id: str, database: Db) -> Wire[Deleted]:
    """Delete the category; its products are kept."""
    async with database.transaction() as session:
        await categories.delete_category(session, actor, category_id)
    return Wire({"id": category_id, "object": "product_category", "deleted": True})


@router.post("/product-categories/{category_id}/products")
async def assign_to_category(
    actor: StaffMember, category_id: str, body: Assignment, database: Db, fields: RequestedFields
) -> Wire[CategoryAnswer]:
    """Add products to the category and remove products from it."""
    async with database.transaction() as session:
        await categories.assign_to_category(session, actor, category_id, body.add or (), body.remove or ())
        return await _category_response(session, category_id, fields)


async def _product_response(session: AsyncSession, product_id: str, fields: Fields) -> Wire[ProductAnswer]:
    return Wire({"product": await _product_json(session, product_id, fields)})


async def _product_json(session: AsyncSession, product_id: str, fields: Fields) -> ProductOut:
    """Return the product as JSON for staff.

    Raises:
        NotFound: the product does not exist or was deleted.
    """
    found = await _products_json(session, [product_id], fields)
    if not found:
        raise NotFound(f'Product with id "{product_id}" not found')
    return found[product_id]


async def _products_json(
    session: AsyncSession, product_ids: Sequence[str], fields: Fields
) -> dict[str, ProductOut]:
    """Return the products as JSON for staff, by id. Deleted products are left out."""
    products_json = await ProductWriter(session, fields, as_staff=True).write(product_ids, ProductScope.KEPT)
    return {product["id"]: product for product in products_json}


def _collection_response(collection: Collection, fields: Fields) -> Wire[CollectionAnswer]:
    return Wire({"collection": fields.pick(collection_wire(collection))})


async def _category_response(
    session: AsyncSession, category_id: str, fields: Fields, params: CategoryParameters | None = None
) -> Wire[CategoryAnswer]:
    await session.flush()
    tree = await read_tree(session)
    shown = category_wire(tree, tree.find(category_id), params or CategoryParameters(), as_staff=True)
    return Wire({"product_category": fields.pick(shown)})
