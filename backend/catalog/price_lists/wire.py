"""Conversion of price lists to the Admin API's JSON (wire: commerce-api, Admin)."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.price_lists.answers import PriceListOut, PriceListPriceOut
from backend.catalog.price_lists.models import PriceList, PriceListPrice
from backend.edge.wire import iso, stamps


async def prices_by_list(
    session: AsyncSession, lists: Sequence[PriceList]
) -> dict[str, list[PriceListPrice]]:
    """Return all prices of these lists, by list id."""
    found: dict[str, list[PriceListPrice]] = {one.id: [] for one in lists}
    if lists:
        query = select(PriceListPrice).where(PriceListPrice.price_list_id.in_(found))
        for price in (await session.execute(query.order_by(PriceListPrice.id))).scalars():
            found[price.price_list_id].append(price)
    return found


def price_list_wire(row: PriceList, prices: Sequence[PriceListPrice] | None = None) -> PriceListOut:
    """Return a price list as JSON, with its prices if they are given."""
    shown: PriceListOut = {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "type": "sale",
        "status": "active",
        "starts_at": iso(row.starts_at),
        "ends_at": iso(row.ends_at),
        "rules": {},
        "created_at": iso(row.created_at),
        "updated_at": iso(row.updated_at),
        "deleted_at": None,
    }
    if prices is not None:
        shown["prices"] = [price_wire(price, row) for price in prices]
    return shown


def price_wire(price: PriceListPrice, row: PriceList) -> PriceListPriceOut:
    """Return a price of the list as JSON."""
    return {
        "id": price.id,
        "title": None,
        "price_list_id": row.id,
        "variant_id": price.variant_id,
        "amount": price.amount,
        "currency_code": "cop",
        "min_quantity": None,
        "max_quantity": None,
        "rules": {},
        **stamps(row.created_at, row.updated_at),
        "deleted_at": None,
    }
