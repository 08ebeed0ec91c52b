"""Preorders: products whose units are sold before they arrive at the shop, up to a limit for each variant.

The units that can still be sold are `incoming` units of the stock level (`backend.inventory.models`). Received units
replace them. On the day after `Product.preorder_day` a job ends the preorder: units that were not sold are no longer
offered, and sold ones stay reserved for their orders.
"""

from collections.abc import Collection
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.models import Product, Variant
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database, database_now, lock_rows
from backend.inventory.levels import lock_levels, publish_level_changes
from backend.inventory.models import InventoryLevel
from backend.jobs import JobRun, periodic
from backend.staff.rights import SHOP


async def set_incoming_units(
    session: AsyncSession, product: Product, variant_ids: Collection[str] | None = None
) -> None:
    """Set the announced units (`incoming`) at the stock levels of the (locked) product's variants.

    The first level of each variant announces the units of the product's preorder, if there is one. If more
    units are reserved than stocked at a level, that level announces at least the difference. `variant_ids`
    are the variants to change; None for all.
    """
    of_product = select(Variant.id).where(Variant.product_id == product.id)
    changes: dict[str, int] = {}
    seen: set[str] = set()
    levels = await lock_levels(session, InventoryLevel.variant_id.in_(of_product))
    for level in levels:
        if variant_ids is not None and level.variant_id not in variant_ids:
            continue
        offered = product.preorder_units or 0 if product.preorder_day and level.variant_id not in seen else 0
        seen.add(level.variant_id)
        incoming = max(offered, level.reserved - level.stocked, 0)
        if incoming != level.incoming:
            changes[level.id] = incoming - level.incoming
            level.incoming = incoming
    await session.flush()
    await publish_level_changes(session, levels, changes)


class PreorderJob:
    """The job that ends preorders whose day has passed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("catalog.end_preorders", every=timedelta(minutes=10))
    async def run(self, _run: JobRun) -> None:
        """End the preorders whose day has passed, one transaction for each product."""
        async with self._database.read() as session:
            today = today_in_colombia(await database_now(session))
            due = select(Product.id).where(Product.preorder_day < today).order_by(Product.id)
            ids = (await session.execute(due)).scalars().all()
        for product_id in ids:
            async with self._database.transaction() as session:
                query = lock_rows(select(Product).where(Product.id == product_id))
                product = (await session.execute(query)).scalar_one()
                if product.preorder_day is None or product.preorder_day >= today:
                    continue
                await record(session, SHOP, "changed", Subject(SubjectType.PRODUCT, product_id))
                product.preorder_day = product.preorder_units = None
                await set_incoming_units(session, product)
                await publish_product_changes(session, [product_id])
