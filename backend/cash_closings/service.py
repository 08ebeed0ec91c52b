"""Close the day: add up the money that staff received and gave back themselves, and compare it with the counted cash.

Each payment and refund is counted by exactly one closing, whose id it carries. Money that is committed while a
closing runs belongs to the next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cash_closings.models import DayClosing
from backend.core.db.advisory_locks import AdvisoryLock, take_lock
from backend.core.db.tables import table_of
from backend.core.errors import Conflict, InvalidData
from backend.core.money import Cop
from backend.core.texts import _
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.states import SessionState
from backend.staff.rights import Actor, Right

MAX_REASON_LENGTH = 300
MAX_CASH: Cop = 10**10
RECENT_CLOSINGS = 10


@dataclass(frozen=True, slots=True)
class OpenDay:
    """The payments received and the cash refunded since the latest closing.

    Attributes:
        previous_id: the id of the latest closing; empty before the first one.
        opening_cash: cash that the latest closing left in the drawer.
        received: pesos by method, without methods that received nothing.
        cash_given_back: pesos of refunds in cash.
    """

    previous_id: str
    opening_cash: Cop
    received: dict[str, Cop]
    cash_given_back: Cop

    @property
    def expected_cash(self) -> Cop:
        """Cash that must be in the drawer now: the opening cash plus cash received minus cash refunded."""
        return self.opening_cash + self.received.get(ManualMethod.CASH, 0) - self.cash_given_back


async def read_open_day(session: AsyncSession, actor: Actor) -> OpenDay:
    """Return the payments received and the cash refunded since the latest closing."""
    actor.require(Right.READ_ORDERS)
    latest = (await session.execute(_NEWEST.limit(1))).scalar_one_or_none()
    received = {method: int(pesos or 0) for method, pesos in await session.execute(_RECEIVED)}
    given_back = int((await session.execute(_GIVEN_BACK)).scalar_one() or 0)
    return OpenDay(latest.id if latest else "", latest.left_cash if latest else 0, received, given_back)


async def close_day(
    session: AsyncSession,
    actor: Actor,
    *,
    seen_expected: Cop,
    seen_previous: str,
    counted: Cop,
    left: Cop,
    reason: str = "",
) -> DayClosing:
    """Store a closing: the count of the cash drawer, the payments received, and the cash refunded.

    Args:
        session: a transaction.
        actor: the staff member who counted.
        seen_expected: the expected cash that the screen showed.
        seen_previous: the id of the latest closing that the screen showed; empty if there was none.
        counted: the cash in the drawer.
        left: the part of the cash that stays in the drawer for the next day.
        reason: the reason why the counted cash differs from the expected cash; required if it does.

    Raises:
        InvalidData: an amount is invalid, or there is a difference without a reason. `fields` has the
            messages.
        Conflict: money came in or went out, or another staff member closed the day, since the screen was
            shown.
    """
    actor.require(Right.SELL)
    reason = " ".join(reason.split())
    _check_amounts(counted, left, reason, differs=counted != seen_expected)
    await take_lock(session, AdvisoryLock.DAY_CLOSING)
    latest = (await session.execute(_NEWEST.limit(1))).scalar_one_or_none()
    if (latest.id if latest else "") != seen_previous:
        raise Conflict("The day was closed by another staff member")
    closing = DayClosing(
        opening_cash=latest.left_cash if latest else 0,
        expected_cash=0,
        counted_cash=counted,
        left_cash=left,
        reason=reason,
        closed_by=actor.id,
    )
    await record(
        session,
        actor,
        "day closed",
        Subject(SubjectType.DAY_CLOSING, closing.id),
        {"counted_cash": (seen_expected, counted), "left_cash": (None, left), "reason": (None, reason)},
    )
    received: dict[str, Cop] = {}
    for method, pesos in (await session.execute(_COUNT_PAYMENTS, {"closing": closing.id})).all():
        received[method] = received.get(method, 0) + int(pesos or 0)
    given_back = sum(
        pesos for (pesos,) in (await session.execute(_COUNT_REFUNDS, {"closing": closing.id})).all()
    )
    closing.received, closing.given_back = received, {ManualMethod.CASH: given_back} if given_back else {}
    closing.expected_cash = closing.opening_cash + received.get(ManualMethod.CASH, 0) - given_back
    if closing.expected_cash != seen_expected:
        raise Conflict("Money came in or went out since the cash was counted")
    session.add(closing)
    await session.flush()
    return closing


async def list_closings(session: AsyncSession, actor: Actor) -> Sequence[DayClosing]:
    """Return the latest `RECENT_CLOSINGS` closings, newest first."""
    actor.require(Right.READ_ORDERS)
    return (await session.execute(_NEWEST.limit(RECENT_CLOSINGS))).scalars().all()


def _check_amounts(counted: Cop, left: Cop, reason: str, *, differs: bool) -> None:
    problems = {}
    if not 0 <= counted <= MAX_CASH:
        problems["counted"] = _("Escribe cuánto efectivo hay.")
    if not 0 <= left <= counted:
        problems["left"] = _("No puede quedar más de lo que hay.")
    if differs and not reason:
        problems["reason"] = _("No cuadra: escribe por qué.")
    if len(reason) > MAX_REASON_LENGTH:
        problems["reason"] = _("Usa máximo {count} caracteres.").format(count=MAX_REASON_LENGTH)
    if problems:
        raise InvalidData("The closing is not valid", fields=problems)


_PAYMENTS, _REFUNDS = table_of(PaymentSession), table_of(Refund)
_UNCOUNTED_PAYMENTS = (
    _PAYMENTS.c.method.is_not(None),
    _PAYMENTS.c.closing_id.is_(None),
    _PAYMENTS.c.state == SessionState.CAPTURED,
)
_UNCOUNTED_REFUNDS = (_REFUNDS.c.method == ManualMethod.CASH, _REFUNDS.c.closing_id.is_(None))
_NEWEST = select(DayClosing).order_by(DayClosing.created_at.desc(), DayClosing.id.desc())
_RECEIVED = (
    select(_PAYMENTS.c.method, func.sum(_PAYMENTS.c.captured_amount))
    .where(*_UNCOUNTED_PAYMENTS)
    .group_by(_PAYMENTS.c.method)
)
_GIVEN_BACK = select(func.sum(_REFUNDS.c.amount)).where(*_UNCOUNTED_REFUNDS)
_COUNT_PAYMENTS = (
    update(_PAYMENTS)
    .where(*_UNCOUNTED_PAYMENTS)
    .values(closing_id=bindparam("closing"))
    .returning(_PAYMENTS.c.method, _PAYMENTS.c.captured_amount)
)
_COUNT_REFUNDS = (
    update(_REFUNDS)
    .where(*_UNCOUNTED_REFUNDS)
    .values(closing_id=bindparam("closing"))
    .returning(_REFUNDS.c.amount)
)
