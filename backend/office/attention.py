"""The office's list of attention rows: for each, what happened, the advised action and the deadline."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.descriptions import OWED, describe_facts, format_disputed_amount
from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.core.dates import time_label
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.listing import ListView, count_new_rows, exclude_next_pages, read_page
from backend.orders.models import Order
from backend.staff.rights import Actor, Right

PAGE_SIZE = 30
KEY = (Attention.due_at, Attention.id)

K = AttentionKind
HONOR_LABELS = {
    K.PAID_WITHOUT_ORDER: _("Crear el pedido"),
    K.PAYMENT_UNRESOLVED: _("Fue aprobado: aceptar el pago"),
    **dict.fromkeys((K.PAID_IN_PART, K.EDIT_OWED), _("Empacarlo así")),
    K.PAYMENT_CONTRADICTED: _("El dinero sí está"),
    K.STOCK_SHORT: _("Ya están las unidades"),
    K.LABEL_IN_DOUBT: _("La guía sí está"),
    K.LABEL_TOO_EXPENSIVE: _("Comprar la guía"),
    **dict.fromkeys((K.INVOICE_REJECTED, K.INVOICE_LATE, K.INVOICE_WAITS), _("Reintentar")),
    K.JOB_FAILED: _("Correrla otra vez"),
}
"""Labels of the action `honor` by kind of row. For all other kinds, `_format_acceptance` returns the label."""


@dataclass(frozen=True, slots=True)
class ActionView:
    """An action that resolves an attention row.

    `needs` is the input that the action requires: `reference` (of a transfer), `note`, `label` (the numbers of a
    shipping label), or empty for none.
    """

    name: str
    label: str
    needs: str


@dataclass(frozen=True, slots=True)
class AttentionRow:
    """A decision that waits for a staff member.

    Attributes:
        title: what happened, in one sentence.
        about: the order or the amount of money that the row concerns; empty for none.
        advice: the advised way to handle it.
        recommended: the action that is right unless there is a reason against it.
        others: the other allowed actions.
        facts: what happened, in one or two sentences; empty if the title says everything.
        due_label: the deadline; empty for none.
    """

    id: str
    kind: str
    title: str
    about: str
    advice: str
    recommended: ActionView
    others: list[ActionView]
    facts: str
    order_id: str
    due_label: str
    is_late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionPage(ListView):
    """A page of open attention rows, the most urgent first."""

    rows: list[AttentionRow]


async def open_attention(session: AsyncSession, actor: Actor, cursor: str = "") -> AttentionPage:
    """Return a page of the open attention rows, the most urgent first.

    Raises:
        Forbidden: the actor may not see attention rows.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_ATTENTION)
    query = (
        select(Attention, Order.number)
        .outerjoin(Order, Order.id == Attention.order_id)
        .where(Attention.resolved_at.is_(None))
    )
    found, following = await read_page(session, query, KEY, cursor, PAGE_SIZE)
    moment = await database_now(session)
    rows = [_row(attention, number, moment) for attention, number in found]
    return AttentionPage(rows=rows, cursor=following)


async def count_new_attention(
    session: AsyncSession, actor: Actor, known: Sequence[str], cursor: str = ""
) -> int:
    """Count the open rows before `cursor` whose ids are not in `known`: rows that are new since the list was read.

    Raises:
        Forbidden: the actor may not see attention rows.
    """
    actor.require(Right.READ_ATTENTION)
    query = select(Attention.id).where(Attention.resolved_at.is_(None), Attention.id.not_in(known))
    return await count_new_rows(session, exclude_next_pages(query, KEY, cursor))


def _row(row: Attention, number: int | None, moment: datetime) -> AttentionRow:
    rules = RULES[AttentionKind(row.kind)]
    about = [
        *([_("Pedido {number}").format(number=number)] if number is not None else []),
        *([format_disputed_amount(row)] if row.amount is not None else []),
    ]
    return AttentionRow(
        id=row.id,
        kind=row.kind,
        title=rules.title,
        about=" · ".join(about),
        advice=rules.advice,
        recommended=_action(row, rules.recommended),
        others=[_action(row, action) for action in rules.actions if action is not rules.recommended],
        facts=describe_facts(row),
        order_id=row.order_id or "",
        due_label=time_label(row.due_at) if row.due_at else "",
        is_late=row.due_at is not None and row.due_at < moment,
    )


def _action(row: Attention, action: Action) -> ActionView:
    kind = AttentionKind(row.kind)
    match action:
        case Action.REFUNDED:
            is_back = kind is K.PAYMENT_CONTRADICTED
            label = _("El dinero volvió al comprador") if is_back else _("Ya devolví el dinero")
            return ActionView(action, label, "reference")
        case Action.DISMISSED:
            return ActionView(action, _("No hay que hacer nada"), "note")
        case Action.HONOR:
            needs = "label" if kind is K.LABEL_IN_DOUBT else ""
            return ActionView(action, HONOR_LABELS.get(kind) or _format_acceptance(row), needs)


def _format_acceptance(row: Attention) -> str:
    """Return the label of the button that accepts a payment. It says how much is then missing or in excess."""
    owed: object = row.data.get(OWED)
    if row.amount is None or not isinstance(owed, int) or row.amount == owed:
        return _("Aceptar el pago")
    words = _("Aceptar {paid}: faltan {rest}") if row.amount < owed else _("Aceptar {paid}: sobran {rest}")
    return words.format(paid=format_disputed_amount(row), rest=format_cop(abs(owed - row.amount)))
