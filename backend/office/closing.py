"""The screen «Cerrar el día»: the money since the latest closing, and the latest closings."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cash_closings.models import DayClosing
from backend.cash_closings.service import list_closings, read_open_day
from backend.core.dates import time_label
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.payment.manual_methods import METHOD_NAMES, ManualMethod
from backend.staff.models import Staff
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class ClosingRow:
    """A finished closing. `difference` is empty if the counted cash was as expected."""

    id: str
    moment_label: str
    closed_by: str
    sums: list[tuple[str, str]]
    counted_label: str
    difference: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClosingView:
    """The money since the latest closing, and the latest closings.

    Attributes:
        previous_id: the id of the latest closing, which the form sends back.
        sums: the parts of the expected cash, and the money by other methods.
    """

    previous_id: str = ""
    sums: list[tuple[str, str]] = field(default_factory=list)
    expected: Cop = 0
    expected_label: str = ""
    closings: list[ClosingRow] = field(default_factory=list)


async def closing_view(session: AsyncSession, actor: Actor) -> ClosingView:
    """Return the content of the screen «Cerrar el día»."""
    actor.require(Right.READ_ORDERS)
    day = await read_open_day(session, actor)
    closings = await list_closings(session, actor)
    names = await _read_names(session, closings)
    others = [
        (METHOD_NAMES[ManualMethod(method)], format_cop(pesos)) for method, pesos in day.received.items()
    ]
    return ClosingView(
        previous_id=day.previous_id,
        sums=[
            (_("Había en la caja"), format_cop(day.opening_cash)),
            *sorted(others),
            (_("Devuelto en efectivo"), format_cop(-day.cash_given_back)),
        ],
        expected=day.expected_cash,
        expected_label=format_cop(day.expected_cash),
        closings=[_to_row(one, names.get(one.closed_by, "")) for one in closings],
    )


def _to_row(closing: DayClosing, name: str) -> ClosingRow:
    difference = closing.counted_cash - closing.expected_cash
    sign = "+" if difference > 0 else "-"
    return ClosingRow(
        id=closing.id,
        moment_label=time_label(closing.created_at),
        closed_by=name,
        sums=[
            (METHOD_NAMES[ManualMethod(method)], format_cop(pesos))
            for method, pesos in sorted(closing.received.items())
        ],
        counted_label=format_cop(closing.counted_cash),
        difference=f"{sign}{format_cop(abs(difference))}" if difference else "",
        reason=closing.reason,
    )


async def _read_names(session: AsyncSession, closings: Sequence[DayClosing]) -> dict[str, str]:
    ids = {one.closed_by for one in closings}
    rows = await session.execute(select(Staff.id, Staff.email).where(Staff.id.in_(ids)))
    return dict(rows.all())
