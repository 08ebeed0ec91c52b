"""Returns as the office lists them: what waits for the shop first, the soonest due on top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import buyer_of
from backend.office.listing import (
    ListView,
    active_filters,
    count_new_rows,
    label_of,
    read_asked,
    read_page,
)
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.returns.deadlines import days_left
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.states import OPEN, STATE_NAMES, ReturnState
from backend.staff.rights import Actor, Right

MOST_ROWS = 30
LONGEST_TEXT = 60
SOON = 5
"""Days left from which on a return is marked."""
FIELDS = ("q", "estado", "tipo")
S = ReturnState
STATES: dict[str, tuple[str, tuple[ReturnState, ...]]] = {
    "solicitadas": (_("Solicitadas"), (S.REQUESTED,)),
    "recibidas": (_("Recibidas"), (S.RECEIVED,)),
    "por-pagar": (_("Por pagar"), (S.TO_PAY,)),
    "pagadas": (_("Pagadas"), (S.PAID,)),
    "negadas": (_("Negadas"), (S.DENIED,)),
    "todas": (_("Todas"), tuple(S)),
}
"""What the address says of each state, what a person reads, and which are meant. Without any: those that are open."""
KINDS: dict[str, tuple[str, ReturnKind]] = {
    "retracto": (KIND_NAMES[ReturnKind.WITHDRAWAL], ReturnKind.WITHDRAWAL),
    "garantia": (KIND_NAMES[ReturnKind.WARRANTY], ReturnKind.WARRANTY),
    "reversion": (KIND_NAMES[ReturnKind.REVERSAL], ReturnKind.REVERSAL),
    "no-despachado": (KIND_NAMES[ReturnKind.NOT_SENT], ReturnKind.NOT_SENT),
}
TONES = {S.REQUESTED: "wait", S.RECEIVED: "wait", S.TO_PAY: "wait", S.PAID: "good", S.DENIED: "plain"}


@dataclass(frozen=True, slots=True)
class ReturnRow:
    """A return in a list. `chips`: its state, and while it is open how many days are left."""

    id: str
    number: int
    order_number: int
    kind: str
    buyer: str
    asked_label: str
    amount_label: str
    chips: list[ChipView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnsView(ListView):
    """A list of returns. Its fields are `FIELDS`; `newest` is the highest number there was."""

    rows: list[ReturnRow]


async def returns_view(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> ReturnsView:
    """The returns that are asked for: open ones by their deadline, others the latest first.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_ORDERS)
    kept = read_asked(asked, FIELDS, LONGEST_TEXT)
    found, following = await read_page(
        session,
        _rows().where(*_conditions(kept)),
        (Return.due_at, Return.number),
        cursor,
        MOST_ROWS,
        is_descending=kept["estado"] in {"pagadas", "negadas", "todas"},
    )
    newest = (await session.execute(select(func.max(Return.number)))).scalar_one()
    return ReturnsView(
        rows=await _shown(session, found),
        cursor=following,
        newest=str(newest or 0),
        asked=kept,
        active=active_filters(
            kept, (label_of(STATES, kept["estado"]), "estado"), (label_of(KINDS, kept["tipo"]), "tipo")
        ),
    )


async def returns_again(
    session: AsyncSession, actor: Actor, return_ids: Sequence[str]
) -> dict[str, ReturnRow]:
    """The rows of these returns as they are now, by their ids.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    found = (await session.execute(_rows().where(Return.id.in_(return_ids)))).all()
    return {row.id: row for row in await _shown(session, found)}


async def count_newer_returns(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], newest: str
) -> int:
    """Count the returns of the list that were opened after `newest`.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    return await count_new_rows(session, _rows().where(*_conditions(asked), Return.number > int(newest)))


async def returns_of_order(session: AsyncSession, order_id: str) -> list[ReturnRow]:
    """The order's returns, the oldest first. Whoever shows them has checked the right to see orders."""
    found = await session.execute(_rows().where(Return.order_id == order_id).order_by(Return.number))
    return await _shown(session, found.all())


def state_chips(row: Return, moment: datetime) -> list[ChipView]:
    """How a return stands, and while it is open how much time is left."""
    state = ReturnState(row.state)
    chips = [ChipView(STATE_NAMES[state], TONES[state])]
    if state in OPEN:
        left = days_left(row.due_at, moment)
        chips.append(ChipView(_left_label(left), "bad" if left <= 0 else "wait" if left <= SOON else "plain"))
    return chips


def _left_label(left: int) -> str:
    if left < -1:
        return _("Pasó hace {n} días").format(n=-left)
    if left < 1:
        return _("Vence hoy") if left == 0 else _("Pasó ayer")
    return _("Queda 1 día") if left == 1 else _("Quedan {n} días").format(n=left)


def _rows() -> Select[Return, Order]:
    return select(Return, Order).join(Order, Order.id == Return.order_id)


async def _shown(session: AsyncSession, found: Sequence[Row[Return, Order]]) -> list[ReturnRow]:
    moment = await database_now(session)
    return [
        ReturnRow(
            id=row.id,
            number=row.number or 0,
            order_number=order.number or 0,
            kind=KIND_NAMES[ReturnKind(row.kind)],
            buyer=buyer_of(order),
            asked_label=short_time_label(row.asked_at),
            amount_label=format_cop(row.amount) if row.amount is not None else "",
            chips=state_chips(row, moment),
        )
        for row, order in found
    ]


def _conditions(asked: Mapping[str, str]) -> list[ColumnElement[bool]]:
    states = STATES.get(asked.get("estado", ""), ("", OPEN))[1]
    conditions: list[ColumnElement[bool]] = [Return.state.in_(states)]
    if kind := KINDS.get(asked.get("tipo", "")):
        conditions.append(Return.kind == kind[1])
    if text := asked.get("q", "").strip().lstrip("#"):
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        number = int(text) if is_number else -1
        conditions.append(or_(Order.number == number, Return.number == number, Order.email == text.lower()))
    return conditions
