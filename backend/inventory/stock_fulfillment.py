"""Take the units of an order out of the stock when they are sent, and put them back after a cancellation or a return.

`fulfill` takes units that are reserved for the cart of the order, and returns their locations. Cancelling the
fulfillment puts the units back at these locations and reserves them again. If a location no longer has a level of
the variant, the level is created.
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
    publish_level_changes,
    publish_stock_change,
    sum_reserved_units,
)
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import (
    SHOP_CORRECTION,
    SHOP_RETURN,
    SHOP_SALE,
    MovementDetails,
    create_levels,
)
from backend.inventory.service import STOCK_GONE

NOT_ARRIVED = "Units of a preorder have not arrived at the location yet"
UnitsByLocation = Mapping[str, Mapping[str, int]]
"""Units by variant id, by location id."""


async def read_reserved_by_location(session: AsyncSession, holder: str) -> dict[str, dict[str, int]]:
    """Return the units that are reserved for the cart `holder`, as `UnitsByLocation`."""
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


async def read_arrived_units(session: AsyncSession, holder: str) -> dict[str, int]:
    """Return the units by variant id that are reserved for the cart `holder` and can be packed now.

    At each location, these are the reserved units, but at most the stocked ones. Units of a preorder do not count
    until they are received.
    """
    rows = await session.execute(
        select(InventoryLevel.variant_id, InventoryLevel.stocked, Reservation.quantity)
        .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
        .where(Reservation.holder == holder)
    )
    arrived: Counter[str] = Counter()
    for variant_id, stocked, units in rows:
        arrived[variant_id] += min(stocked, units)
    return dict(arrived)


async def lock_all_levels(session: AsyncSession, variant_ids: Iterable[str]) -> None:
    """Lock all stock levels of these variants. Call it first in a transaction that moves their units in several steps.

    Each step locks the levels and reservations that it needs. Without this lock, two transactions with a different
    order of steps would deadlock.
    """
    await lock_levels(session, InventoryLevel.variant_id.in_(variant_ids))


async def move_reservation(
    session: AsyncSession, holder: str, units: Mapping[str, int], location_id: str
) -> None:
    """Move the reservation of these units (by variant id) of the cart `holder` to this location.

    Raises:
        InsufficientStock: too few units are reserved for the cart, or too few units are free at the location; nothing
            has changed.
    """
    is_own = Reservation.holder == holder
    levels = await lock_levels(
        session, statements.has_reservation_or_is(is_own, _is_at_location(location_id, units))
    )
    own = await lock_reservations(session, is_own)
    target_levels = {level.id: level for level in levels if level.location_id == location_id}
    missing = Counter(units) - sum_reserved_units(
        [one for one in own if one.level_id in target_levels], levels
    )
    if not missing:
        return
    elsewhere = sum_reserved_units([one for one in own if one.level_id not in target_levels], levels)
    free = Counter({level.variant_id: level.free for level in target_levels.values()})
    if missing - elsewhere or missing - free:
        raise InsufficientStock(STOCK_GONE)
    until = own[0].expires_at  # all reservations of a holder have the same end
    await _take_reserved(session, holder, missing, None, lambda level: level.id in target_levels)
    await _reserve_more(session, holder, list(target_levels.values()), {location_id: missing}, until=until)


async def fulfill(
    session: AsyncSession,
    holder: str,
    units: Mapping[str, int],
    details: MovementDetails = SHOP_SALE,
    *,
    location_id: str | None = None,
) -> dict[str, dict[str, int]]:
    """Remove units (by variant id) reserved for the cart `holder` from the stock, because they are sent or lost.

    Units at `location_id` are taken first.

    Returns:
        The locations from which the units were taken: `UnitsByLocation`.

    Raises:
        InsufficientStock: too few units are reserved for the cart, or units of a preorder have not arrived yet; nothing
            is taken.
    """
    taken = await _take_reserved(
        session, holder, units, details, lambda level: level.location_id != location_id
    )
    if taken is None:
        raise InsufficientStock("Quantity to fulfill exceeds the reserved quantity for the item")
    return taken


async def cancel_fulfillment(
    session: AsyncSession, holder: str, taken: UnitsByLocation, details: MovementDetails = SHOP_CORRECTION
) -> None:
    """Put the units of a cancelled fulfillment back where `fulfill` took them, and reserve them for the cart again.

    A variant that was deleted is skipped.
    """
    await _reserve_more(session, holder, await _lock_target_levels(session, taken), taken, details=details)


async def release_units(session: AsyncSession, holder: str, units: Mapping[str, int]) -> None:
    """Release these units (by variant id) of the reservation of the cart `holder`, so that they can be sold again.

    Raises:
        InsufficientStock: too few units are reserved for the cart; nothing is released.
    """
    if await _take_reserved(session, holder, units, None) is None:
        raise InsufficientStock(STOCK_GONE)
    await publish_stock_change(session, units)


async def restock(
    session: AsyncSession, location_id: str, units: Mapping[str, int], details: MovementDetails = SHOP_RETURN
) -> None:
    """Put units (by variant id) that a customer returned into the stock of the location, so that they can be sold.

    A variant that was deleted is skipped.
    """
    levels = await _lock_target_levels(session, {location_id: units})
    for level in levels:
        await change_level(session, level, stocked=units[level.variant_id], details=details)
    await publish_level_changes(session, levels, {level.id: units[level.variant_id] for level in levels})


def _is_at_location(location_id: str, variant_ids: Iterable[str]) -> ColumnElement[bool]:
    return (InventoryLevel.location_id == location_id) & InventoryLevel.variant_id.in_(variant_ids)


async def _lock_target_levels(session: AsyncSession, units: UnitsByLocation) -> Sequence[InventoryLevel]:
    """Lock and return the levels to which these units are added. Missing levels are created."""
    for location_id in sorted(units):
        await create_levels(session, sorted(units[location_id]), location_id)
    return await lock_levels(
        session, or_(*(_is_at_location(location_id, units[location_id]) for location_id in units))
    )


async def _reserve_more(
    session: AsyncSession,
    holder: str,
    levels: Sequence[InventoryLevel],
    units: UnitsByLocation,
    *,
    until: datetime | None = None,
    details: MovementDetails | None = None,
) -> None:
    """Reserve more units for the cart `holder` at the (locked) levels; with `details`, also add them to the stock."""
    own = {one.level_id: one for one in await lock_reservations(session, Reservation.holder == holder)}
    for level in levels:
        count = units[level.location_id].get(level.variant_id, 0)
        if not count:
            continue
        await change_level(session, level, stocked=count if details else 0, reserved=count, details=details)
        if level.id in own:
            own[level.id].quantity += count
        else:
            session.add(Reservation(level_id=level.id, holder=holder, quantity=count, expires_at=until))
    await session.flush()


async def _take_reserved(
    session: AsyncSession,
    holder: str,
    units: Mapping[str, int],
    details: MovementDetails | None,
    is_later: Callable[[InventoryLevel], bool] = lambda _level: False,
) -> dict[str, dict[str, int]] | None:
    """Take units (by variant id) out of the reservations of the cart `holder`; with `details`, also out of the stock.

    Levels for which `is_later` returns True are used after the others.

    Returns:
        The locations of the units: `UnitsByLocation`. None if too few units are reserved for the cart; then the
        transaction must roll back.
    """
    missing = dict(units)
    taken_units: dict[str, dict[str, int]] = {}
    is_own = Reservation.holder == holder
    levels = {level.id: level for level in await lock_levels(session, statements.has_reservation(is_own))}
    reservations = await lock_reservations(session, is_own)
    for reservation in sorted(reservations, key=lambda one: is_later(levels[one.level_id])):
        level = levels[reservation.level_id]
        variant_id = level.variant_id
        taken = min(reservation.quantity, missing.get(variant_id, 0))
        if not taken:
            continue
        if details is not None and taken > level.stocked:
            raise InsufficientStock(NOT_ARRIVED)
        missing[variant_id] -= taken
        taken_units.setdefault(level.location_id, {})[variant_id] = taken
        await change_level(session, level, stocked=-taken if details else 0, reserved=-taken, details=details)
        if taken == reservation.quantity:
            await session.delete(reservation)
        else:
            reservation.quantity -= taken
    await session.flush()
    return None if any(missing.values()) else taken_units
