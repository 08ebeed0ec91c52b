"""Returns as the office lists them: what waits for the shop first, the soonest due on top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.cursors import cursor_at, read_cursor
from backend.core.dates import short_time_label
from backend.core.db.database import database_now
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import buyer_of
from backend.office.list_filters import active_filters, label_of
from backend.office.views import ActiveFilter, ChipView
from backend.orders.models import Order
from backend.returns.deadlines import days_left
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.states import OPEN, STATE_NAMES, ReturnState
from backend.staff.rights import Actor, Right

MOST_ROWS, MOST_FRESH = 30, 99
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


@dataclass(frozen=True, slots=True)
class ReturnsView:
    """A list of returns.

    Attributes:
        cursor: reads the next rows; empty when there are none.
        newest: the highest number that there was.
        asked: what is asked for, by the names in `FIELDS`.
        active: the filters that are on.
    """

    rows: list[ReturnRow]
    cursor: str
    newest: int
    asked: dict[str, str]
    active: list[ActiveFilter]


async def returns_view(
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], cursor: str = ""
) -> ReturnsView:
    """The returns that are asked for: open ones by their deadline, others the latest first.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_ORDERS)
    kept = {name: asked.get(name, "")[:LONGEST_TEXT] for name in FIELDS}
    key, is_open = (Return.due_at, Return.number), kept["estado"] not in ("pagadas", "negadas", "todas")
    order_by = key if is_open else tuple(column.desc() for column in key)
    query = _rows().where(*_conditions(kept)).order_by(*order_by).limit(MOST_ROWS + 1)
    if cursor:
        place = _place(cursor)
        query = query.where(tuple_(*key) > place if is_open else tuple_(*key) < place)
    found = (await session.execute(query)).all()
    last = found[MOST_ROWS - 1][0] if len(found) > MOST_ROWS else None
    newest = (await session.execute(select(func.max(Return.number)))).scalar_one()
    return ReturnsView(
        rows=await _shown(session, found[:MOST_ROWS]),
        cursor=cursor_at(last.due_at, last.number or 0) if last else "",
        newest=newest or 0,
        asked=kept,
        active=_active(kept),
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
    session: AsyncSession, actor: Actor, asked: Mapping[str, str], newest: int
) -> int:
    """How many returns the list would have that were opened after `newest`; at most `MOST_FRESH` are counted.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    query = _rows().where(*_conditions(asked), Return.number > newest).limit(MOST_FRESH).subquery()
    return (await session.execute(select(func.count()).select_from(query))).scalar_one()


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


def _place(cursor: str) -> tuple[datetime, int]:
    moment, key = read_cursor(cursor)
    if not (key.isascii() and key.isdecimal()):
        raise InvalidData("not a cursor")
    return moment, int(key)


def _active(asked: Mapping[str, str]) -> list[ActiveFilter]:
    return active_filters(
        asked, estado=label_of(STATES, asked["estado"]), tipo=label_of(KINDS, asked["tipo"])
    )
