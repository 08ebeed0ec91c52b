"""Routes of product options and their values in the Admin API and the Store API (wire: commerce-api).

An option belongs to one product and is created there (`POST /admin/products/{id}/options`).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import ColumnElement, false, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.answers import (
    OptionValueAnswer,
    OptionValuesAnswer,
    OptionWithProducts,
    OptionWithProductsAnswer,
    ProductOptionAnswer,
    ProductOptionOut,
    ProductOptionsAnswer,
)
from backend.catalog.api.product_wire import option_wire, value_wire
from backend.catalog.models import Product, ProductOption, ProductOptionValue, for_sale
from backend.catalog.products import option_service
from backend.catalog.products.options import Option, implied_option, read_options_by_id, read_product_options
from backend.catalog.products.variants import read_variants
from backend.catalog.schemas.admin import OptionChange, ValueChange
from backend.catalog.schemas.store import OptionsParameters
from backend.core.errors import NotFound
from backend.edge.dependencies import Db, RequestedFields, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    in_clauses,
    moment_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    search_clauses,
    slice_page,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire, derive_sibling_id
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

admin_router = APIRouter(
    prefix="/admin/product-options",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)
store_router = APIRouter(
    prefix="/store/product-options",
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)
NOT_DELETED = Product.deleted_at.is_(None)
OPTION_ORDER = {
    "title": ProductOption.title,
    "created_at": ProductOption.created_at,
    "updated_at": ProductOption.updated_at,
}
OptionsQuery = Annotated[OptionsParameters, read_query(OptionsParameters)]


@store_router.get("")
async def list_options(params: OptionsQuery, database: Db) -> Wire[ProductOptionsAnswer]:
    """List the stored options of products for sale, with their values."""
    async with database.read() as session:
        return await _options_page(session, params, for_sale(), _without_staff_fields)


@store_router.get("/{product_option_id}")
async def read_option(
    product_option_id: str, database: Db, fields: RequestedFields
) -> Wire[ProductOptionAnswer]:
    """Get the option if its product is for sale."""
    async with database.read() as session:
        _, option = await _find_option(session, product_option_id, for_sale())
    return Wire({"product_option": fields.pick(_without_staff_fields(option))})


@admin_router.get("")
async def list_options_of_all(params: OptionsQuery, database: Db) -> Wire[ProductOptionsAnswer]:
    """List the stored options of all products, with their values."""
    async with database.read() as session:
        return await _options_page(session, params, NOT_DELETED, option_wire)


@admin_router.get("/{product_option_id}")
async def read_option_of_any(
    product_option_id: str, database: Db, fields: RequestedFields
) -> Wire[OptionWithProductsAnswer]:
    """Get the option, with its values and its product."""
    async with database.read() as session:
        return Wire(
            {
                "product_option": fields.pick(
                    _option_with_product(*await _find_option(session, product_option_id, NOT_DELETED))
                )
            }
        )


@admin_router.post("/{product_option_id}")
async def update_option(
    actor: StaffMember, product_option_id: str, body: OptionChange, database: Db, fields: RequestedFields
) -> Wire[OptionWithProductsAnswer]:
    """Change an option's title or values. A value that a variant has cannot be removed."""
    async with database.transaction() as session:
        product = await _find_for_change(session, actor, product_option_id)
        await option_service.change_option(
            session,
            actor,
            product.id,
            product_option_id,
            title=body.title,
            values=body.values,
            metadata=body.metadata,
        )
        return Wire(
            {
                "product_option": fields.pick(
                    _option_with_product(*await _find_option(session, product_option_id, NOT_DELETED))
                )
            }
        )


@admin_router.delete("/{product_option_id}")
async def delete_option(actor: StaffMember, product_option_id: str, database: Db) -> Wire[Deleted]:
    """Delete an option with its values."""
    async with database.transaction() as session:
        product = await _find_for_change(session, actor, product_option_id)
        await option_service.delete_option(session, actor, product.id, product_option_id)
    return Wire({"id": product_option_id, "object": "product_option", "deleted": True})


@admin_router.get("/{product_option_id}/values")
async def list_values(
    product_option_id: str, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[OptionValuesAnswer]:
    """List the option's values in order."""
    async with database.read() as session:
        _, option = await _find_option(session, product_option_id, NOT_DELETED)
    shown = [value_wire(value) for value in slice_page(option.values, params)]
    return Wire(
        {"product_option_values": pick_each(shown, params), **paging_fields(len(option.values), params)}
    )


@admin_router.get("/{product_option_id}/values/{value_id}")
async def read_value(
    product_option_id: str, value_id: str, database: Db, fields: RequestedFields
) -> Wire[OptionValueAnswer]:
    """Get a value of the option."""
    async with database.read() as session:
        _, option = await _find_option(session, product_option_id, NOT_DELETED)
    return Wire({"product_option_value": fields.pick(value_wire(option.find_value(value_id)))})


@admin_router.post("/{product_option_id}/values/{value_id}")
async def update_value(
    *,
    actor: StaffMember,
    product_option_id: str,
    value_id: str,
    body: ValueChange,
    database: Db,
    fields: RequestedFields,
) -> Wire[OptionValueAnswer]:
    """Change an option value. A variant title that consists of the variant's option values is updated too."""
    async with database.transaction() as session:
        product = await _find_for_change(session, actor, product_option_id)
        value = await option_service.change_value(
            session,
            actor,
            product.id,
            product_option_id,
            value_id=value_id,
            text=body.value,
            metadata=body.metadata,
        )
        return Wire({"product_option_value": fields.pick(value_wire(value))})


@admin_router.delete("/{product_option_id}/values/{value_id}")
async def delete_value(
    actor: StaffMember, product_option_id: str, value_id: str, database: Db
) -> Wire[Deleted]:
    """Delete a value that no variant has."""
    async with database.transaction() as session:
        product = await _find_for_change(session, actor, product_option_id)
        await option_service.delete_value(session, actor, product.id, product_option_id, value_id)
    return Wire({"id": value_id, "object": "product_option_value", "deleted": True})


async def _options_page(
    session: AsyncSession,
    params: OptionsParameters,
    product_condition: ColumnElement[bool],
    to_json: Callable[[Option], ProductOptionOut],
) -> Wire[ProductOptionsAnswer]:
    """Return the requested page of the stored options of these products."""
    conditions = [
        ProductOption.product_id.in_(select(Product.id).where(product_condition)),
        *where_clauses(params, _option_conditions),
    ]
    order = order_clauses(params.order, OPTION_ORDER, [ProductOption.title, ProductOption.id])
    rows, count = await read_page(session, ProductOption, conditions, order, params)
    options_by_row = await read_options_by_id(session, [row.id for row in rows])
    return Wire(
        {
            "product_options": pick_each([to_json(options_by_row[row.id]) for row in rows], params),
            **paging_fields(count, params),
        }
    )


def _option_conditions(params: OptionsParameters) -> Sequence[ColumnElement[bool]]:
    conditions = moment_clauses(params, ProductOption.created_at, ProductOption.updated_at)
    conditions += in_clauses((ProductOption.id, params.id), (ProductOption.title, params.title))
    if params.is_exclusive:
        conditions.append(false())  # no option of the shop is exclusive
    return [*conditions, *search_clauses(params.q, ProductOption.title)]


async def _find_for_change(session: AsyncSession, actor: Actor, option_id: str) -> Product:
    actor.require(
        Right.CHANGE_CATALOG
    )  # check first: without the right, a caller must not learn which options exist
    product, _ = await _find_option(session, option_id, NOT_DELETED)
    return product


async def _find_option(
    session: AsyncSession, option_id: str, product_condition: ColumnElement[bool]
) -> tuple[Product, Option]:
    """Return the product and its option, which may be an implied one (`backend.catalog.products.options`).

    Raises:
        NotFound: the option does not exist.
    """
    row = await session.get(ProductOption, option_id, populate_existing=True)
    product_id = row.product_id if row else derive_sibling_id("prod", option_id)
    query = select(Product).where(Product.id == product_id, product_condition)
    product = (await session.execute(query)).scalar_one_or_none()
    if product is not None:
        stored = await read_product_options(session, product.id)
        for option in stored or [_implied_option(product, await read_variants(session, product.id))]:
            if option.row.id == option_id:
                return product, option
    raise NotFound(f"Product option with id: {option_id} was not found")


def _implied_option(product: Product, variants: Sequence[Any]) -> Option:
    option, values = implied_option(product, variants)
    distinct: dict[str, ProductOptionValue] = {value.id: value for value in values.values()}
    return Option(option, list(distinct.values()))


def _option_with_product(product: Product, option: Option) -> OptionWithProducts:
    names = ("id", "title", "handle", "status", "thumbnail")
    return {**option_wire(option), "products": [{name: getattr(product, name) for name in names}]}


def _without_staff_fields(option: Option) -> ProductOptionOut:
    shown = option_wire(option)
    del shown["deleted_at"]  # type: ignore[misc]  # a staff-only field
    return shown
