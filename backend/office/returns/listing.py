"""Returns in the office: the list, with open returns sorted by their deadline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import order_customer_name
from backend.office.listing import (
    ListView,
    active_filters,
    count_new_rows,
    label_of,
    read_filters,
    read_page,
)
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.returns.deadlines import count_days_left
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.states import OPEN, STATE_NAMES, ReturnState
from backend.staff.rights import Actor, Right
from backend.staff_notices.waiting_work import URGENT_DAYS, format_days_left

PAGE_SIZE = 30
MAX_TEXT_LENGTH = 60
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
"""Filters of the list by their name in the URL: a label and the matching states.

Without a filter, open returns are listed.
"""
KINDS: dict[str, tuple[str, ReturnKind]] = {
    "retracto": (KIND_NAMES[ReturnKind.WITHDRAWAL], ReturnKind.WITHDRAWAL),
    "garantia": (KIND_NAMES[ReturnKind.WARRANTY], ReturnKind.WARRANTY),
    "reversion": (KIND_NAMES[ReturnKind.REVERSAL], ReturnKind.REVERSAL),
    "no-despachado": (KIND_NAMES[ReturnKind.NOT_SENT], ReturnKind.NOT_SENT),
    "cambio": (KIND_NAMES[ReturnKind.EXCHANGE], ReturnKind.EXCHANGE),
}
TONES = {S.REQUESTED: "wait", S.RECEIVED: "wait", S.TO_PAY: "wait", S.PAID: "good", S.DENIED: "plain"}


@dataclass(frozen=True, slots=True)
class ReturnRow:
    """A return in a list. `chips`: its state and, while it is open, the remaining days."""

    id: str
    number: int
    order_number: int
    kind: str
    customer_name: str
    asked_label: str
    amount_label: str
    chips: list[ChipView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnsView(ListView):
    """A list of returns. Its filters are `FIELDS`; `newest` is the highest number of all returns."""

    rows: list[ReturnRow]


async def returns_view(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> ReturnsView:
    """Return a page of the returns that match the filters, sorted by deadline.

    The nearest deadline is first. If the filter `estado` includes closed returns, the latest deadline is first.

    Raises:
        Forbidden: the actor may not see orders.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_ORDERS)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    found, following = await read_page(
        session,
        _select_returns().where(*_filter_conditions(filters)),
        (Return.due_at, Return.number),
        cursor,
        PAGE_SIZE,
        is_descending=filters["estado"] in {"pagadas", "negadas", "todas"},
    )
    newest = (await session.execute(select(func.max(Return.number)))).scalar_one()
    return ReturnsView(
        rows=await _return_rows(session, found),
        cursor=following,
        newest=str(newest or 0),
        filters=filters,
        active=active_filters(
            filters,
            (label_of(STATES, filters["estado"]), "estado"),
            (label_of(KINDS, filters["tipo"]), "tipo"),
        ),
    )


async def read_return_rows(
    session: AsyncSession, actor: Actor, return_ids: Sequence[str]
) -> dict[str, ReturnRow]:
    """Return the current rows of these returns by their ids.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    found = (await session.execute(_select_returns().where(Return.id.in_(return_ids)))).all()
    return {row.id: row for row in await _return_rows(session, found)}


async def count_newer_returns(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], newest: str
) -> int:
    """Count the returns that match the filters `params` and have a higher number than `newest`.

    Raises:
        Forbidden: the actor may not see orders.
    """
    actor.require(Right.READ_ORDERS)
    return await count_new_rows(
        session, _select_returns().where(*_filter_conditions(params), Return.number > int(newest))
    )


async def returns_of_order(session: AsyncSession, order_id: str) -> list[ReturnRow]:
    """Return the order's returns, the oldest first. The caller must check the right to see orders."""
    found = await session.execute(
        _select_returns().where(Return.order_id == order_id).order_by(Return.number)
    )
    return await _return_rows(session, found.all())


def state_chips(row: Return, moment: datetime) -> list[ChipView]:
    """Return the status chips of a return: its state and, while it is open, the remaining time."""
    state = ReturnState(row.state)
    chips = [ChipView(STATE_NAMES[state], TONES[state])]
    if state in OPEN:
        days = count_days_left(row.due_at, moment)
        chips.append(
            ChipView(
                format_days_left(days), "bad" if days <= 0 else "wait" if days <= URGENT_DAYS else "plain"
            )
        )
    return chips


def _select_returns() -> Select[Return, Order]:
    return select(Return, Order).join(Order, Order.id == Return.order_id)


async def _return_rows(session: AsyncSession, found: Sequence[Row[Return, Order]]) -> list[ReturnRow]:
    moment = await database_now(session)
    return [
        ReturnRow(
            id=row.id,
            number=row.number or 0,
            order_number=order.number or 0,
            kind=KIND_NAMES[ReturnKind(row.kind)],
            customer_name=order_customer_name(order),
            asked_label=short_time_label(row.asked_at),
            amount_label=format_cop(row.amount) if row.amount is not None else "",
            chips=state_chips(row, moment),
        )
        for row, order in found
    ]


def _filter_conditions(params: Mapping[str, str]) -> list[ColumnElement[bool]]:
    states = STATES.get(params.get("estado", ""), ("", OPEN))[1]
    conditions: list[ColumnElement[bool]] = [Return.state.in_(states)]
    if kind := KINDS.get(params.get("tipo", "")):
        conditions.append(Return.kind == kind[1])
    text = params.get("q", "").strip().lstrip("#")
    if "@" in text:
        conditions.append(Order.email == text.lower())
    elif text:
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        number = int(text) if is_number else -1
        conditions.append(or_(Order.number == number, Return.number == number))
    return conditions
