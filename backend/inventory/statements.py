"""What the inventory asks the database. Statements of every purchase are built once: building takes as long as running.

Locks are taken in one order, levels before promises, each by their ids: two transactions at once wait, and never
deadlock.
"""

from sqlalchemy import ColumnElement, Select, bindparam, func, select, union, update

from backend.database import db_now, locked
from backend.inventory.models import InventoryLevel, Reservation
from backend.tables import table_of


def levels(which: ColumnElement[bool]) -> Select[InventoryLevel]:
    """Levels, locked."""
    return locked(select(InventoryLevel).where(which).order_by(InventoryLevel.id))


def promises(which: ColumnElement[bool]) -> Select[Reservation]:
    """Promises, locked. Their levels must be locked already."""
    return locked(select(Reservation).where(which).order_by(Reservation.id))


def holds_any(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """The level holds one of these promises."""
    return InventoryLevel.id.in_(select(Reservation.level_id).where(which))


_WANTED = InventoryLevel.variant_id.in_(bindparam("variant_ids", expanding=True))
_WANTED_LEVELS = select(InventoryLevel.id).where(_WANTED)
_OWN = Reservation.holder == bindparam("holder")
_LAPSED = (Reservation.expires_at <= db_now()) & Reservation.level_id.in_(_WANTED_LEVELS)
_OWN_UNITS = (
    select(func.coalesce(func.sum(Reservation.quantity), 0))
    .where(Reservation.level_id == InventoryLevel.id, _OWN)
    .correlate(InventoryLevel)
    .scalar_subquery()
)

AVAILABLE = (
    select(InventoryLevel.variant_id, func.sum(InventoryLevel.stocked - InventoryLevel.reserved + _OWN_UNITS))
    .where(_WANTED)
    .group_by(InventoryLevel.variant_id)
)
"""Units of `variant_ids` that `holder` (or nobody in particular) can have."""

_HELD_LEVELS = select(Reservation.level_id).where(_OWN)

LEVELS_TO_HOLD = levels(InventoryLevel.id.in_(union(_WANTED_LEVELS, _HELD_LEVELS)))
"""The levels of `variant_ids`, and those that `holder` has promises of.

One list of ids, not two with an "or": for those PostgreSQL would read every level there is.
"""

PROMISES_TO_REPLACE = promises(_OWN | _LAPSED)
"""The promises of `holder`, and those of `variant_ids` that have lapsed by the database's clock."""

RESERVE = (
    update(table_of(InventoryLevel))
    .where(
        InventoryLevel.id == bindparam("level_id"),
        InventoryLevel.stocked - InventoryLevel.reserved >= bindparam("units"),
    )
    .values(reserved=InventoryLevel.reserved + bindparam("units"))
)
"""Promise `units` of `level_id`, if they are there."""

CHANGE = (
    update(table_of(InventoryLevel))
    .where(InventoryLevel.id == bindparam("level_id"))
    .values(
        stocked=InventoryLevel.stocked + bindparam("more_stocked"),
        reserved=InventoryLevel.reserved + bindparam("more_reserved"),
    )
)
"""Add to what `level_id` has and has promised; less than nothing takes away."""
