"""One return as the office shows it: what is asked for, what arrived, where the money goes, what can be done now."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.storefront.product_cards import first_pictures
from backend.catalog.views import PictureView
from backend.core.dates import date_label, last_day, time_label
from backend.core.db.database import database_now
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.customer_labels import buyer_of
from backend.office.returns.listing import ReturnRow, returns_of_order, state_chips
from backend.office.views import ChipView
from backend.orders.fulfillments import fulfillments_of_order
from backend.orders.models import OrderLine
from backend.orders.money.unit_worth import worth
from backend.orders.service import lines_of_order, read_order
from backend.payment.models import Refund
from backend.returns.deadlines import delivered_at, warranty_until, withdraw_until
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
from backend.returns.processing import lines_of_return, read_return
from backend.returns.refund_amounts import granted_units, is_nothing_sent, left_of
from backend.returns.refund_limits import money_bound, units_paid_for
from backend.returns.requests import returnable
from backend.returns.states import GRANTED, OPEN, STATE_NAMES, UNDECIDED, ReturnState
from backend.staff.actor_names import names_within
from backend.staff.rights import Actor, Right

FILES = "/admin/return-files"


@dataclass(frozen=True, slots=True)
class ReturnLineView:
    """Units of a toy. `arrived`: in words, which of them came and how; empty before any did."""

    id: str
    title: str
    detail: str
    quantity: int
    arrived: str
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class AccountFields:
    """The bank account, by the names of the form that changes it."""

    bank: str = ""
    account_type: str = ""
    account_number: str = ""
    holder: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class FileView:
    """A picture of the buyer's, or a receipt."""

    id: str
    path: str
    label: str
    is_picture: bool


@dataclass(frozen=True, slots=True)
class ReturnDetail:
    """A return.

    Attributes:
        asked_by: who of the staff opened it; empty: the buyer did.
        in_time: until when the buyer could ask for it, in words; empty where no such time runs.
        account: the bank account in words; empty where there is none, or the role does not see it.
        most_label: the most that goes back without a reason.
        proposed: what the form for the amount begins with.
        facts: what has happened: names and values.
        actions: what may be done now: `receive`, `approve`, `deny`, `account`, `pay`, `receipt`.
    """

    id: str
    number: int
    kind: str
    chips: list[ChipView]
    order_id: str
    order_number: int
    buyer: str
    email: str
    asked_label: str
    asked_by: str
    reason: str
    in_time: str
    due_label: str
    denial: str
    lines: list[ReturnLineView]
    has_good: bool
    account: list[tuple[str, str]]
    account_fields: AccountFields
    files: list[FileView]
    most_label: str
    proposed: str
    amount_label: str
    facts: list[tuple[str, str]]
    actions: list[str]


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """A line of an order of which a return can be opened: units that were sent, and those that were not."""

    id: str
    title: str
    detail: str
    sent: int
    unsent: int
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class OpeningView:
    """An order of which a return is to be opened. `left_label`: how much of its money there is."""

    order_id: str
    order_number: int
    buyer: str
    left_label: str
    lines: list[OpeningLine]
    others: list[ReturnRow]


async def return_detail(session: AsyncSession, actor: Actor, return_id: str) -> ReturnDetail:
    """The return.

    Raises:
        Forbidden: the actor may not see orders.
        NotFound: there is no such return.
    """
    actor.require(Right.READ_ORDERS)
    row = await read_return(session, return_id)
    order = await read_order(session, row.order_id)
    sold = await lines_of_order(session, order.id)
    lines = await lines_of_return(session, row.id)
    left = await left_of(session, order, besides=row.id)
    sees_account = actor.may(Right.HANDLE_RETURNS) or actor.may(Right.BOOK_REFUNDS)
    account = await session.get(ReturnAccount, row.id) if sees_account else None
    fields = (
        AccountFields(**{name: getattr(account, name) for name in _ACCOUNT}) if account else AccountFields()
    )
    units = await units_paid_for(session, order, row, sold, lines)
    before = await granted_units(session, order, besides=row.id)
    suggested = left if is_nothing_sent(sold, units) else min(left, worth(order, sold, units, before) or left)
    return ReturnDetail(
        id=row.id,
        number=row.number or 0,
        kind=KIND_NAMES[ReturnKind(row.kind)],
        chips=state_chips(row, await database_now(session)),
        order_id=order.id,
        order_number=order.number or 0,
        buyer=buyer_of(order),
        email=order.email if actor.may(Right.READ_CUSTOMERS) else "",
        asked_label=time_label(row.asked_at),
        asked_by=(await names_within(session, [row.asked_by])).get(row.asked_by, ""),
        reason=row.reason,
        in_time=await _in_time(session, row),
        due_label=date_label(last_day(row.due_at)) if row.state in OPEN else "",
        denial=row.denial,
        lines=await _lines(session, sold, lines, row),
        has_good=any(line.good for line in lines),
        account=[
            (name, value) for name, value in zip(_ACCOUNT.values(), _in_words(fields), strict=True) if value
        ],
        account_fields=fields,
        files=await _files(session, row.id),
        most_label=format_cop(max(await money_bound(session, order, row), 0)),
        proposed=str(row.amount or max(suggested, 0)),
        amount_label=format_cop(row.amount) if row.amount is not None else "",
        facts=await _facts(session, row),
        actions=_actions(actor, row),
    )


async def opening_view(session: AsyncSession, actor: Actor, order_id: str) -> OpeningView:
    """The order of which a return is to be opened.

    Raises:
        Forbidden: the actor may not see orders.
        NotFound: there is no such order.
    """
    actor.require(Right.READ_ORDERS)
    order = await read_order(session, order_id)
    lines = await lines_of_order(session, order.id)
    sent = await returnable(session, order, lines)
    pictures = await first_pictures(session, [line.product_id for line in lines])
    return OpeningView(
        order_id=order.id,
        order_number=order.number or 0,
        buyer=buyer_of(order),
        left_label=format_cop(max(await left_of(session, order), 0)),
        lines=[
            OpeningLine(
                id=line.id,
                title=line.title,
                detail=_detail(line),
                sent=sent.get(line.id, 0),
                unsent=line.quantity - line.fulfilled - line.withdrawn,
                picture=pictures.get(line.product_id),
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


def _in_words(fields: AccountFields) -> Sequence[str]:
    kind = ACCOUNT_TYPES.get(fields.account_type, fields.account_type)
    return (fields.bank, kind, fields.account_number, fields.holder, fields.document)


def _actions(actor: Actor, row: Return) -> list[str]:
    state = ReturnState(row.state)
    handles, pays = actor.may(Right.HANDLE_RETURNS), actor.may(Right.BOOK_REFUNDS)
    possible = {
        "receive": handles and state is ReturnState.REQUESTED,
        "approve": handles and state in UNDECIDED,
        "deny": handles and state in UNDECIDED,
        "account": handles and state in OPEN,
        "pay": pays and state is ReturnState.TO_PAY,
        "receipt": pays and state in GRANTED,
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _in_time(session: AsyncSession, row: Return) -> str:
    limits = {ReturnKind.WITHDRAWAL: withdraw_until, ReturnKind.WARRANTY: warranty_until}
    if (limit := limits.get(ReturnKind(row.kind))) is None:
        return ""
    until = limit(delivered_at(await fulfillments_of_order(session, row.order_id)))
    if until is None:
        return _("El plazo no ha empezado: aún no consta la entrega.")
    in_time, late = _("A tiempo: podía pedirlo hasta el {day}."), _("Fuera de plazo: era hasta el {day}.")
    return (in_time if row.asked_at < until else late).format(day=date_label(last_day(until)))


async def _lines(
    session: AsyncSession, sold: Sequence[OrderLine], lines: Sequence[ReturnLine], row: Return
) -> list[ReturnLineView]:
    by_id = {line.id: line for line in sold}
    pictures = await first_pictures(session, [line.product_id for line in sold])
    return [
        ReturnLineView(
            id=line.line_id,
            title=of.title,
            detail=_detail(of),
            quantity=line.quantity,
            arrived=_arrived(line) if row.received_at is not None else "",
            picture=pictures.get(of.product_id),
        )
        for line in lines
        if (of := by_id.get(line.line_id)) is not None
    ]


def _arrived(line: ReturnLine) -> str:
    parts = (
        (_("en buen estado: {n}"), line.good),
        (_("con daño: {n}"), line.damaged),
        (_("no llegaron: {n}"), line.quantity - line.good - line.damaged),
    )
    told = ", ".join(text.format(n=count) for text, count in parts if count)
    return f"{told}. {_('Las buenas se venden otra vez.')}" if line.restocked else told


def _detail(line: OrderLine) -> str:
    return " · ".join(filter(None, (line.variant_title, line.sku or "")))


async def _files(session: AsyncSession, return_id: str) -> list[FileView]:
    query = select(ReturnFile.id, ReturnFile.purpose, ReturnFile.media_type).where(
        ReturnFile.return_id == return_id
    )
    found = await session.execute(query.order_by(ReturnFile.created_at, ReturnFile.id))
    labels = {FilePurpose.PICTURE: _("Foto del comprador"), FilePurpose.RECEIPT: _("Comprobante")}
    return [
        FileView(file_id, f"{FILES}/{file_id}", labels[FilePurpose(purpose)], media_type.startswith("image/"))
        for file_id, purpose, media_type in found
    ]


async def _facts(session: AsyncSession, row: Return) -> list[tuple[str, str]]:
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
