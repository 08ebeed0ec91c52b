"""Units that leave the stock for a buyer, and units that come back: from which location, and to which.

A fulfillment takes what its holder has reserved, and says from where. Cancelled, it puts the units back there, reserved
again. Where units come back to a location that has no level of their variant any more, it has one again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import InsufficientStock
from backend.inventory import statements
from backend.inventory.levels import (
    change_level,
    lock_levels,
    lock_reservations,
    publish_moved,
    publish_units,
    units_of,
)
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import CORRECTED, RETURNED, SALE, Why, make_levels
from backend.inventory.service import STOCK_GONE

UnitsByLocation = Mapping[str, Mapping[str, int]]
"""Units by variant id, by the location's id."""


async def reserved_at(session: AsyncSession, holder: str) -> dict[str, dict[str, int]]:
    """What the holder has reserved: `UnitsByLocation`."""
    rows = await session.execute(
        select(InventoryLevel.location_id, InventoryLevel.variant_id, Reservation.quantity)
        .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
        .where(Reservation.holder == holder)
        .order_by(InventoryLevel.location_id)
    )
    held: dict[str, dict[str, int]] = {}
    for location_id, variant_id, units in rows:
        held.setdefault(location_id, {})[variant_id] = units
    return held


async def lock_all_levels(session: AsyncSession, variant_ids: Iterable[str]) -> None:
    """Lock all levels of these variants: first, where one transaction then moves units of them step by step.

    Each step locks the levels and reservations it needs. Were they not locked already, two transactions whose steps
    come in another order would wait for each other.
    """
    await lock_levels(session, InventoryLevel.variant_id.in_(variant_ids))


async def reserve_at(session: AsyncSession, holder: str, units: Mapping[str, int], location_id: str) -> None:
    """Have units (by variant id) that the holder has reserved somewhere be reserved at this location.

    Raises:
        InsufficientStock: the holder has reserved fewer, or too few are free there; nothing has changed.
    """
    mine = Reservation.holder == holder
    levels = await lock_levels(session, statements.reserved_by_or(mine, _at(location_id, units)))
    own = await lock_reservations(session, mine)
    there = {level.id: level for level in levels if level.location_id == location_id}
    lacking = Counter(units) - units_of([one for one in own if one.level_id in there], levels)
    if not lacking:
        return
    elsewhere = units_of([one for one in own if one.level_id not in there], levels)
    free = Counter({level.variant_id: level.stocked - level.reserved for level in there.values()})
    if lacking - elsewhere or lacking - free:
        raise InsufficientStock(STOCK_GONE)
    until = own[0].expires_at  # all of a holder's end at the same moment
    await _take_reserved(session, holder, lacking, None, lambda level: level.id in there)
    await _reserve_more(session, holder, list(there.values()), {location_id: lacking}, until=until)


async def fulfill(
    session: AsyncSession,
    holder: str,
    units: Mapping[str, int],
    why: Why = SALE,
    *,
    location_id: str | None = None,
) -> dict[str, dict[str, int]]:
    """Take units (by variant id) that the holder has reserved out of the stock: sent to the buyer, or lost.

    Those at `location_id` go first.

    Returns:
        From where they were taken: `UnitsByLocation`.

    Raises:
        InsufficientStock: the holder has reserved fewer; nothing is taken.
    """
    taken = await _take_reserved(session, holder, units, why, lambda level: level.location_id != location_id)
    if taken is None:
        raise InsufficientStock("Quantity to fulfill exceeds the reserved quantity for the item")
    return taken


async def cancel_fulfillment(
    session: AsyncSession, holder: str, taken: UnitsByLocation, why: Why = CORRECTED
) -> None:
    """Put the units of a cancelled fulfillment back where `fulfill` took them, reserved for the holder again.

    A variant that is no longer in the shop is skipped.
    """
    await _reserve_more(session, holder, await _levels_for(session, taken), taken, why=why)


async def release_units(session: AsyncSession, holder: str, units: Mapping[str, int]) -> None:
    """Release so many units (by variant id) of the holder's reservation: they can be sold again.

    Raises:
        InsufficientStock: the holder has reserved fewer; nothing is released.
    """
    if await _take_reserved(session, holder, units, None) is None:
        raise InsufficientStock(STOCK_GONE)
    await publish_units(session, units)


async def restock(
    session: AsyncSession, location_id: str, units: Mapping[str, int], why: Why = RETURNED
) -> None:
    """Put units (by variant id) that a buyer returned back to the location: they can be sold again.

    A variant that is no longer in the shop is skipped.
    """
    levels = await _levels_for(session, {location_id: units})
    for level in levels:
        await change_level(session, level, stocked=units[level.variant_id], why=why)
    await publish_moved(session, levels, {level.id: units[level.variant_id] for level in levels})


def _at(location_id: str, variant_ids: Iterable[str]) -> ColumnElement[bool]:
    return (InventoryLevel.location_id == location_id) & InventoryLevel.variant_id.in_(variant_ids)


async def _levels_for(session: AsyncSession, units: UnitsByLocation) -> Sequence[InventoryLevel]:
    """The levels where these units are put, locked; new ones where there are none."""
    for location_id in sorted(units):
        await make_levels(session, sorted(units[location_id]), location_id)
    return await lock_levels(session, or_(*(_at(location_id, units[location_id]) for location_id in units)))


async def _reserve_more(
    session: AsyncSession,
    holder: str,
    levels: Sequence[InventoryLevel],
    units: UnitsByLocation,
    *,
    until: datetime | None = None,
    why: Why | None = None,
) -> None:
    """Reserve units at the (locked) levels until then, more than the holder has; with `why`, they come into stock."""
    own = {one.level_id: one for one in await lock_reservations(session, Reservation.holder == holder)}
    for level in levels:
        count = units[level.location_id].get(level.variant_id, 0)
        if not count:
            continue
        await change_level(session, level, stocked=count if why else 0, reserved=count, why=why)
        if level.id in own:
            own[level.id].quantity += count
        else:
            session.add(Reservation(level_id=level.id, holder=holder, quantity=count, expires_at=until))
    await session.flush()


async def _take_reserved(
    session: AsyncSession,
    holder: str,
    units: Mapping[str, int],
    why: Why | None,
    is_later: Callable[[InventoryLevel], bool] = lambda _level: False,
) -> dict[str, dict[str, int]] | None:
    """Take units (by variant id) out of the holder's reservations; with `why`, out of the stock as well.

    Levels that are `is_later` are turned to after the others.

    Returns:
        From where: `UnitsByLocation`. None: the holder has fewer, and the transaction must roll back.
    """
    missing = dict(units)
    gone: dict[str, dict[str, int]] = {}
    mine = Reservation.holder == holder
    levels = {level.id: level for level in await lock_levels(session, statements.reserved_by(mine))}
    reservations = await lock_reservations(session, mine)
    for reservation in sorted(reservations, key=lambda one: is_later(levels[one.level_id])):
        level = levels[reservation.level_id]
        variant_id = level.variant_id
        taken = min(reservation.quantity, missing.get(variant_id, 0))
        if not taken:
            continue
        missing[variant_id] -= taken
        gone.setdefault(level.location_id, {})[variant_id] = taken
        await change_level(session, level, stocked=-taken if why else 0, reserved=-taken, why=why)
        if taken == reservation.quantity:
            await session.delete(reservation)
        else:
            reservation.quantity -= taken
    await session.flush()
    return None if any(missing.values()) else gone
