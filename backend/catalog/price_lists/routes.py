"""The Admin API of price lists (wire: commerce-api, Admin)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.price_lists import fixed_prices
from backend.catalog.price_lists.answers import PriceListAnswer, PriceListsAnswer, PricesAnswer, PricesChanged
from backend.catalog.price_lists.models import PriceList, PriceListPrice
from backend.catalog.price_lists.schemas import (
    NewPriceList,
    PriceListChange,
    PriceListsParameters,
    PricesChange,
    PricesParameters,
    ProductsRemoval,
)
from backend.catalog.price_lists.wire import price_list_wire, price_wire, prices_by_list
from backend.core.db.tables import get_or_404
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    search_clauses,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/price-lists",
    route_class=WireRoute,
    tags=["admin: price lists"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)
SORTABLE = {
    "title": PriceList.title,
    "starts_at": PriceList.starts_at,
    "ends_at": PriceList.ends_at,
    "created_at": PriceList.created_at,
    "updated_at": PriceList.updated_at,
}
PRICES_SORTABLE = {"amount": PriceListPrice.amount, "variant_id": PriceListPrice.variant_id}


@router.get("")
async def list_price_lists(
    params: Annotated[PriceListsParameters, read_query(PriceListsParameters)], database: Db
) -> Wire[PriceListsAnswer]:
    """List the price lists, newest first; with `fields=*prices`, include their prices."""
    conditions = [PriceList.ended_at.is_(None), *where_clauses(params, _filters)]
    order = order_clauses(params.order, SORTABLE, [PriceList.created_at.desc(), PriceList.id])
    async with database.read() as session:
        found, count = await read_page(session, PriceList, conditions, order, params)
        prices = await prices_by_list(session, found if Fields(params.fields).wants("prices") else ())
    shown = [price_list_wire(one, prices.get(one.id)) for one in found]
    return Wire({"price_lists": pick_each(shown, params), **paging_fields(count, params)})


def _filters(params: PriceListsParameters) -> list[ColumnElement[bool]]:
    return [*in_clauses((PriceList.id, params.id)), *search_clauses(params.q, PriceList.title)]


@router.post("")
async def create_price_list(
    actor: StaffMember, body: NewPriceList, database: Db, fields: RequestedFields
) -> Wire[PriceListAnswer]:
    """Create a price list. While it is active, its prices apply, and the previous prices are struck through.

    If a price is not lower, or its variant is in another list at that time, the whole list is refused.
    """
    async with database.transaction() as session:
        return await _list_response(session, await fixed_prices.create_list(session, actor, body), fields)


@router.get("/{price_list_id}")
async def read_price_list(price_list_id: str, database: Db, fields: RequestedFields) -> Wire[PriceListAnswer]:
    """Get the price list with its prices."""
    async with database.read() as session:
        return await _list_response(session, await _find_list(session, price_list_id), fields)


@router.post("/{price_list_id}")
async def update_price_list(
    actor: StaffMember, price_list_id: str, body: PriceListChange, database: Db, fields: RequestedFields
) -> Wire[PriceListAnswer]:
    """Change the title, the description or the end of a list. The start can be changed too, until the list starts."""
    async with database.transaction() as session:
        return await _list_response(
            session, await fixed_prices.change_list(session, actor, price_list_id, body), fields
        )


@router.delete("/{price_list_id}")
async def delete_price_list(actor: StaffMember, price_list_id: str, database: Db) -> Wire[Deleted]:
    """End the list: the previous prices are restored within a minute. The office still displays it, as ended."""
    async with database.transaction() as session:
        await fixed_prices.delete_list(session, actor, price_list_id)
    return Wire({"id": price_list_id, "object": "price_list", "deleted": True})


@router.get("/{price_list_id}/prices")
async def list_prices(
    price_list_id: str, params: Annotated[PricesParameters, read_query(PricesParameters)], database: Db
) -> Wire[PricesAnswer]:
    """List the prices of the list."""
    async with database.read() as session:
        row = await _find_list(session, price_list_id)
        conditions = [
            PriceListPrice.price_list_id == price_list_id,
            *in_clauses((PriceListPrice.id, params.id), (PriceListPrice.variant_id, params.variant_id)),
        ]
        order = order_clauses(params.order, PRICES_SORTABLE, [PriceListPrice.id])
        found, count = await read_page(session, PriceListPrice, conditions, order, params)
    return Wire(
        {
            "prices": pick_each([price_wire(price, row) for price in found], params),
            **paging_fields(count, params),
        }
    )


@router.post("/{price_list_id}/prices/batch")
async def change_prices(
    actor: StaffMember, price_list_id: str, body: PricesChange, database: Db
) -> Wire[PricesChanged]:
    """Add, change and remove prices before the list starts."""
    async with database.transaction() as session:
        row, added, changed, removed_ids = await fixed_prices.change_prices(
            session, actor, price_list_id, body
        )
        return Wire({
            "created": [price_wire(price, row) for price in added],
            "updated": [price_wire(price, row) for price in changed],
            "deleted": {"ids": removed_ids, "object": "price", "deleted": True},
        })  # fmt: skip


@router.post("/{price_list_id}/products")
async def remove_products(
    actor: StaffMember, price_list_id: str, body: ProductsRemoval, database: Db, fields: RequestedFields
) -> Wire[PriceListAnswer]:
    """Remove all prices of these products before the list starts."""
    async with database.transaction() as session:
        changed = await fixed_prices.remove_products(session, actor, price_list_id, body.remove)
        return await _list_response(session, changed, fields)


async def _find_list(session: AsyncSession, list_id: str) -> PriceList:
    query = select(PriceList).where(PriceList.id == list_id, PriceList.ended_at.is_(None))
    return await get_or_404(session, query, "Price list", list_id)


async def _list_response(session: AsyncSession, row: PriceList, fields: Fields) -> Wire[PriceListAnswer]:
    await session.flush()
    prices = await prices_by_list(session, [row] if fields.wants("prices", by_default=True) else ())
    return Wire({"price_list": fields.pick(price_list_wire(row, prices.get(row.id)))})
