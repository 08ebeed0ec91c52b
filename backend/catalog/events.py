"""`ProductChanged`, and what publishes it: a change by staff or an import, and stock that shows otherwise.

`ProductsEdited` is only the former, once for all that were changed together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Variant
from backend.catalog.search.index import index_products
from backend.core.events import publish, subscribe
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel


@dataclass(frozen=True, slots=True)
class ProductChanged:
    """What shoppers see of a product changed: texts, price, pictures, categories, or stock.

    Published in the transaction of the change (spec: Events 2), also for a new or deleted product.
    """

    product_id: str


@dataclass(frozen=True, slots=True)
class ProductsEdited:
    """Staff, a program or an import changed these products: some may be for sale only now.

    Published in the transaction of the change.
    """

    product_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class VariantsDeleted:
    """These variants are deleted in this transaction. Their rows, and the cart lines of them, are still there."""

    variant_ids: Sequence[str]


MOST_UNITS_SHOWN = 99
"""No page shows more units than fit in a line of a cart: above, a sale changes nothing that is shown."""

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
    """Index these products for the search again, and publish that they changed."""
    ids = sorted(set(product_ids))
    if not ids:
        return
    await session.flush()
    await index_products(session, ids)
    for product_id in ids:
        await publish(session, ProductChanged(product_id))
    await publish(session, ProductsEdited(ids))


@subscribe(StockChanged)
async def publish_visible_changes(session: AsyncSession, event: StockChanged) -> None:
    """Publish the products for which pages show another stock than before."""
    if event.left is not None:
        shown = [
            variant_id for variant_id, left in event.left.items() if _differs(left, event.units[variant_id])
        ]
        # who buys has read the variants: the session knows them
        changed = {(await session.get_one(Variant, variant_id)).product_id for variant_id in shown}
    else:
        rows = await session.execute(_UNITS, {"variant_ids": list(event.units)})
        changed = {
            product_id for variant_id, product_id, left in rows if _differs(left, event.units[variant_id])
        }
    for product_id in sorted(changed):
        await publish(session, ProductChanged(product_id))


def _differs(left: int, units: int) -> bool:
    """Whether pages show another stock, now that so many units are left, and `units` fewer or more were before."""
    return _shown(left) != _shown(left - units)


def _shown(units: int) -> int:
    return min(max(units, 0), MOST_UNITS_SHOWN + 1)
