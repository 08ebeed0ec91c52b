"""SQL statements of the inventory. The statements of every purchase are built once, because building them is slow.

Rows are always locked in the same order: levels before reservations, and each of them by id. So two transactions
never deadlock.
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

from backend.core.db.database import UtcDateTime, db_now, lock_rows
from backend.core.db.tables import table_of
from backend.inventory.models import SELLABLE_UNITS, InventoryLevel, Reservation


def select_levels(condition: ColumnElement[bool]) -> Select[InventoryLevel]:
    """Return a query that locks the levels that match the condition."""
    return lock_rows(select(InventoryLevel).where(condition).order_by(InventoryLevel.id))


def select_reservations(condition: ColumnElement[bool]) -> Select[Reservation]:
    """Return a query that locks the reservations that match the condition. Their levels must be locked already."""
    return lock_rows(select(Reservation).where(condition).order_by(Reservation.id))


def has_reservation(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the SQL condition for levels that have a reservation matching `which`."""
    return InventoryLevel.id.in_(select(Reservation.level_id).where(which))


def has_reservation_or_is(which: ColumnElement[bool], other: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the SQL condition for levels that have a reservation matching `which`, or that match `other`.

    It compares the id with one subquery instead of using OR: see `LEVELS_TO_RESERVE`.
    """
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

_UNITS = func.sum(SELLABLE_UNITS + _OWN_UNITS)

AVAILABLE = select(InventoryLevel.variant_id, _UNITS).where(_WANTED).group_by(InventoryLevel.variant_id)
"""Units of `variant_ids` that can be sold to the cart `holder`, including its reserved units (None for no cart)."""


def available_units_query(variant_id: ColumnExpressionArgument[str]) -> ScalarSelect[int]:
    """Return a subquery: the units of the variant that the cart `holder` can buy, including its own reservation."""
    units = select(func.coalesce(_UNITS, 0)).where(InventoryLevel.variant_id == variant_id)
    return units.scalar_subquery()


_RESERVED_LEVELS = select(Reservation.level_id).where(_OWN)

LEVELS_TO_RESERVE = select_levels(InventoryLevel.id.in_(union(_WANTED_LEVELS, _RESERVED_LEVELS)))
"""The levels of `variant_ids`, and those at which `holder` has reservations.

The condition is one list of ids. With two conditions and an "or", PostgreSQL would read every level.
"""

FIRST_LEVELS = select_levels(_WANTED).add_columns(
    exists()
    .where(Reservation.level_id == InventoryLevel.id, Reservation.expires_at <= db_now())
    .correlate(InventoryLevel)
)
"""The levels of `variant_ids`, and whether each has a reservation that has expired by the database's clock.

If the statement waited for a lock, this is the state before the wait. Later expirations are not considered.
"""

RESERVATIONS_TO_REPLACE = select_reservations(_OWN | _EXPIRED)
"""The reservations of the cart `holder`, and the reservations of `variant_ids` that have expired.

The database's clock decides if a reservation has expired.
"""

_level, _reservation = table_of(InventoryLevel), table_of(Reservation)
RESERVE = (
    update(_level)
    .where(
        _level.c.id == bindparam("level_id"),
        _level.c.stocked + _level.c.incoming - _level.c.reserved >= bindparam("units"),
    )
    .values(reserved=_level.c.reserved + bindparam("units"))
)
"""Reserve `units` of `level_id`, if they are available."""

_own = _reservation.alias("own")
_ALL_OWN = (
    select(func.coalesce(func.sum(_own.c.quantity), 0))
    .where(_own.c.holder == bindparam("of"))
    .scalar_subquery()
)
SET_RESERVATION_END = (
    update(_reservation)
    .where(_reservation.c.holder == bindparam("of"), bindparam("units") == _ALL_OWN)
    .values(expires_at=bindparam("until", type_=UtcDateTime()))
    .returning(_reservation.c.quantity)
)
"""Set the end of the reservation of the cart `of` to `until`, if it has exactly `units` in total."""

CHANGE = (
    update(_level)
    .where(_level.c.id == bindparam("level_id"))
    .values(
        stocked=_level.c.stocked + bindparam("more_stocked"),
        reserved=_level.c.reserved + bindparam("more_reserved"),
    )
)
"""Add to the stock and the reserved units of `level_id`; negative numbers subtract."""
