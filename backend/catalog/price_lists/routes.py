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
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, mentions, met, one_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.wire import Deleted, Wire
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin/price-lists",
    route_class=WireRoute,
    tags=["admin: price lists"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_CATALOG),
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
    asked: Annotated[PriceListsParameters, read_query(PriceListsParameters)], database: Db
) -> Wire[PriceListsAnswer]:
    """The price lists, newest first; their prices with `fields=*prices`."""
    conditions = [PriceList.ended_at.is_(None), *met(asked, _filters)]
    order = in_order(asked.order, SORTABLE, [PriceList.created_at.desc(), PriceList.id])
    async with database.read() as session:
        found, count = await rows_of(session, PriceList, conditions, order, asked)
        prices = await prices_by_list(session, found if Fields(asked.fields).wants("prices") else ())
    shown = [price_list_wire(one, prices.get(one.id)) for one in found]
    return Wire({"price_lists": pick_each(shown, asked), **paging(count, asked)})


def _filters(asked: PriceListsParameters) -> list[ColumnElement[bool]]:
    return [*one_of((PriceList.id, asked.id)), *mentions(asked.q, PriceList.title)]


@router.post("")
async def create_price_list(
    actor: StaffMember, body: NewPriceList, database: Db, fields: Shown
) -> Wire[PriceListAnswer]:
    """Lower prices from one moment to another: the price of before is struck through meanwhile, and comes back.

    A price that is not lower, or whose variant is in another list of the same time, refuses the whole list.
    """
    async with database.transaction() as session:
        return await _answer(session, await fixed_prices.create_list(session, actor, body), fields)


@router.get("/{price_list_id}")
async def read_price_list(price_list_id: str, database: Db, fields: Shown) -> Wire[PriceListAnswer]:
    """The price list with its prices."""
    async with database.read() as session:
        return await _answer(session, await _found(session, price_list_id), fields)


@router.post("/{price_list_id}")
async def update_price_list(
    actor: StaffMember, price_list_id: str, body: PriceListChange, database: Db, fields: Shown
) -> Wire[PriceListAnswer]:
    """Change its title, its text, its end, and its beginning while it has not begun."""
    async with database.transaction() as session:
        return await _answer(
            session, await fixed_prices.change_list(session, actor, price_list_id, body), fields
        )


@router.delete("/{price_list_id}")
async def delete_price_list(actor: StaffMember, price_list_id: str, database: Db) -> Wire[Deleted]:
    """End it: the prices of before come back within a minute. The office shows it as over."""
    async with database.transaction() as session:
        await fixed_prices.delete_list(session, actor, price_list_id)
    return Wire({"id": price_list_id, "object": "price_list", "deleted": True})


@router.get("/{price_list_id}/prices")
async def list_prices(
    price_list_id: str, asked: Annotated[PricesParameters, read_query(PricesParameters)], database: Db
) -> Wire[PricesAnswer]:
    """Its prices."""
    async with database.read() as session:
        row = await _found(session, price_list_id)
        conditions = [
            PriceListPrice.price_list_id == price_list_id,
            *one_of((PriceListPrice.id, asked.id), (PriceListPrice.variant_id, asked.variant_id)),
        ]
        order = in_order(asked.order, PRICES_SORTABLE, [PriceListPrice.id])
        found, count = await rows_of(session, PriceListPrice, conditions, order, asked)
    return Wire(
        {"prices": pick_each([price_wire(price, row) for price in found], asked), **paging(count, asked)}
    )


@router.post("/{price_list_id}/prices/batch")
async def change_prices(
    actor: StaffMember, price_list_id: str, body: PricesChange, database: Db
) -> Wire[PricesChanged]:
    """Add prices, change some and take others out, while it has not begun."""
    async with database.transaction() as session:
        row, added, changed, gone = await fixed_prices.change_prices(session, actor, price_list_id, body)
        return Wire({
            "created": [price_wire(price, row) for price in added],
            "updated": [price_wire(price, row) for price in changed],
            "deleted": {"ids": gone, "object": "price", "deleted": True},
        })  # fmt: skip


@router.post("/{price_list_id}/products")
async def remove_products(
    actor: StaffMember, price_list_id: str, body: ProductsRemoval, database: Db, fields: Shown
) -> Wire[PriceListAnswer]:
    """Take all prices of these products out of it, while it has not begun."""
    async with database.transaction() as session:
        changed = await fixed_prices.remove_products(session, actor, price_list_id, body.remove)
        return await _answer(session, changed, fields)


async def _found(session: AsyncSession, list_id: str) -> PriceList:
    query = select(PriceList).where(PriceList.id == list_id, PriceList.ended_at.is_(None))
    return await get_or_404(session, query, "Price list", list_id)


async def _answer(session: AsyncSession, row: PriceList, fields: Fields) -> Wire[PriceListAnswer]:
    await session.flush()
    prices = await prices_by_list(session, [row] if fields.wants("prices", by_default=True) else ())
    return Wire({"price_list": fields.pick(price_list_wire(row, prices.get(row.id)))})
