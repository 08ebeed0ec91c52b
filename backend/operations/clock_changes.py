"""Stored moments that a wrong clock wrote: expiries, and moments in the past that lie in the future.

A clock that ran ahead and is put right leaves units reserved, logins open and limits shut for as long as it was ahead.
No honest moment is later than its longest time from now: a later one is pulled back to that. Jobs are pulled back by
`backend.jobs.clock_changes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, exists, select, update
from sqlalchemy.orm import InstrumentedAttribute

from backend.alerts.models import Alert
from backend.attention.kinds import RULES as ATTENTION_RULES
from backend.attention.models import Attention
from backend.cart.models import ShippingQuote
from backend.checkout.completion import HELD_TIME
from backend.core.db.database import Database, database_now, db_now
from backend.customers.auth import password_reset
from backend.customers.auth import sessions as customer_sessions
from backend.customers.models import CustomerSession, ResetLink
from backend.edge.auth.revoked_tokens import KEPT_FOR, RevokedTokenChain
from backend.exports.models import DataExport
from backend.exports.service import EXPIRES_AFTER
from backend.inventory.models import Reservation
from backend.jobs import JobRun, periodic
from backend.jobs.clock_changes import CLOCK_SLACK, report_pulled_back
from backend.orders.models import Fulfillment
from backend.payment.models import BankList, PaymentCollection, PaymentSession
from backend.payment.sessions import RESERVATION_TIME
from backend.payment.states import SessionState
from backend.rate_limit import limiter
from backend.rate_limit.models import RateLimitCounter
from backend.staff import invites
from backend.staff import sessions as staff_sessions
from backend.staff.models import StaffInvite, StaffSession

MAX_MANUAL_TIME = timedelta(days=60)
"""The most that `manual_payment_days` may be."""
NO_TIME = timedelta()
EARLIER_RESERVATION_TIME = timedelta(minutes=40)
"""RESERVATION_TIME of earlier releases: what they reserved just before an upgrade is no clock's fault."""
MAX_HELD_TIME = max(HELD_TIME, EARLIER_RESERVATION_TIME * 24)
MAX_RESERVATION_TIME = max(RESERVATION_TIME, EARLIER_RESERVATION_TIME)

_payment_of_reservation = (PaymentSession.collection_id == PaymentCollection.id) & (
    PaymentCollection.cart_id == Reservation.holder
)


def _is_paid_by(*states: SessionState) -> ColumnElement[bool]:
    return exists().where(_payment_of_reservation, PaymentSession.state.in_(states))


_is_confirmed_by_staff = _is_paid_by(SessionState.AUTHORIZED)
_is_held = _is_paid_by(SessionState.HELD)
_at_the_bank = (SessionState.PENDING, SessionState.INITIATING, SessionState.PENDING_AUTHORIZATION)


@dataclass(frozen=True, slots=True)
class StoredMoment:
    """A column and how far from now its moments may honestly be, of the rows that `where` selects.

    `longest` is the same, where it is more, for what an earlier release wrote: only a later moment is pulled back, to
    `max_ahead`.
    """

    column: InstrumentedAttribute[Any]
    max_ahead: timedelta
    where: ColumnElement[bool] | None = None
    longest: timedelta | None = None

    @property
    def name(self) -> str:
        """The table and the column."""
        return f"{self.column.class_.__tablename__}.{self.column.key}"

    def too_late(self) -> ColumnElement[bool]:
        """Return the condition that a row's moment is later than it can be."""
        longest = self.max_ahead if self.longest is None else self.longest
        is_late: ColumnElement[bool] = self.column > db_now(longest + CLOCK_SLACK)
        return is_late if self.where is None else is_late & self.where


def _moment(
    column: Any, max_ahead: timedelta, where: Any = None, longest: timedelta | None = None
) -> StoredMoment:
    return StoredMoment(column, max_ahead, where, longest)


STORED_MOMENTS: Sequence[StoredMoment] = (
    _moment(
        PaymentSession.expires_at,
        RESERVATION_TIME,
        PaymentSession.state.in_(_at_the_bank),
        MAX_RESERVATION_TIME,
    ),
    _moment(PaymentSession.expires_at, MAX_MANUAL_TIME),
    _moment(PaymentSession.checked_at, NO_TIME),
    _moment(
        Reservation.expires_at,
        RESERVATION_TIME,
        _is_paid_by(*_at_the_bank) & ~_is_held & ~_is_confirmed_by_staff,
        MAX_RESERVATION_TIME,
    ),
    _moment(Reservation.expires_at, HELD_TIME, ~_is_confirmed_by_staff, MAX_HELD_TIME),
    _moment(Reservation.expires_at, MAX_MANUAL_TIME),
    _moment(BankList.fetched_at, NO_TIME),
    _moment(BankList.tried_at, NO_TIME),
    _moment(ShippingQuote.quoted_at, NO_TIME),
    _moment(Fulfillment.tracked_at, NO_TIME),
    _moment(CustomerSession.expires_at, customer_sessions.LIFETIME),
    _moment(ResetLink.expires_at, password_reset.LIFETIME),
    _moment(StaffSession.expires_at, staff_sessions.LIFETIME),
    _moment(StaffSession.last_seen_at, NO_TIME),
    _moment(StaffInvite.expires_at, invites.LIFETIME),
    _moment(DataExport.expires_at, EXPIRES_AFTER),
    _moment(RevokedTokenChain.expires_at, KEPT_FOR),
    _moment(RateLimitCounter.expires_at, limiter.DAY),
    _moment(Alert.seen_at, NO_TIME),
    *(
        _moment(Attention.due_at, rules.within, (Attention.kind == kind) & Attention.resolved_at.is_(None))
        for kind, rules in ATTENTION_RULES.items()
    ),
)


class StoredMoments:
    """Pulls back stored moments that are later than they can be."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("clock.correct", every=timedelta(minutes=5))
    async def correct(self, _run: JobRun) -> None:
        """Pull back what a wrong clock wrote, and report it."""
        await self.pull_back()

    async def pull_back(self) -> dict[str, int]:
        """Pull back every moment that is later than it can be, and report it. Return how many, by column."""
        late = await self._find()
        if not late:
            return {}
        counts: dict[str, int] = {}
        ahead = NO_TIME
        async with self._database.transaction() as session:
            moment = await database_now(session)
            for stored in late:
                latest = moment + stored.max_ahead
                newest: datetime | None = (
                    await session.execute(
                        select(stored.column).where(stored.too_late()).order_by(stored.column.desc()).limit(1)
                    )
                ).scalar_one_or_none()
                if newest is None:
                    continue
                changed = await session.execute(
                    update(stored.column.class_)
                    .where(stored.too_late())
                    .values({stored.column.key: latest})
                    .execution_options(synchronize_session=False)
                )
                counts[stored.name] = counts.get(stored.name, 0) + int(changed.rowcount)  # type: ignore[attr-defined]
                ahead = max(ahead, newest - latest)
            await report_pulled_back(session, counts, ahead)
        return counts

    async def _find(self) -> list[StoredMoment]:
        """Return the columns in which there is something to pull back; the usual case takes no lock."""
        found = [exists().where(stored.too_late()).label(str(n)) for n, stored in enumerate(STORED_MOMENTS)]
        async with self._database.read() as session:
            row = (await session.execute(select(*found))).one()
        return [stored for stored, is_late in zip(STORED_MOMENTS, row, strict=True) if is_late]
