"""The return screen of the office: requested and received units, the refund, and the actions that are possible now."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.dates import date_label, last_day, time_label
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import order_customer_name
from backend.office.returns.listing import ReturnRow, returns_of_order, state_chips
from backend.office.views import ChipView
from backend.orders.fulfillments import list_order_fulfillments
from backend.orders.models import OrderLine
from backend.orders.money.unit_worth import compute_unit_worth
from backend.orders.service import format_line_detail, list_order_lines, read_order
from backend.payment.models import Refund
from backend.returns.deadlines import (
    compute_warranty_deadline,
    compute_withdrawal_deadline,
    find_delivery_time,
)
from backend.returns.forms import ACCOUNT_TYPES
from backend.returns.models import (
    KIND_NAMES,
    FilePurpose,
    Return,
    ReturnAccount,
    ReturnFile,
    ReturnKind,
    ReturnLine,
)
from backend.returns.processing import list_return_lines, read_return
from backend.returns.refund_amounts import compute_remaining_money, is_nothing_sent, sum_granted_units
from backend.returns.refund_limits import compute_max_refund, sum_refunded_units
from backend.returns.requests import count_returnable_units
from backend.returns.states import GRANTED, OPEN, STATE_NAMES, UNDECIDED, ReturnState
from backend.staff.actor_names import short_actor_names
from backend.staff.rights import Actor, Right

FILES = "/admin/return-files"


@dataclass(frozen=True, slots=True)
class ReturnLineView:
    """Units of a product in a return.

    `arrived`: the received units and their condition, in words; empty until they arrive.
    """

    id: str
    title: str
    detail: str
    quantity: int
    arrived: str
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class AccountFields:
    """The bank account for a refund, as the fields of the form that changes it."""

    bank: str = ""
    account_type: str = ""
    account_number: str = ""
    holder: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class FileView:
    """A file of a return: a picture from the customer, or a receipt."""

    id: str
    path: str
    label: str
    is_picture: bool


@dataclass(frozen=True, slots=True)
class ReturnDetail:
    """A return with everything that its screen shows.

    Attributes:
        asked_by: the staff member who opened it; empty if the customer did.
        deadline_text: the deadline for the customer's request, in words; empty if there is none.
        account: the bank account in words; empty if there is none, or if the actor may not see it.
        max_label: the maximum refund that needs no reason.
        proposed: initial value of the amount field.
        facts: names and values of past events.
        actions: possible actions: `receive`, `approve`, `deny`, `account`, `pay`, `receipt`, `exchange`.
    """

    id: str
    number: int
    kind: str
    chips: list[ChipView]
    order_id: str
    order_number: int
    customer_name: str
    email: str
    asked_label: str
    asked_by: str
    reason: str
    deadline_text: str
    due_label: str
    denial: str
    lines: list[ReturnLineView]
    has_good: bool
    account: list[tuple[str, str]]
    account_fields: AccountFields
    files: list[FileView]
    max_label: str
    proposed: str
    amount_label: str
    facts: list[tuple[str, str]]
    actions: list[str]


@dataclass(frozen=True, slots=True)
class NewReturnLine:
    """A line of an order for which a return can be opened, with its numbers of sent and of unsent units."""

    id: str
    title: str
    detail: str
    sent: int
    unsent: int
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class NewReturnView:
    """An order for which a return is being opened. `left_label`: the paid amount that was not refunded yet."""

    order_id: str
    order_number: int
    customer_name: str
    left_label: str
    lines: list[NewReturnLine]
    others: list[ReturnRow]


async def return_detail(session: AsyncSession, actor: Actor, return_id: str) -> ReturnDetail:
    """Return the return with this id, with everything that its screen shows.

    Raises:
        Forbidden: the actor may not see orders.
        NotFound: the return does not exist.
    """
    actor.require(Right.READ_ORDERS)
    row = await read_return(session, return_id)
    order = await read_order(session, row.order_id)
    sold = await list_order_lines(session, order.id)
    lines = await list_return_lines(session, row.id)
    left = await compute_remaining_money(session, order, excluded_return_id=row.id)
    sees_account = actor.may(Right.HANDLE_RETURNS) or actor.may(Right.BOOK_REFUNDS)
    account = await session.get(ReturnAccount, row.id) if sees_account else None
    fields = (
        AccountFields(**{name: getattr(account, name) for name in _ACCOUNT}) if account else AccountFields()
    )
    units = await sum_refunded_units(session, order, row, sold, lines)
    before = await sum_granted_units(session, order, excluded_return_id=row.id)
    suggested = (
        left
        if is_nothing_sent(sold, units)
        else min(left, compute_unit_worth(order, sold, units, before) or left)
    )
    return ReturnDetail(
        id=row.id,
        number=row.number or 0,
        kind=KIND_NAMES[ReturnKind(row.kind)],
        chips=state_chips(row, await database_now(session)),
        order_id=order.id,
        order_number=order.number or 0,
        customer_name=order_customer_name(order),
        email=order.email if actor.may(Right.READ_CUSTOMERS) else "",
        asked_label=time_label(row.asked_at),
        asked_by=(await short_actor_names(session, [row.asked_by])).get(row.asked_by, ""),
        reason=row.reason,
        deadline_text=await _deadline_text(session, row),
        due_label=date_label(last_day(row.due_at)) if row.state in OPEN else "",
        denial=row.denial,
        lines=await _line_views(session, sold, lines, row),
        has_good=any(line.good for line in lines),
        account=[
            (name, value)
            for name, value in zip(_ACCOUNT.values(), _account_texts(fields), strict=True)
            if value
        ],
        account_fields=fields,
        files=await _file_views(session, row.id),
        max_label=format_cop(max(await compute_max_refund(session, order, row), 0)),
        proposed=str(row.amount or max(suggested, 0)),
        amount_label=format_cop(row.amount) if row.amount is not None else "",
        facts=await _return_facts(session, row),
        actions=_possible_actions(actor, row),
    )


async def new_return_view(session: AsyncSession, actor: Actor, order_id: str) -> NewReturnView:
    """Return the order for which a return is being opened.

    Raises:
        Forbidden: the actor may not see orders.
        NotFound: the order does not exist.
    """
    actor.require(Right.READ_ORDERS)
    order = await read_order(session, order_id)
    lines = await list_order_lines(session, order.id)
    sent = await count_returnable_units(session, order, lines)
    pictures = await line_pictures(session, lines)
    return NewReturnView(
        order_id=order.id,
        order_number=order.number or 0,
        customer_name=order_customer_name(order),
        left_label=format_cop(max(await compute_remaining_money(session, order), 0)),
        lines=[
            NewReturnLine(
                id=line.id,
                title=line.title,
                detail=format_line_detail(line),
                sent=sent.get(line.id, 0),
                unsent=line.quantity - line.fulfilled - line.withdrawn,
                picture=pictures.get(line.variant_id),
            )
            for line in lines
        ],
        others=await returns_of_order(session, order.id),
    )


_ACCOUNT = {
    "bank": _("Banco"),
    "account_type": _("Tipo de cuenta"),
    "account_number": _("Número"),
    "holder": _("Titular"),
    "document": _("Documento"),
}


def _account_texts(fields: AccountFields) -> Sequence[str]:
    kind = ACCOUNT_TYPES.get(fields.account_type, fields.account_type)
    return (fields.bank, kind, fields.account_number, fields.holder, fields.document)


def _possible_actions(actor: Actor, row: Return) -> list[str]:
    state = ReturnState(row.state)
    handles, pays = actor.may(Right.HANDLE_RETURNS), actor.may(Right.BOOK_REFUNDS)
    possible = {
        "receive": handles and state is ReturnState.REQUESTED,
        "approve": handles and state in UNDECIDED,
        "deny": handles and state in UNDECIDED,
        "account": handles and state in OPEN,
        "pay": pays and state is ReturnState.TO_PAY,
        "receipt": pays and state in GRANTED,
        "exchange": handles and actor.may(Right.SELL) and row.exchange_id is not None and state in UNDECIDED,
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _deadline_text(session: AsyncSession, row: Return) -> str:
    limits = {
        ReturnKind.WITHDRAWAL: compute_withdrawal_deadline,
        ReturnKind.WARRANTY: compute_warranty_deadline,
    }
    if (limit := limits.get(ReturnKind(row.kind))) is None:
        return ""
    until = limit(find_delivery_time(await list_order_fulfillments(session, row.order_id)))
    if until is None:
        return _("El plazo no ha empezado: aún no consta la entrega.")
    in_time, late = _("A tiempo: podía pedirlo hasta el {day}."), _("Fuera de plazo: era hasta el {day}.")
    return (in_time if row.asked_at < until else late).format(day=date_label(last_day(until)))


async def _line_views(
    session: AsyncSession, sold: Sequence[OrderLine], lines: Sequence[ReturnLine], row: Return
) -> list[ReturnLineView]:
    by_id = {line.id: line for line in sold}
    pictures = await line_pictures(session, sold)
    return [
        ReturnLineView(
            id=line.line_id,
            title=of.title,
            detail=format_line_detail(of),
            quantity=line.quantity,
            arrived=_arrived_text(line) if row.received_at is not None else "",
            picture=pictures.get(of.variant_id),
        )
        for line in lines
        if (of := by_id.get(line.line_id)) is not None
    ]


def _arrived_text(line: ReturnLine) -> str:
    parts = (
        (_("en buen estado: {n}"), line.good),
        (_("con daño: {n}"), line.damaged),
        (_("no llegaron: {n}"), line.quantity - line.good - line.damaged),
    )
    text = ", ".join(text.format(n=count) for text, count in parts if count)
    return f"{text}. {_('Las buenas se venden otra vez.')}" if line.restocked else text


async def _file_views(session: AsyncSession, return_id: str) -> list[FileView]:
    query = select(ReturnFile.id, ReturnFile.purpose, ReturnFile.media_type).where(
        ReturnFile.return_id == return_id
    )
    found = await session.execute(query.order_by(ReturnFile.created_at, ReturnFile.id))
    labels = {FilePurpose.PICTURE: _("Foto del comprador"), FilePurpose.RECEIPT: _("Comprobante")}
    return [
        FileView(file_id, f"{FILES}/{file_id}", labels[FilePurpose(purpose)], media_type.startswith("image/"))
        for file_id, purpose, media_type in found
    ]


async def _return_facts(session: AsyncSession, row: Return) -> list[tuple[str, str]]:
    refund = await session.get(Refund, row.refund_id) if row.refund_id else None
    facts = (
        (_("Llegaron"), time_label(row.received_at) if row.received_at else ""),
        (_("Aprobada"), time_label(row.approved_at) if row.approved_at else ""),
        (_("Valor"), format_cop(row.amount) if row.amount is not None else ""),
        (_("Por qué es más"), row.amount_reason),
        (STATE_NAMES[ReturnState(row.state)], time_label(row.ended_at) if row.ended_at else ""),
        (_("Referencia"), refund.reference if refund else ""),
    )
    return [(name, value) for name, value in facts if value]
