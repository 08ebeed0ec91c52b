"""Reserve stock for a cart or an order, confirm and release reservations, and set the stock.

`stocked + incoming - reserved` units of an inventory level can be sold. The `holder` of a reservation is the id of a
cart, also after the cart has become an order. A reservation is one conditional UPDATE of `reserved` (never more than
`stocked + incoming`) and a `Reservation` row with the holder and the end. The reservation of a cart that is being
paid expires; that of a paid order does not. A fulfillment subtracts its units from `stocked` and `reserved`
(`backend.inventory.stock_fulfillment`). Levels are locked in the order of their ids, so two concurrent checkouts
never deadlock. Every change of the units that can be sold publishes `StockChanged` in the same transaction.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import db_now
from backend.core.db.tables import insert_row
from backend.core.errors import Conflict, InsufficientStock
from backend.core.events import publish
from backend.inventory import statements
from backend.inventory.events import StockChanged
from backend.inventory.levels import lock_levels, lock_reservations, publish_level_changes, sum_reserved_units
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import SHOP_COUNT, MovementDetails, count_stock, lock_level

Admit = Callable[[Mapping[str, int]], Awaitable[datetime | None]]
"""A function that returns the end of a reservation, given the free units of each variant; None to reserve nothing."""
STOCK_GONE = "Some variant does not have the required inventory"


async def read_available_units(
    session: AsyncSession, variant_ids: Sequence[str], *, holder: str | None = None
) -> dict[str, int]:
    """Return the units of each variant that can be sold now.

    Units reserved for the cart `holder` count as available: a shopper can buy the units of their own reservation.
    """
    if not variant_ids:
        return {}
    rows = await session.execute(statements.AVAILABLE, {"variant_ids": list(variant_ids), "holder": holder})
    return dict.fromkeys(variant_ids, 0) | {variant: int(count) for variant, count in rows}


async def reserve(
    session: AsyncSession,
    holder: str,
    requested: Mapping[str, int],
    until: datetime | None,
    *,
    is_first: bool = False,
    admit: Admit | None = None,
) -> bool:
    """Reserve `requested` (units by variant id) for the cart `holder` until `until`, replacing its earlier reservation.

    `is_first` is True if the cart has never reserved anything; then the caller must have locked the cart.

    `admit` decides about the reservation after the levels are locked. Its argument is the free units by variant id,
    including those of the cart's own and of expired reservations. It returns the end of the reservation, which
    replaces `until`; or None to reserve nothing and release the cart's earlier reservation.

    Expired reservations of the same variants are released first, so an abandoned payment does not block the only
    unit.

    Returns:
        True if the units are reserved.

    Raises:
        InsufficientStock: fewer units than requested can be sold; nothing is reserved (the transaction must roll
            back).
    """
    levels, reservations = await _lock_for_reservation(session, holder, list(requested), is_first=is_first)
    own = [reservation for reservation in reservations if reservation.holder == holder]
    if admit is not None and (until := await admit(_free_units(levels, reservations))) is None:
        await publish_level_changes(session, levels, await _release(session, reservations))
        return False
    if sum_reserved_units(own, levels) == requested:
        for reservation in own:
            reservation.expires_at = until
        return True
    moved = await _release(session, reservations)
    missing = dict(requested)
    if reservations:  # their units are available now
        levels = await lock_levels(session, InventoryLevel.id.in_([level.id for level in levels]))
    for level in (level for level in levels if level.variant_id in missing):
        units = min(missing[level.variant_id], level.free)
        if units > 0 and await _try_reserve(session, level.id, units):
            reservation = Reservation(level_id=level.id, holder=holder, quantity=units, expires_at=until)
            await insert_row(session, reservation)
            missing[level.variant_id] -= units
            moved[level.id] -= units
    if any(missing.values()):
        raise InsufficientStock(STOCK_GONE)
    if reservations:
        await publish_level_changes(session, levels, moved)
    else:
        remaining: Counter[str] = Counter()
        for level in levels:  # these are all levels of the variants, and they are locked
            remaining[level.variant_id] += level.free + moved[level.id]
        await publish(session, StockChanged({id_: -units for id_, units in requested.items()}, remaining))
    return True


def _free_units(levels: Sequence[InventoryLevel], reservations: Sequence[Reservation]) -> Counter[str]:
    """Return the units by variant id that will be free when these reservations are released."""
    free = sum_reserved_units(reservations, levels)
    for level in levels:
        free[level.variant_id] += level.free
    return free


async def _lock_for_reservation(
    session: AsyncSession, holder: str, variant_ids: Sequence[str], *, is_first: bool
) -> tuple[Sequence[InventoryLevel], Sequence[Reservation]]:
    """Lock and return the levels where units can be reserved, and the reservations to replace. See `reserve`."""
    params: dict[str, Any] = {"holder": holder, "variant_ids": variant_ids}
    if is_first:
        rows = (await session.execute(statements.FIRST_LEVELS, params)).all()
        levels: Sequence[InventoryLevel] = [level for level, _ in rows]
        if not any(has_expired for _, has_expired in rows):
            return levels, ()
    else:
        levels = (await session.execute(statements.LEVELS_TO_RESERVE, params)).scalars().all()
    return levels, (await session.execute(statements.RESERVATIONS_TO_REPLACE, params)).scalars().all()


async def set_reservation_end(
    session: AsyncSession, holder: str, units: Mapping[str, int], until: datetime | None
) -> bool:
    """Set the end of the reservation of the (locked) cart `holder`. The reservation must be for exactly these units.

    Returns:
        False if the reservation no longer exists. Then nothing has changed.

    Raises:
        Conflict: a part of the reservation expired concurrently.
    """
    total = sum(units.values())
    params = {"of": holder, "units": total, "until": until}
    quantities = (await session.execute(statements.SET_RESERVATION_END, params)).scalars().all()
    if quantities and sum(quantities) != total:
        # reservations were locked before their levels: only a new transaction can take the locks in the right order
        raise Conflict("The reservation of this cart has just expired: try again")
    return bool(quantities)


async def confirm(session: AsyncSession, holder: str) -> None:
    """Make the reservation of the cart `holder` permanent, because the cart is paid."""
    await session.execute(update(Reservation).where(Reservation.holder == holder).values(expires_at=None))


async def extend(session: AsyncSession, holder: str, until: datetime) -> None:
    """Set the end of the reservation of the cart `holder` to at least `until`.

    A permanent reservation does not change.
    """
    await session.execute(
        update(Reservation)
        .where(Reservation.holder == holder, Reservation.expires_at < until)
        .values(expires_at=until)
    )


async def read_reserved_units(session: AsyncSession, holder: str) -> dict[str, int]:
    """Return the units by variant id that are reserved for the cart `holder`."""
    rows = await session.execute(
        select(InventoryLevel.variant_id, func.sum(Reservation.quantity))
        .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
        .where(Reservation.holder == holder)
        .group_by(InventoryLevel.variant_id)
    )
    return {variant: int(units) for variant, units in rows}


async def release(session: AsyncSession, holder: str) -> None:
    """Delete the reservation of the cart `holder`, if there is one, so that its units can be sold again."""
    await _release_where(session, Reservation.holder == holder)


async def release_expired(session: AsyncSession) -> int:
    """Delete the expired reservations.

    Returns:
        The number of deleted reservations.
    """
    return await _release_where(session, Reservation.expires_at <= db_now())


async def set_stock(
    session: AsyncSession,
    variant_id: str,
    location_id: str,
    stocked: int,
    details: MovementDetails = SHOP_COUNT,
) -> InventoryLevel:
    """Set the units stocked at the location to `stocked`, or to the number of reserved units if that is higher.

    Returns:
        The level after the change.
    """
    level = await lock_level(session, variant_id, location_id)
    return await count_stock(session, variant_id, location_id, max(stocked, level.reserved, 0), details)


async def _release_where(session: AsyncSession, condition: ColumnElement[bool]) -> int:
    levels = await lock_levels(session, statements.has_reservation(condition))
    # a reservation that expired after the levels were locked may be at another level: the next call deletes it
    at_these = Reservation.level_id.in_([level.id for level in levels])
    reservations = await lock_reservations(session, condition & at_these)
    await publish_level_changes(session, levels, await _release(session, reservations))
    return len(reservations)


async def _release(session: AsyncSession, reservations: Sequence[Reservation]) -> Counter[str]:
    """Delete the reservations. Return the freed units by level id."""
    freed: Counter[str] = Counter()
    for reservation in reservations:
        await _decrease_reserved(session, reservation.level_id, reservation.quantity)
        freed[reservation.level_id] += reservation.quantity
        session.expunge(reservation)
    if reservations:
        ids = [reservation.id for reservation in reservations]
        await session.execute(delete(Reservation).where(Reservation.id.in_(ids)))
    return freed


async def _try_reserve(session: AsyncSession, level_id: str, units: int) -> bool:
    params = {"level_id": level_id, "units": units}
    result = cast("CursorResult[Any]", await session.execute(statements.RESERVE, params))
    return result.rowcount == 1


async def _decrease_reserved(session: AsyncSession, level_id: str, units: int) -> None:
    await session.execute(
        statements.CHANGE, {"level_id": level_id, "more_stocked": 0, "more_reserved": -units}
    )
