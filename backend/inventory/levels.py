"""Lock and change stock levels and reservations, and publish the changes of the units that can be sold."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.events import publish
from backend.inventory import statements
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import AppliedMovement, MovementDetails, record_movement


async def lock_levels(session: AsyncSession, condition: ColumnElement[bool]) -> Sequence[InventoryLevel]:
    """Lock and return the stock levels that match the condition, in the order of their ids."""
    return (await session.execute(statements.select_levels(condition))).scalars().all()


async def lock_reservations(session: AsyncSession, condition: ColumnElement[bool]) -> Sequence[Reservation]:
    """Lock and return the matching reservations, in the order of their ids. Lock their levels before."""
    return (await session.execute(statements.select_reservations(condition))).scalars().all()


def sum_reserved_units(reservations: Sequence[Reservation], levels: Sequence[InventoryLevel]) -> Counter[str]:
    """Return the number of reserved units by variant id. `levels` must include the levels of all these reservations."""
    variants = {level.id: level.variant_id for level in levels}
    units: Counter[str] = Counter()
    for reservation in reservations:
        units[variants[reservation.level_id]] += reservation.quantity
    return units


async def change_level(
    session: AsyncSession,
    level: InventoryLevel,
    *,
    stocked: int,
    reserved: int = 0,
    details: MovementDetails | None,
) -> None:
    """Add units to the (locked) level; negative numbers remove them. Changed stock is recorded with `details`."""
    changes = {"more_stocked": stocked, "more_reserved": reserved}
    await session.execute(statements.CHANGE, {"level_id": level.id, **changes})
    if stocked and details is not None:
        after = level.stocked + stocked
        await record_movement(
            session, AppliedMovement(level.variant_id, level.location_id, stocked, after), details
        )


async def publish_level_changes(
    session: AsyncSession, levels: Sequence[InventoryLevel], changes: Mapping[str, int]
) -> None:
    """Publish an event with the change of the units that can be sold, by variant id.

    `changes` has, by level id, the change of the units that can be sold from each of the `levels`.
    """
    units: Counter[str] = Counter()
    for level in levels:
        units[level.variant_id] += changes.get(level.id, 0)
    await publish_stock_change(session, units)


async def publish_stock_change(session: AsyncSession, units: Mapping[str, int]) -> None:
    """Publish an event with the change of the units that can be sold, by variant id. Leave out unchanged variants."""
    if changed := {variant_id: count for variant_id, count in units.items() if count}:
        await publish(session, StockChanged(changed))
