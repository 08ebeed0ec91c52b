"""Options of all products, and their values, over the Admin API and the Store API (wire: commerce-api).

An option belongs to its product: it is made there (`POST /admin/products/{id}/options`).
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
from backend.catalog.products.options import Option, implied_option, options_by_id, options_of
from backend.catalog.products.variants import variants_of
from backend.catalog.schemas.admin import OptionChange, ValueChange
from backend.catalog.schemas.store import OptionsParameters
from backend.core.errors import NotFound
from backend.edge.dependencies import Db, Shown, sales_channel
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    in_order,
    mentions,
    met,
    moments,
    one_of,
    page_of,
    paging,
    pick_each,
    read_query,
    rows_of,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire, sibling_id
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

admin_router = APIRouter(
    prefix="/admin/product-options",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_CATALOG),
)
store_router = APIRouter(
    prefix="/store/product-options",
    route_class=WireRoute,
    tags=["store: catalogue"],
    responses=REFUSALS,
    dependencies=[Depends(sales_channel)],
)
OF_STAFF = Product.deleted_at.is_(None)
OPTION_ORDER = {
    "title": ProductOption.title,
    "created_at": ProductOption.created_at,
    "updated_at": ProductOption.updated_at,
}
Asked = Annotated[OptionsParameters, read_query(OptionsParameters)]


@store_router.get("")
async def list_options(asked: Asked, database: Db) -> Wire[ProductOptionsAnswer]:
    """The options that products for sale were given, with their values."""
    async with database.read() as session:
        return await _page(session, asked, for_sale(), _for_shoppers)


@store_router.get("/{product_option_id}")
async def read_option(product_option_id: str, database: Db, fields: Shown) -> Wire[ProductOptionAnswer]:
    """The option, if its product is for sale."""
    async with database.read() as session:
        _, option = await _find(session, product_option_id, for_sale())
    return Wire({"product_option": fields.pick(_for_shoppers(option))})


@admin_router.get("")
async def list_options_of_all(asked: Asked, database: Db) -> Wire[ProductOptionsAnswer]:
    """The options that products were given, with their values."""
    async with database.read() as session:
        return await _page(session, asked, OF_STAFF, option_wire)


@admin_router.get("/{product_option_id}")
async def read_option_of_any(
    product_option_id: str, database: Db, fields: Shown
) -> Wire[OptionWithProductsAnswer]:
    """The option, with its values and its product."""
    async with database.read() as session:
        return Wire(
            {"product_option": fields.pick(_whole(*await _find(session, product_option_id, OF_STAFF)))}
        )


@admin_router.post("/{product_option_id}")
async def update_option(
    actor: StaffMember, product_option_id: str, body: OptionChange, database: Db, fields: Shown
) -> Wire[OptionWithProductsAnswer]:
    """Change an option: its title, or its values. A value that a variant has cannot be left out."""
    async with database.transaction() as session:
        product = await _to_change(session, actor, product_option_id)
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
            {"product_option": fields.pick(_whole(*await _find(session, product_option_id, OF_STAFF)))}
        )


@admin_router.delete("/{product_option_id}")
async def delete_option(actor: StaffMember, product_option_id: str, database: Db) -> Wire[Deleted]:
    """Delete an option with its values."""
    async with database.transaction() as session:
        product = await _to_change(session, actor, product_option_id)
        await option_service.delete_option(session, actor, product.id, product_option_id)
    return Wire({"id": product_option_id, "object": "product_option", "deleted": True})


@admin_router.get("/{product_option_id}/values")
async def list_values(
    product_option_id: str, asked: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[OptionValuesAnswer]:
    """The option's values, in their order."""
    async with database.read() as session:
        _, option = await _find(session, product_option_id, OF_STAFF)
    shown = [value_wire(value) for value in page_of(option.values, asked)]
    return Wire({"product_option_values": pick_each(shown, asked), **paging(len(option.values), asked)})


@admin_router.get("/{product_option_id}/values/{value_id}")
async def read_value(
    product_option_id: str, value_id: str, database: Db, fields: Shown
) -> Wire[OptionValueAnswer]:
    """A value of the option."""
    async with database.read() as session:
        _, option = await _find(session, product_option_id, OF_STAFF)
    return Wire({"product_option_value": fields.pick(value_wire(option.value(value_id)))})


@admin_router.post("/{product_option_id}/values/{value_id}")
async def update_value(
    *,
    actor: StaffMember,
    product_option_id: str,
    value_id: str,
    body: ValueChange,
    database: Db,
    fields: Shown,
) -> Wire[OptionValueAnswer]:
    """Call a value otherwise. Variants that are called by their values follow."""
    async with database.transaction() as session:
        product = await _to_change(session, actor, product_option_id)
        value = await option_service.rename_value(
            session, actor, product.id, product_option_id, value_id=value_id, text=body.value
        )
        return Wire({"product_option_value": fields.pick(value_wire(value))})


@admin_router.delete("/{product_option_id}/values/{value_id}")
async def delete_value(
    actor: StaffMember, product_option_id: str, value_id: str, database: Db
) -> Wire[Deleted]:
    """Take a value away that no variant has."""
    async with database.transaction() as session:
        product = await _to_change(session, actor, product_option_id)
        await option_service.delete_value(session, actor, product.id, product_option_id, value_id)
    return Wire({"id": value_id, "object": "product_option_value", "deleted": True})


async def _page(
    session: AsyncSession,
    asked: OptionsParameters,
    of_products: ColumnElement[bool],
    wire: Callable[[Option], ProductOptionOut],
) -> Wire[ProductOptionsAnswer]:
    """The asked page of the stored options of these products."""
    conditions = [ProductOption.product_id.in_(select(Product.id).where(of_products)), *met(asked, _filters)]
    order = in_order(asked.order, OPTION_ORDER, [ProductOption.title, ProductOption.id])
    rows, count = await rows_of(session, ProductOption, conditions, order, asked)
    known = await options_by_id(session, [row.id for row in rows])
    return Wire(
        {"product_options": pick_each([wire(known[row.id]) for row in rows], asked), **paging(count, asked)}
    )


def _filters(asked: OptionsParameters) -> Sequence[ColumnElement[bool]]:
    conditions = moments(asked, ProductOption.created_at, ProductOption.updated_at)
    conditions += one_of((ProductOption.id, asked.id), (ProductOption.title, asked.title))
    if asked.is_exclusive:
        conditions.append(false())  # none says so of itself
    return [*conditions, *mentions(asked.q, ProductOption.title)]


async def _to_change(session: AsyncSession, actor: Actor, option_id: str) -> Product:
    actor.require(Right.CHANGE_CATALOG)  # who may not learns nothing of options
    product, _ = await _find(session, option_id, OF_STAFF)
    return product


async def _find(
    session: AsyncSession, option_id: str, of_products: ColumnElement[bool]
) -> tuple[Product, Option]:
    """The option and its product, also one that is stored nowhere (`backend.catalog.products.options`).

    Raises:
        NotFound: there is none.
    """
    row = await session.get(ProductOption, option_id, populate_existing=True)
    product_id = row.product_id if row else sibling_id("prod", option_id)
    query = select(Product).where(Product.id == product_id, of_products)
    product = (await session.execute(query)).scalar_one_or_none()
    if product is not None:
        stored = (await options_of(session, [product.id])).get(product.id)
        for option in stored or [_implied(product, await variants_of(session, product.id))]:
            if option.row.id == option_id:
                return product, option
    raise NotFound(f"Product option with id: {option_id} was not found")


def _implied(product: Product, variants: Sequence[Any]) -> Option:
    option, values = implied_option(product, variants)
    distinct: dict[str, ProductOptionValue] = {value.id: value for value in values.values()}
    return Option(option, list(distinct.values()))


def _whole(product: Product, option: Option) -> OptionWithProducts:
    names = ("id", "title", "handle", "status", "thumbnail")
    return {**option_wire(option), "products": [{name: getattr(product, name) for name in names}]}


def _for_shoppers(option: Option) -> ProductOptionOut:
    shown = option_wire(option)
    del shown["deleted_at"]  # type: ignore[misc]  # shoppers are not shown it
    return shown
