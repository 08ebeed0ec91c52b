"""Levels and reservations: locking them, changing them, and saying what that means for what can be sold."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.events import publish
from backend.inventory import statements
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import Moved, Why, note_movement


async def lock_levels(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[InventoryLevel]:
    """These levels, locked in the order of their ids."""
    return (await session.execute(statements.levels(which))).scalars().all()


async def lock_reservations(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[Reservation]:
    """These reservations, locked in the order of their ids. Their levels must be locked already."""
    return (await session.execute(statements.reservations(which))).scalars().all()


def units_of(reservations: Sequence[Reservation], levels: Sequence[InventoryLevel]) -> Counter[str]:
    """The reserved units by variant id. `levels` are at least those of the reservations."""
    variants = {level.id: level.variant_id for level in levels}
    units: Counter[str] = Counter()
    for reservation in reservations:
        units[variants[reservation.level_id]] += reservation.quantity
    return units


async def change_level(
    session: AsyncSession, level: InventoryLevel, *, stocked: int, reserved: int = 0, why: Why | None
) -> None:
    """Change the (locked) level; `why` is needed where `stocked` changes."""
    more = {"more_stocked": stocked, "more_reserved": reserved}
    await session.execute(statements.CHANGE, {"level_id": level.id, **more})
    if stocked and why is not None:
        after = level.stocked + stocked
        await note_movement(session, Moved(level.variant_id, level.location_id, stocked, after), why)


async def publish_moved(
    session: AsyncSession, levels: Sequence[InventoryLevel], moved: Mapping[str, int]
) -> None:
    """Publish how many units more or fewer can be sold: `moved` is by level id, the event by variant id."""
    units: Counter[str] = Counter()
    for level in levels:
        units[level.variant_id] += moved.get(level.id, 0)
    await publish_units(session, units)


async def publish_units(session: AsyncSession, units: Mapping[str, int]) -> None:
    """Publish how many units (by variant id) more or fewer can be sold."""
    if changed := {variant_id: count for variant_id, count in units.items() if count}:
        await publish(session, StockChanged(changed))
