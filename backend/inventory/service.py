"""Reserving stock for a cart or an order, confirming and releasing it, and setting how much there is.

`stocked - reserved` of an inventory level can be sold. A reservation is one conditional UPDATE of `reserved` (never
more than there is) and a `Reservation` row that says for whom and until when. The reservation of a cart that is paying
expires; that of a paid order does not; a fulfillment takes its units out of both numbers
(`backend.inventory.stock_fulfillment`). Levels are locked in the order of their ids, so two checkouts at once never
deadlock. What changes the units that can be sold publishes `StockChanged` in the same transaction.
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
from backend.inventory.levels import lock_levels, lock_reservations, publish_moved, units_of
from backend.inventory.models import InventoryLevel, Reservation
from backend.inventory.movements import COUNTED, Why, count_stock, lock_level

Admit = Callable[[Mapping[str, int]], Awaitable[datetime | None]]
"""Returns the end of a reservation, given the free units of each variant; None to reserve nothing."""
STOCK_GONE = "Some variant does not have the required inventory"


async def available_units(
    session: AsyncSession, variant_ids: Sequence[str], *, holder: str | None = None
) -> dict[str, int]:
    """Units of each variant that can be sold now.

    What `holder` has reserved counts as available: a shopper can buy the units of their own reservation.
    """
    if not variant_ids:
        return {}
    rows = await session.execute(statements.AVAILABLE, {"variant_ids": list(variant_ids), "holder": holder})
    return dict.fromkeys(variant_ids, 0) | {variant: int(count) for variant, count in rows}


async def reserve(
    session: AsyncSession,
    holder: str,
    wanted: Mapping[str, int],
    until: datetime | None,
    *,
    is_first: bool = False,
    admit: Admit | None = None,
) -> bool:
    """Reserve `wanted` (units by variant id) for the holder until then, in place of what it had reserved before.

    `is_first`: the holder, whom the caller has locked, has never reserved anything. `admit` is called with the locked
    levels' free units by variant id, the holder's own and expired ones among them, and returns when the reservation
    ends instead of `until`; if it returns None, nothing is reserved and what the holder had is released.

    Expired reservations of the same variants are released first, so an abandoned payment does not block the last unit.

    Returns:
        True if the units are reserved.

    Raises:
        InsufficientStock: fewer units than wanted can be sold; nothing is reserved (the transaction must roll back).
    """
    levels, reservations = await _locked_for(session, holder, list(wanted), is_first=is_first)
    own = [reservation for reservation in reservations if reservation.holder == holder]
    if admit is not None and (until := await admit(_free_units(levels, reservations))) is None:
        await publish_moved(session, levels, await _release(session, reservations))
        return False
    if units_of(own, levels) == wanted:
        for reservation in own:
            reservation.expires_at = until
        return True
    moved = await _release(session, reservations)
    missing = dict(wanted)
    if reservations:  # their units are available now
        levels = await lock_levels(session, InventoryLevel.id.in_([level.id for level in levels]))
    for level in (level for level in levels if level.variant_id in missing):
        units = min(missing[level.variant_id], level.stocked - level.reserved)
        if units > 0 and await _reserve_at(session, level.id, units):
            reservation = Reservation(level_id=level.id, holder=holder, quantity=units, expires_at=until)
            await insert_row(session, reservation)
            missing[level.variant_id] -= units
            moved[level.id] -= units
    if any(missing.values()):
        raise InsufficientStock(STOCK_GONE)
    if reservations:
        await publish_moved(session, levels, moved)
    else:
        left: Counter[str] = Counter()
        for level in levels:  # all those of the variants, and they are locked
            left[level.variant_id] += level.stocked - level.reserved + moved[level.id]
        await publish(session, StockChanged({id_: -units for id_, units in wanted.items()}, left))
    return True


def _free_units(levels: Sequence[InventoryLevel], reservations: Sequence[Reservation]) -> Counter[str]:
    """Return the free units by variant id once these reservations are released."""
    free = units_of(reservations, levels)
    for level in levels:
        free[level.variant_id] += level.stocked - level.reserved
    return free


async def _locked_for(
    session: AsyncSession, holder: str, variant_ids: Sequence[str], *, is_first: bool
) -> tuple[Sequence[InventoryLevel], Sequence[Reservation]]:
    """The levels to reserve at, and the reservations that give way to it, locked. See `reserve`."""
    asked: dict[str, Any] = {"holder": holder, "variant_ids": variant_ids}
    if is_first:
        rows = (await session.execute(statements.FIRST_LEVELS, asked)).all()
        levels: Sequence[InventoryLevel] = [level for level, _ in rows]
        if not any(has_expired for _, has_expired in rows):
            return levels, ()
    else:
        levels = (await session.execute(statements.LEVELS_TO_RESERVE, asked)).scalars().all()
    return levels, (await session.execute(statements.RESERVATIONS_TO_REPLACE, asked)).scalars().all()


async def keep(session: AsyncSession, holder: str, wanted: Mapping[str, int], until: datetime | None) -> bool:
    """Let the reservation of the (locked) holder, which was made of `wanted` and nothing else, end at this moment.

    Returns:
        Whether it was still there. If not, nothing has changed.

    Raises:
        Conflict: a part of it has ended at this very moment.
    """
    total = sum(wanted.values())
    asked = {"of": holder, "units": total, "until": until}
    kept = (await session.execute(statements.KEEP, asked)).scalars().all()
    if kept and sum(kept) != total:
        # the locks of what is left were taken before those of its levels: go on in another transaction
        raise Conflict("What was reserved for this cart has just ended: try again")
    return bool(kept)


async def confirm(session: AsyncSession, holder: str) -> None:
    """The holder has paid: its reservation no longer expires."""
    await session.execute(update(Reservation).where(Reservation.holder == holder).values(expires_at=None))


async def extend(session: AsyncSession, holder: str, until: datetime) -> None:
    """Have the holder's reservation expire no sooner than `until`. A confirmed one still does not expire."""
    await session.execute(
        update(Reservation)
        .where(Reservation.holder == holder, Reservation.expires_at < until)
        .values(expires_at=until)
    )


async def reserved_units(session: AsyncSession, holder: str) -> dict[str, int]:
    """Units by variant id that the holder has reserved."""
    rows = await session.execute(
        select(InventoryLevel.variant_id, func.sum(Reservation.quantity))
        .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
        .where(Reservation.holder == holder)
        .group_by(InventoryLevel.variant_id)
    )
    return {variant: int(units) for variant, units in rows}


async def release(session: AsyncSession, holder: str) -> None:
    """Delete the holder's reservation, if there is one: its units can be sold again."""
    await _release_where(session, Reservation.holder == holder)


async def release_expired(session: AsyncSession) -> int:
    """Delete the reservations that have expired.

    Returns:
        How many there were.
    """
    return await _release_where(session, Reservation.expires_at <= db_now())


async def set_stock(
    session: AsyncSession, variant_id: str, location_id: str, stocked: int, why: Why = COUNTED
) -> InventoryLevel:
    """Set how many units the location has; never fewer than are reserved there.

    Returns:
        The level as it is now.
    """
    level = await lock_level(session, variant_id, location_id)
    return await count_stock(session, variant_id, location_id, max(stocked, level.reserved, 0), why)


async def _release_where(session: AsyncSession, which: ColumnElement[bool]) -> int:
    levels = await lock_levels(session, statements.reserved_by(which))
    # one that has expired since the levels were locked may be of another level: it is left to the next time
    at_these = Reservation.level_id.in_([level.id for level in levels])
    reservations = await lock_reservations(session, which & at_these)
    await publish_moved(session, levels, await _release(session, reservations))
    return len(reservations)


async def _release(session: AsyncSession, reservations: Sequence[Reservation]) -> Counter[str]:
    """Delete the reservations. Returns the units that came free, by level id."""
    freed: Counter[str] = Counter()
    for reservation in reservations:
        await _free(session, reservation.level_id, reservation.quantity)
        freed[reservation.level_id] += reservation.quantity
        session.expunge(reservation)
    if reservations:
        ids = [reservation.id for reservation in reservations]
        await session.execute(delete(Reservation).where(Reservation.id.in_(ids)))
    return freed


async def _reserve_at(session: AsyncSession, level_id: str, units: int) -> bool:
    asked = {"level_id": level_id, "units": units}
    result = cast("CursorResult[Any]", await session.execute(statements.RESERVE, asked))
    return result.rowcount == 1


async def _free(session: AsyncSession, level_id: str, units: int) -> None:
    await session.execute(
        statements.CHANGE, {"level_id": level_id, "more_stocked": 0, "more_reserved": -units}
    )
