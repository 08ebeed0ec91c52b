"""Correction of stored times that are too late, because the clock was wrong when they were stored.

If a clock runs ahead and is then corrected, units stay reserved, logins valid and limits active for too long. So
each column has a maximum distance from now; a later time is changed to that maximum. `backend.jobs.clock_changes`
does the same for jobs.
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
from backend.cart.models import Cart, ShippingQuote
from backend.cart_reminders.models import CartReminder
from backend.catalog.redirects.models import UnknownAddress
from backend.checkout.completion import HELD_RESERVATION_TIME
from backend.core.db.database import Database, database_now, db_now
from backend.customers.auth import password_reset
from backend.customers.auth import sessions as customer_sessions
from backend.customers.models import CustomerSession, ResetLink
from backend.draft_orders.models import LINK_LIFETIME, PaymentLink
from backend.edge.auth.revoked_tokens import REVOKED_RETENTION, RevokedTokenChain
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
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint
from backend.webhooks.sending import MAX_ENDPOINT_PAUSE, RETRY_PAUSES
from backend.webhooks.service import FORMER_SECRET_VALIDITY
from backend.wishlist.models import WishlistEntry

MAX_MANUAL_TIME = timedelta(days=60)
"""Maximum value of the setting `manual_payment_days`."""
NO_TIME = timedelta()
EARLIER_RESERVATION_TIME = timedelta(minutes=40)
"""RESERVATION_TIME of earlier releases. A reservation from just before an upgrade is not a sign of a wrong clock."""
MAX_HELD_TIME = max(HELD_RESERVATION_TIME, EARLIER_RESERVATION_TIME * 24)
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
    """A column with times that are at most `max_ahead` after now if the clock was right when they were stored.

    Later times are corrected to now plus `max_ahead`. If `tolerated_ahead` is set, only times more than this after
    now are corrected, because an earlier release could store them. `where` limits the rows that are checked.
    """

    column: InstrumentedAttribute[Any]
    max_ahead: timedelta
    where: ColumnElement[bool] | None = None
    tolerated_ahead: timedelta | None = None

    @property
    def name(self) -> str:
        """Return `table.column`."""
        return f"{self.column.class_.__tablename__}.{self.column.key}"

    def late_condition(self) -> ColumnElement[bool]:
        """Return the condition for the rows whose time must be corrected."""
        tolerated_ahead = self.max_ahead if self.tolerated_ahead is None else self.tolerated_ahead
        is_late: ColumnElement[bool] = self.column > db_now(tolerated_ahead + CLOCK_SLACK)
        return is_late if self.where is None else is_late & self.where


def _stored_moment(
    column: Any, max_ahead: timedelta, where: Any = None, tolerated_ahead: timedelta | None = None
) -> StoredMoment:
    return StoredMoment(column, max_ahead, where, tolerated_ahead)


STORED_MOMENTS: Sequence[StoredMoment] = (
    _stored_moment(
        PaymentSession.expires_at,
        RESERVATION_TIME,
        PaymentSession.state.in_(_at_the_bank),
        MAX_RESERVATION_TIME,
    ),
    _stored_moment(PaymentSession.expires_at, MAX_MANUAL_TIME),
    _stored_moment(PaymentSession.checked_at, NO_TIME),
    _stored_moment(
        Reservation.expires_at,
        RESERVATION_TIME,
        _is_paid_by(*_at_the_bank) & ~_is_held & ~_is_confirmed_by_staff,
        MAX_RESERVATION_TIME,
    ),
    _stored_moment(Reservation.expires_at, HELD_RESERVATION_TIME, ~_is_confirmed_by_staff, MAX_HELD_TIME),
    _stored_moment(Reservation.expires_at, MAX_MANUAL_TIME),
    _stored_moment(BankList.fetched_at, NO_TIME),
    _stored_moment(BankList.tried_at, NO_TIME),
    _stored_moment(ShippingQuote.quoted_at, NO_TIME),
    _stored_moment(CartReminder.requested_at, NO_TIME),
    _stored_moment(Fulfillment.tracked_at, NO_TIME),
    _stored_moment(CustomerSession.expires_at, customer_sessions.LIFETIME),
    _stored_moment(ResetLink.expires_at, password_reset.LIFETIME),
    _stored_moment(StaffSession.expires_at, staff_sessions.LIFETIME),
    _stored_moment(StaffSession.last_seen_at, NO_TIME),
    _stored_moment(StaffInvite.expires_at, invites.LIFETIME),
    _stored_moment(DataExport.expires_at, EXPIRES_AFTER),
    _stored_moment(RevokedTokenChain.expires_at, REVOKED_RETENTION),
    _stored_moment(RateLimitCounter.expires_at, limiter.DAY),
    _stored_moment(PaymentLink.expires_at, LINK_LIFETIME),
    _stored_moment(Cart.payable_until, LINK_LIFETIME),
    _stored_moment(Alert.seen_at, NO_TIME),
    _stored_moment(UnknownAddress.seen_at, NO_TIME),
    _stored_moment(WebhookDelivery.next_try_at, max(RETRY_PAUSES)),
    _stored_moment(WebhookEndpoint.paused_until, MAX_ENDPOINT_PAUSE),
    _stored_moment(WebhookEndpoint.failing_since, NO_TIME),
    _stored_moment(WebhookEndpoint.former_secret_until, FORMER_SECRET_VALIDITY),
    _stored_moment(WishlistEntry.changed_at, NO_TIME),
    *(
        _stored_moment(
            Attention.due_at, rules.within, (Attention.kind == kind) & Attention.resolved_at.is_(None)
        )
        for kind, rules in ATTENTION_RULES.items()
    ),
)


class ClockCorrection:
    """Job that corrects stored times that are too far in the future, because the clock was wrong."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @periodic("clock.correct", every=timedelta(minutes=5))
    async def correct(self, _run: JobRun) -> None:
        """Correct the times that were stored while the clock was wrong. See `pull_back`."""
        await self.pull_back()

    async def pull_back(self) -> dict[str, int]:
        """Change every time that is too far in the future to now plus its column's `max_ahead`. Log it.

        Return the number of changed rows by column.
        """
        late = await self._find_late_columns()
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
                        select(stored.column)
                        .where(stored.late_condition())
                        .order_by(stored.column.desc())
                        .limit(1)
                    )
                ).scalar_one_or_none()
                if newest is None:
                    continue
                changed = await session.execute(
                    update(stored.column.class_)
                    .where(stored.late_condition())
                    .values({stored.column.key: latest})
                    .execution_options(synchronize_session=False)
                )
                counts[stored.name] = counts.get(stored.name, 0) + int(changed.rowcount)  # type: ignore[attr-defined]
                ahead = max(ahead, newest - latest)
            await report_pulled_back(session, counts, ahead)
        return counts

    async def _find_late_columns(self) -> list[StoredMoment]:
        """Return the columns that contain times to correct, without locking any row."""
        found = [
            exists().where(stored.late_condition()).label(str(n)) for n, stored in enumerate(STORED_MOMENTS)
        ]
        async with self._database.read() as session:
            row = (await session.execute(select(*found))).one()
        return [stored for stored, is_late in zip(STORED_MOMENTS, row, strict=True) if is_late]
