"""Why stock changes: each change of `stocked` is a row, written in its transaction.

A sale moves its units when they are packed; until then they are only reserved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Who
from backend.core.db.database import db_now, locked
from backend.core.db.tables import insert_into, table_of, values_of
from backend.core.errors import Conflict, InsufficientStock
from backend.core.events import publish
from backend.core.ids import new_id
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation, StockMovement
from backend.staff.rights import SHOP

MOST_UNITS = 1_000_000


class Reason(StrEnum):
    """Why units came or left."""

    RECEIVED = "received"
    COUNT = "count"
    DAMAGED = "damaged"
    LOST = "lost"
    SALE = "sale"
    RETURN = "return"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Why:
    """What is kept about a change of stock: see `StockMovement`."""

    reason: Reason
    who: Who = SHOP
    note: str = ""
    supplier: str = ""
    document: str = ""
    order_id: str | None = None


class StockReserved(InsufficientStock):
    """Fewer units would be stocked there than are reserved. `holders` are the carts whose units those are."""

    def __init__(self, level: InventoryLevel, wanted: int, holders: Sequence[str]) -> None:
        super().__init__(
            f"{level.reserved} units are promised to buyers: {wanted} cannot be all that is stocked at the location"
        )
        self.holders = holders
        self.reserved = level.reserved


class StockMoved(Conflict):
    """Another number is stocked there than whoever counted had seen."""

    def __init__(self, stocked: int) -> None:
        super().__init__(f"There are {stocked} units by now: count again")
        self.stocked = stocked


class Moved(NamedTuple):
    """A change that has been made: `delta` units came, `stocked` are there now."""

    variant_id: str
    location_id: str
    delta: int
    stocked: int


SALE, RETURNED, CORRECTED, COUNTED = (
    Why(reason) for reason in (Reason.SALE, Reason.RETURN, Reason.CORRECTION, Reason.COUNT)
)
"""By the shop itself."""


async def note_movement(session: AsyncSession, moved: Moved, why: Why) -> None:
    """Write the row of a change."""
    row = {
        "id": new_id("stkmov"),
        **moved._asdict(),
        "reason": why.reason,
        "actor_id": why.who.id,
        "note": why.note,
        "supplier": why.supplier,
        "document": why.document,
        "order_id": why.order_id,
    }
    await session.execute(_INSERT, row)


async def move_stock(
    session: AsyncSession, variant_id: str, location_id: str, delta: int, why: Why
) -> InventoryLevel:
    """Add units to the location, or take them away; where it never had any, it has a level from now on.

    Returns:
        The level as it is now.

    Raises:
        StockReserved: fewer would be left than are reserved there; nothing is changed.
    """
    level = await lock_level(session, variant_id, location_id)
    await _change(session, level, level.stocked + delta, why)
    return level


async def count_stock(
    session: AsyncSession,
    variant_id: str,
    location_id: str,
    counted: int,
    why: Why,
    *,
    seen: int | None = None,
) -> InventoryLevel:
    """So many units are stocked at the location. `seen` is what the shop said when they were counted.

    Returns:
        The level as it is now.

    Raises:
        StockReserved: more than that are reserved there; nothing is changed.
        StockMoved: another number than `seen` stands there by now.
    """
    level = await lock_level(session, variant_id, location_id)
    if seen is not None and level.stocked != seen:
        raise StockMoved(level.stocked)
    await _change(session, level, counted, why)
    return level


async def lock_level(session: AsyncSession, variant_id: str, location_id: str) -> InventoryLevel:
    """The variant's level at the location, locked; a new one with no units where there is none."""
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id
    )
    level = (await session.execute(locked(query))).scalar_one_or_none()
    if level is None:  # somebody else may be making it too
        new = InventoryLevel(variant_id=variant_id, location_id=location_id)
        await session.execute(_NEW_LEVEL, values_of(new))
        level = (await session.execute(locked(query))).scalar_one()
    return level


async def make_levels(session: AsyncSession, variant_ids: Sequence[str], location_id: str) -> None:
    """Let each of the variants have a level at the location, but for those that are no longer in the shop."""
    at = InventoryLevel.location_id == location_id
    known = select(InventoryLevel.variant_id).where(at, InventoryLevel.variant_id.in_(variant_ids))
    missing = set(variant_ids) - set((await session.execute(known)).scalars())
    if not missing:
        return
    (variant,) = table_of(InventoryLevel).c.variant_id.foreign_keys
    there = select(variant.column).where(variant.column.in_(missing)).order_by(variant.column)
    for variant_id in (await session.execute(there)).scalars().all():
        new = InventoryLevel(variant_id=variant_id, location_id=location_id)
        await session.execute(_NEW_LEVEL, values_of(new))


async def _change(session: AsyncSession, level: InventoryLevel, stocked: int, why: Why) -> None:
    if stocked < level.reserved:
        held = select(Reservation.holder).where(Reservation.level_id == level.id)
        holders = (await session.execute(held.order_by(Reservation.id))).scalars().all()
        raise StockReserved(level, stocked, holders)
    delta = stocked - level.stocked
    if delta:
        level.stocked = stocked
        await session.flush()
        await note_movement(session, Moved(level.variant_id, level.location_id, delta, stocked), why)
        await publish(session, StockChanged({level.variant_id: delta}))


_NEW_LEVEL = insert_into(table_of(InventoryLevel)).on_conflict_do_nothing()
_INSERT = insert(table_of(StockMovement)).values(created_at=db_now())
