"""Events of product changes, and the functions that publish them.

`ProductChanged` is also published when the displayed stock of a product changes. `ProductsEdited` is published only
by an edit or an import, once for all its products.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Variant
from backend.catalog.search.index import index_products
from backend.core.events import publish, subscribe
from backend.inventory.events import StockChanged
from backend.inventory.models import SELLABLE_UNITS, InventoryLevel


@dataclass(frozen=True, slots=True)
class ProductChanged:
    """Event: what shoppers see of a product changed, such as texts, price, pictures, categories or stock.

    Published in the transaction of the change (spec: Events 2), also for a new or deleted product.
    """

    product_id: str


@dataclass(frozen=True, slots=True)
class ProductsEdited:
    """An edit of these products by staff, an API client or an import. Some may have become available for sale.

    Published in the transaction of the change. `created_ids` and `deleted_ids` are the new and the deleted products
    among them.
    """

    product_ids: Sequence[str]
    created_ids: frozenset[str] = frozenset()
    deleted_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class VariantsDeleted:
    """Deletion of these variants in this transaction.

    When the event is published, their rows and the cart lines that use them still exist.
    """

    variant_ids: Sequence[str]


MAX_UNITS_SHOWN = 99
"""Largest number of units that pages display. A sale that leaves more units than this changes no page."""

_UNITS = (
    select(
        Variant.id,
        Variant.product_id,
        func.coalesce(func.sum(SELLABLE_UNITS), 0),
    )
    .outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
    .where(Variant.id.in_(bindparam("variant_ids", expanding=True)))
    .group_by(Variant.id, Variant.product_id)
)


async def publish_product_changes(
    session: AsyncSession,
    product_ids: Iterable[str],
    *,
    created_ids: Iterable[str] = (),
    deleted_ids: Iterable[str] = (),
) -> None:
    """Update the search index for these products, and publish `ProductChanged` for each and `ProductsEdited` once.

    `created_ids` and `deleted_ids` are the new and the deleted products among them.
    """
    ids = sorted(set(product_ids))
    if not ids:
        return
    await session.flush()
    await index_products(session, ids)
    for product_id in ids:
        await publish(session, ProductChanged(product_id))
    await publish(session, ProductsEdited(ids, frozenset(created_ids), frozenset(deleted_ids)))


@subscribe(StockChanged)
async def publish_visible_changes(session: AsyncSession, event: StockChanged) -> None:
    """Publish `ProductChanged` for the products whose displayed stock changed."""
    if event.available is not None:
        changed_variant_ids = [
            variant_id
            for variant_id, remaining in event.available.items()
            if _is_display_changed(remaining, event.units[variant_id])
        ]
        # a checkout has already loaded the variants into the session
        changed = {
            (await session.get_one(Variant, variant_id)).product_id for variant_id in changed_variant_ids
        }
    else:
        rows = await session.execute(_UNITS, {"variant_ids": list(event.units)})
        changed = {
            product_id
            for variant_id, product_id, remaining in rows
            if _is_display_changed(remaining, event.units[variant_id])
        }
    for product_id in sorted(changed):
        await publish(session, ProductChanged(product_id))


def _is_display_changed(remaining: int, units: int) -> bool:
    """Return True if adding `units` (negative: removing them) changed the number that pages display.

    `remaining` is the number of units afterwards.
    """
    return _displayed_units(remaining) != _displayed_units(remaining - units)


def _displayed_units(units: int) -> int:
    return min(max(units, 0), MAX_UNITS_SHOWN + 1)
