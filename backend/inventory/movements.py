"""Movements of stock: each change of `stocked` is stored as a row, in the same transaction.

The units of an order are only reserved until they are packed. Packing moves them out of the stock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditActor
from backend.core.db.database import db_now, lock_rows
from backend.core.db.tables import insert_into, row_values, table_of
from backend.core.errors import Conflict, InsufficientStock
from backend.core.events import publish
from backend.core.ids import new_id
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation, StockMovement
from backend.staff.rights import SHOP

MAX_MOVED_UNITS = 1_000_000


class Reason(StrEnum):
    """Reason of a movement of units."""

    RECEIVED = "received"
    COUNT = "count"
    DAMAGED = "damaged"
    LOST = "lost"
    SALE = "sale"
    RETURN = "return"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class MovementDetails:
    """The stored details of a change of stock: see `StockMovement`."""

    reason: Reason
    actor: AuditActor = SHOP
    note: str = ""
    supplier: str = ""
    document: str = ""
    order_id: str | None = None


class StockReserved(InsufficientStock):
    """The change would leave fewer units at the location than are reserved there.

    `holders` are the ids of the carts that reserved them.
    """

    def __init__(self, level: InventoryLevel, stocked: int, holders: Sequence[str]) -> None:
        super().__init__(
            f"{level.reserved} units are reserved for customers: the stock at the location cannot be {stocked}"
        )
        self.holders = holders
        self.reserved = level.reserved


class StockCountOutdated(Conflict):
    """The stock changed since it was counted."""

    def __init__(self, stocked: int) -> None:
        super().__init__(f"There are {stocked} units now: count again")
        self.stocked = stocked


class AppliedMovement(NamedTuple):
    """An applied change of a level: `delta` units were added, and `stocked` units are at the location now."""

    variant_id: str
    location_id: str
    delta: int
    stocked: int


SHOP_SALE, SHOP_RETURN, SHOP_CORRECTION, SHOP_COUNT = (
    MovementDetails(reason) for reason in (Reason.SALE, Reason.RETURN, Reason.CORRECTION, Reason.COUNT)
)
"""Details of movements that the shop itself makes."""


async def record_movement(session: AsyncSession, moved: AppliedMovement, details: MovementDetails) -> None:
    """Insert the row of a movement."""
    row = {
        "id": new_id("stkmov"),
        **moved._asdict(),
        "reason": details.reason,
        "actor_id": details.actor.id,
        "note": details.note,
        "supplier": details.supplier,
        "document": details.document,
        "order_id": details.order_id,
    }
    await session.execute(_INSERT, row)


async def move_stock(
    session: AsyncSession, variant_id: str, location_id: str, delta: int, details: MovementDetails
) -> InventoryLevel:
    """Add units to the location, or remove them (negative `delta`). A missing level is created.

    Returns:
        The level after the change.

    Raises:
        StockReserved: the stocked and announced units at the location would be fewer than the reserved ones;
            nothing is changed.
    """
    level = await lock_level(session, variant_id, location_id)
    await _set_stocked(session, level, level.stocked + delta, details)
    return level


async def count_stock(
    session: AsyncSession,
    variant_id: str,
    location_id: str,
    counted: int,
    details: MovementDetails,
    *,
    expected: int | None = None,
) -> InventoryLevel:
    """Set the units stocked at the location to the counted number.

    `expected` is the stock that was shown to the staff member before the count; None skips the check.

    Returns:
        The level after the change.

    Raises:
        StockReserved: more than the counted and the announced units are reserved at the location; nothing is
            changed.
        StockCountOutdated: the stock is no longer `expected`.
    """
    level = await lock_level(session, variant_id, location_id)
    if expected is not None and level.stocked != expected:
        raise StockCountOutdated(level.stocked)
    await _set_stocked(session, level, counted, details)
    return level


async def lock_level(session: AsyncSession, variant_id: str, location_id: str) -> InventoryLevel:
    """Lock and return the variant's stock level at the location. A missing level is created with no units."""
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id
    )
    level = (await session.execute(lock_rows(query))).scalar_one_or_none()
    if level is None:  # a concurrent request may create it too
        new = InventoryLevel(variant_id=variant_id, location_id=location_id)
        await session.execute(_NEW_LEVEL, row_values(new))
        level = (await session.execute(lock_rows(query))).scalar_one()
    return level


async def create_levels(session: AsyncSession, variant_ids: Sequence[str], location_id: str) -> None:
    """Create the missing stock levels of these variants at the location. Deleted variants are skipped."""
    at = InventoryLevel.location_id == location_id
    existing = select(InventoryLevel.variant_id).where(at, InventoryLevel.variant_id.in_(variant_ids))
    missing = set(variant_ids) - set((await session.execute(existing)).scalars())
    if not missing:
        return
    (variant,) = table_of(InventoryLevel).c.variant_id.foreign_keys
    existing_variants = select(variant.column).where(variant.column.in_(missing)).order_by(variant.column)
    for variant_id in (await session.execute(existing_variants)).scalars().all():
        new = InventoryLevel(variant_id=variant_id, location_id=location_id)
        await session.execute(_NEW_LEVEL, row_values(new))


async def _set_stocked(
    session: AsyncSession, level: InventoryLevel, stocked: int, details: MovementDetails
) -> None:
    """Set the stock of the (locked) level. Received units first replace announced ones, which can already be sold."""
    delta = stocked - level.stocked
    arrived = min(max(delta, 0), level.incoming) if details.reason is Reason.RECEIVED else 0
    if stocked + level.incoming - arrived < level.reserved:
        held = select(Reservation.holder).where(Reservation.level_id == level.id)
        holders = (await session.execute(held.order_by(Reservation.id))).scalars().all()
        raise StockReserved(level, stocked, holders)
    if delta:
        level.stocked, level.incoming = stocked, level.incoming - arrived
        await session.flush()
        await record_movement(
            session, AppliedMovement(level.variant_id, level.location_id, delta, stocked), details
        )
        if delta != arrived:
            await publish(session, StockChanged({level.variant_id: delta - arrived}))


_NEW_LEVEL = insert_into(table_of(InventoryLevel)).on_conflict_do_nothing()
_INSERT = insert(table_of(StockMovement)).values(created_at=db_now())
