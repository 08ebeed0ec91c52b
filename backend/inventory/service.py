"""Promising stock, keeping the promise, taking it back.

What can be sold of a level is `stocked - reserved`. A promise is one conditional UPDATE (never more than there is),
with a `Reservation` row that says for whom and until when. A paying cart's promise has an end; a paid order's has none;
the parcel takes the units out of both numbers. Locks are taken in the order of the level's id: no two checkouts
deadlock. Whatever changes what can be sold is told in the same transaction (`StockChanged`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.database import db_now, locked
from backend.errors import InsufficientStock
from backend.events import publish
from backend.inventory import statements
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel, Reservation

STOCK_GONE = "Some variant does not have the required inventory"


async def available_units(
    session: AsyncSession, variant_ids: Sequence[str], *, besides: str | None = None
) -> dict[str, int]:
    """Units of each variant that can be sold now.

    The promise held by `besides` counts as available: a shopper is never kept out by their own hold.
    """
    if not variant_ids:
        return {}
    rows = await session.execute(statements.AVAILABLE, {"variant_ids": list(variant_ids), "holder": besides})
    return dict.fromkeys(variant_ids, 0) | {variant: int(count) for variant, count in rows}


async def hold(session: AsyncSession, holder: str, wanted: Mapping[str, int], until: datetime | None) -> None:
    """Promise `wanted` (units by variant id) to the holder until then, in place of what it was promised before.

    Lapsed promises of the same variants are freed first: an abandoned payment never keeps the last unit from a buyer.

    Raises:
        InsufficientStock: fewer units than wanted can be sold; nothing is promised (the transaction must roll back).
    """
    asked = {"holder": holder, "variant_ids": list(wanted)}
    levels = (await session.execute(statements.LEVELS_TO_HOLD, asked)).scalars().all()
    promises = (await session.execute(statements.PROMISES_TO_REPLACE, asked)).scalars().all()
    own = [promise for promise in promises if promise.holder == holder]
    if _units_of(own, levels) == wanted:
        for promise in own:
            promise.expires_at = until
        return
    moved = await _release(session, promises)
    missing = dict(wanted)
    if promises:  # what they held is free now
        levels = await _lock_levels(session, InventoryLevel.id.in_([level.id for level in levels]))
    for level in (level for level in levels if level.variant_id in missing):
        units = min(missing[level.variant_id], level.stocked - level.reserved)
        if units > 0 and await _reserve(session, level.id, units):
            session.add(Reservation(level_id=level.id, holder=holder, quantity=units, expires_at=until))
            missing[level.variant_id] -= units
            moved[level.id] -= units
    if any(missing.values()):
        raise InsufficientStock(STOCK_GONE)
    await session.flush()
    await _tell(session, levels, moved)


async def keep(session: AsyncSession, holder: str) -> None:
    """The holder has paid: its promise no longer ends."""
    await session.execute(update(Reservation).where(Reservation.holder == holder).values(expires_at=None))


async def extend(session: AsyncSession, holder: str, until: datetime) -> None:
    """The holder's payment takes longer: its promise ends no sooner than then. A kept promise stays kept."""
    await session.execute(
        update(Reservation)
        .where(Reservation.holder == holder, Reservation.expires_at < until)
        .values(expires_at=until)
    )


async def promised(session: AsyncSession, holder: str) -> dict[str, int]:
    """Units by variant id that the holder is promised."""
    rows = await session.execute(
        select(InventoryLevel.variant_id, func.sum(Reservation.quantity))
        .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
        .where(Reservation.holder == holder)
        .group_by(InventoryLevel.variant_id)
    )
    return {variant: int(units) for variant, units in rows}


async def release(session: AsyncSession, holder: str) -> None:
    """Take the holder's promise back: its units can be sold again. Nothing happens where there is none."""
    await _release_where(session, Reservation.holder == holder)


async def release_lapsed(session: AsyncSession) -> int:
    """Take back every promise whose time is over.

    Returns:
        How many promises were taken back.
    """
    return await _release_where(session, Reservation.expires_at <= db_now())


async def ship(session: AsyncSession, holder: str, units: Mapping[str, int]) -> None:
    """A parcel took these units (by variant id) of the holder's promise: they leave the location.

    Raises:
        InsufficientStock: the holder is promised fewer; nothing leaves.
    """
    missing = dict(units)
    mine = Reservation.holder == holder
    levels = {level.id: level for level in await _lock_levels(session, statements.holds_any(mine))}
    for promise in await _promises(session, mine):
        level = levels[promise.level_id]
        taken = min(promise.quantity, missing.get(level.variant_id, 0))
        if not taken:
            continue
        missing[level.variant_id] -= taken
        await _change(session, level.id, stocked=-taken, reserved=-taken)
        if taken == promise.quantity:
            await session.delete(promise)
        else:
            promise.quantity -= taken
    if any(missing.values()):
        raise InsufficientStock("Quantity to fulfill exceeds the reserved quantity for the item")
    await session.flush()


async def take_back(session: AsyncSession, holder: str, location_id: str, units: Mapping[str, int]) -> None:
    """A parcel with these units (by variant id) came to nothing: they lie at the location again, promised as before."""
    at_location = (InventoryLevel.location_id == location_id) & InventoryLevel.variant_id.in_(units)
    levels = await _lock_levels(session, at_location)
    promises = {
        promise.level_id: promise for promise in await _promises(session, Reservation.holder == holder)
    }
    for level in levels:
        count = units[level.variant_id]
        await _change(session, level.id, stocked=count, reserved=count)
        if level.id in promises:
            promises[level.id].quantity += count
        else:
            session.add(Reservation(level_id=level.id, holder=holder, quantity=count))
    await session.flush()


async def let_go(session: AsyncSession, holder: str, units: Mapping[str, int]) -> None:
    """Take so many units (by variant id) of the holder's promise back: they can be sold again.

    Raises:
        InsufficientStock: the holder is promised fewer; nothing is taken back.
    """
    missing = dict(units)
    mine = Reservation.holder == holder
    levels = await _lock_levels(session, statements.holds_any(mine))
    variants = {level.id: level.variant_id for level in levels}
    freed: Counter[str] = Counter()
    for promise in await _promises(session, mine):
        taken = min(promise.quantity, missing.get(variants[promise.level_id], 0))
        if not taken:
            continue
        missing[variants[promise.level_id]] -= taken
        freed[promise.level_id] += taken
        await _change(session, promise.level_id, reserved=-taken)
        if taken == promise.quantity:
            await session.delete(promise)
        else:
            promise.quantity -= taken
    if any(missing.values()):
        raise InsufficientStock(STOCK_GONE)
    await session.flush()
    await _tell(session, levels, freed)


async def put_back(session: AsyncSession, location_id: str, units: Mapping[str, int]) -> None:
    """Units (by variant id) came back from a buyer: they lie at the location again, and can be sold.

    A variant that has left the shop meanwhile is passed over.
    """
    levels = await _lock_levels(
        session, (InventoryLevel.location_id == location_id) & InventoryLevel.variant_id.in_(units)
    )
    for level in levels:
        await _change(session, level.id, stocked=units[level.variant_id])
    await _tell(session, levels, {level.id: units[level.variant_id] for level in levels})


async def set_stock(session: AsyncSession, variant_id: str, location_id: str, stocked: int) -> InventoryLevel:
    """Say how many units lie at the location. Never below what is promised: promises are kept."""
    level = (
        await session.execute(
            locked(
                select(InventoryLevel).where(
                    InventoryLevel.variant_id == variant_id, InventoryLevel.location_id == location_id
                )
            )
        )
    ).scalar_one_or_none()
    before = level.stocked if level else 0
    if level is None:
        level = InventoryLevel(variant_id=variant_id, location_id=location_id, stocked=max(0, stocked))
        session.add(level)
    else:
        level.stocked = max(stocked, level.reserved)
    await session.flush()
    await _tell(session, [level], {level.id: level.stocked - before})
    return level


def _units_of(promises: Sequence[Reservation], levels: Sequence[InventoryLevel]) -> Counter[str]:
    """Units by variant id."""
    variants = {level.id: level.variant_id for level in levels}
    units: Counter[str] = Counter()
    for promise in promises:
        units[variants[promise.level_id]] += promise.quantity
    return units


async def _lock_levels(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[InventoryLevel]:
    return (await session.execute(statements.levels(which))).scalars().all()


async def _promises(session: AsyncSession, which: ColumnElement[bool]) -> Sequence[Reservation]:
    return (await session.execute(statements.promises(which))).scalars().all()


async def _release_where(session: AsyncSession, which: ColumnElement[bool]) -> int:
    levels = await _lock_levels(session, statements.holds_any(which))
    promises = await _promises(session, which)
    await _tell(session, levels, await _release(session, promises))
    return len(promises)


async def _release(session: AsyncSession, promises: Sequence[Reservation]) -> Counter[str]:
    """Take promises back. Gives the units that came free, by level."""
    freed: Counter[str] = Counter()
    for promise in promises:
        await _change(session, promise.level_id, reserved=-promise.quantity)
        freed[promise.level_id] += promise.quantity
        session.expunge(promise)
    if promises:
        ids = [promise.id for promise in promises]
        await session.execute(delete(Reservation).where(Reservation.id.in_(ids)))
    return freed


async def _tell(session: AsyncSession, levels: Sequence[InventoryLevel], moved: Mapping[str, int]) -> None:
    """Tell what became more or less at these levels (units by level), summed up by variant."""
    units: Counter[str] = Counter()
    for level in levels:
        units[level.variant_id] += moved.get(level.id, 0)
    if changed := {variant_id: count for variant_id, count in units.items() if count}:
        await publish(session, StockChanged(changed))


async def _reserve(session: AsyncSession, level_id: str, units: int) -> bool:
    asked = {"level_id": level_id, "units": units}
    result = cast("CursorResult[Any]", await session.execute(statements.RESERVE, asked))
    return result.rowcount == 1


async def _change(session: AsyncSession, level_id: str, *, stocked: int = 0, reserved: int = 0) -> None:
    more = {"more_stocked": stocked, "more_reserved": reserved}
    await session.execute(statements.CHANGE, {"level_id": level_id, **more})
