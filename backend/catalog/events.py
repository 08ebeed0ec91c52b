"""When a product has changed: the event that says so, and what publishes it."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Variant
from backend.catalog.search import index_products
from backend.events import publish, subscribe
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel


@dataclass(frozen=True, slots=True)
class ProductChanged:
    """What shoppers see of a product changed: words, price, pictures, place in the shop, or what is left of it.

    Published in the transaction that changes it (spec: Events 2). A product that is new or gone has changed too.
    """

    product_id: str


MOST_UNITS_SHOWN = 99
"""No page says or offers more units than fit in a line of a cart: beyond, a sale changes nothing that is seen."""

_UNITS = (
    select(
        Variant.id,
        Variant.product_id,
        func.coalesce(func.sum(InventoryLevel.stocked - InventoryLevel.reserved), 0),
    )
    .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .where(Variant.id.in_(bindparam("variant_ids", expanding=True)))
    .group_by(Variant.id, Variant.product_id)
)


async def products_changed(session: AsyncSession, product_ids: Iterable[str]) -> None:
    """These products are not what they were."""
    ids = sorted(set(product_ids))
    if not ids:
        return
    await session.flush()
    await index_products(session, ids)
    for product_id in ids:
        await publish(session, ProductChanged(product_id))


@subscribe(StockChanged)
async def tell_what_is_seen(session: AsyncSession, event: StockChanged) -> None:
    """Tell of the products whose stock shows otherwise than before."""
    rows = await session.execute(_UNITS, {"variant_ids": list(event.units)})
    seen_otherwise = {
        product_id
        for variant_id, product_id, units in rows
        if _shown(units) != _shown(units - event.units[variant_id])
    }
    for product_id in sorted(seen_otherwise):
        await publish(session, ProductChanged(product_id))


def _shown(units: int) -> int:
    return min(max(units, 0), MOST_UNITS_SHOWN + 1)
