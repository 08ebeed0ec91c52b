"""The inventory's SQL statements. Those of every purchase are built once: building one takes as long as running it.

Rows are locked in one order, levels before reservations and each by their ids, so two transactions never deadlock.
"""

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    ScalarSelect,
    Select,
    bindparam,
    exists,
    func,
    select,
    union,
    update,
)

from backend.core.db.database import UtcDateTime, db_now, locked
from backend.core.db.tables import table_of
from backend.inventory.models import InventoryLevel, Reservation


def levels(which: ColumnElement[bool]) -> Select[InventoryLevel]:
    """Levels, locked."""
    return locked(select(InventoryLevel).where(which).order_by(InventoryLevel.id))


def reservations(which: ColumnElement[bool]) -> Select[Reservation]:
    """Reservations, locked. Their levels must be locked already."""
    return locked(select(Reservation).where(which).order_by(Reservation.id))


def reserved_by(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """The level has one of these reservations."""
    return InventoryLevel.id.in_(select(Reservation.level_id).where(which))


def reserved_by_or(which: ColumnElement[bool], other: ColumnElement[bool]) -> ColumnElement[bool]:
    """The level has one of these reservations, or is one of those. One list of ids: see `LEVELS_TO_RESERVE`."""
    reserved = select(Reservation.level_id).where(which)
    return InventoryLevel.id.in_(union(reserved, select(InventoryLevel.id).where(other)))


_WANTED = InventoryLevel.variant_id.in_(bindparam("variant_ids", expanding=True))
_WANTED_LEVELS = select(InventoryLevel.id).where(_WANTED)
_OWN = Reservation.holder == bindparam("holder")
_EXPIRED = (Reservation.expires_at <= db_now()) & Reservation.level_id.in_(_WANTED_LEVELS)
_OWN_UNITS = (
    select(func.coalesce(func.sum(Reservation.quantity), 0))
    .where(Reservation.level_id == InventoryLevel.id, _OWN)
    .correlate(InventoryLevel)
    .scalar_subquery()
)

_UNITS = func.sum(InventoryLevel.stocked - InventoryLevel.reserved + _OWN_UNITS)

AVAILABLE = select(InventoryLevel.variant_id, _UNITS).where(_WANTED).group_by(InventoryLevel.variant_id)
"""Units of `variant_ids` that `holder` (or nobody in particular) can have."""


def available(variant_id: ColumnExpressionArgument[str]) -> ScalarSelect[int]:
    """Units of the variant that `holder` can have, as a part of another statement."""
    units = select(func.coalesce(_UNITS, 0)).where(InventoryLevel.variant_id == variant_id)
    return units.scalar_subquery()


_RESERVED_LEVELS = select(Reservation.level_id).where(_OWN)

LEVELS_TO_RESERVE = levels(InventoryLevel.id.in_(union(_WANTED_LEVELS, _RESERVED_LEVELS)))
"""The levels of `variant_ids`, and those that `holder` has reservations of.

One list of ids, not two with an "or": for those PostgreSQL would read every level there is.
"""

FIRST_LEVELS = levels(_WANTED).add_columns(
    exists()
    .where(Reservation.level_id == InventoryLevel.id, Reservation.expires_at <= db_now())
    .correlate(InventoryLevel)
)
"""The levels of `variant_ids`, and whether a reservation of each has expired by the database's clock.

Where the lock was waited for, that is what was true before. What has expired meanwhile expired a moment too late.
"""

RESERVATIONS_TO_REPLACE = reservations(_OWN | _EXPIRED)
"""The reservations of `holder`, and those of `variant_ids` that have expired by the database's clock."""

_level, _reservation = table_of(InventoryLevel), table_of(Reservation)
RESERVE = (
    update(_level)
    .where(
        _level.c.id == bindparam("level_id"),
        _level.c.stocked - _level.c.reserved >= bindparam("units"),
    )
    .values(reserved=_level.c.reserved + bindparam("units"))
)
"""Reserve `units` of `level_id`, if they are there."""

_own = _reservation.alias("own")
_ALL_OWN = (
    select(func.coalesce(func.sum(_own.c.quantity), 0))
    .where(_own.c.holder == bindparam("of"))
    .scalar_subquery()
)
KEEP = (
    update(_reservation)
    .where(_reservation.c.holder == bindparam("of"), bindparam("units") == _ALL_OWN)
    .values(expires_at=bindparam("until", type_=UtcDateTime()))
    .returning(_reservation.c.quantity)
)
"""Let the reservation of the holder `of` end at `until`, if it is of so many `units` in all."""

CHANGE = (
    update(_level)
    .where(_level.c.id == bindparam("level_id"))
    .values(
        stocked=_level.c.stocked + bindparam("more_stocked"),
        reserved=_level.c.reserved + bindparam("more_reserved"),
    )
)
"""Add to the stock and the reserved units of `level_id`; negative numbers take away."""
