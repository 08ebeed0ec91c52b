"""All that the shop holds on somebody, as a file: what the law lets them consult (Ley 1581 of 2012, arts. 8 a and 14).

Somebody is an e-mail address: the account with it, the guest with it, and what was done with either. Left out is what
says nothing of them or would open something: hashes, the pictures of labels, what only the payment's snapshot repeats.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.attention.models import Attention
from backend.audit import AuditEntry, AuditPersonalValue, Subject, Thing, record
from backend.audit.labels import FIELDS
from backend.cart.models import Cart, LineItem
from backend.core.db.database import database_now
from backend.core.db.tables import JsonObject, table_of
from backend.core.spreadsheet import BYTE_ORDER_MARK, lines
from backend.core.texts import _
from backend.customers.directory import find_person
from backend.customers.models import (
    Customer,
    CustomerAddress,
    CustomerGroup,
    CustomerGroupMember,
    CustomerNote,
    CustomerPayer,
    CustomerSession,
    GuestCustomer,
    Login,
)
from backend.invoices.models import Invoice
from backend.legal.models import Consent, KeptText
from backend.mail.models import Mail
from backend.orders.models import Fulfillment, Order, OrderLine, OrderNote
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.pqrs.models import Pqrs
from backend.promotions.eligibility import buyer_of
from backend.promotions.models import PromotionUse
from backend.returns.models import Return, ReturnAccount, ReturnDraft, ReturnFile, ReturnLine
from backend.reviews.models import Review
from backend.staff.rights import Actor, Right
from backend.stock_notices.models import StockNotice

COLUMNS = (_("Qué"), _("Número"), _("Campo"), _("Valor"))
LEFT_OUT = frozenset({
    "content", "label_pdf", "password_hash", "snapshot", "token_epoch", "token_hash", "xml",
})  # fmt: skip


class Format(StrEnum):
    """How the file is written: a table for people, or for programs."""

    CSV = "csv"
    JSON = "json"


MEDIA_TYPES = {Format.CSV: "text/csv; charset=utf-8", Format.JSON: "application/json"}


@dataclass(frozen=True, slots=True)
class Somebody:
    """Whose data they are: the address, and the ids of the account and the guest with it."""

    email: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """Rows of one table: by which name programs and people know them."""

    name: str
    label: str
    rows: list[JsonObject]


async def somebody(session: AsyncSession, customer_id: str) -> Somebody:
    """Whose customer or guest this is.

    Raises:
        NotFound: there is none.
    """
    email = (await find_person(session, customer_id)).email
    ids: list[str] = []
    for model in (Customer, GuestCustomer):
        ids += (await session.execute(select(model.id).where(model.email == email))).scalars()
    return Somebody(email, tuple(ids))


async def customer_file(session: AsyncSession, actor: Actor, customer_id: str, kind: Format) -> str:
    """The file. That it was taken is recorded.

    Args:
        actor: who takes it.
        customer_id: of the customer or guest.
        kind: how it is written; no cell of a table is a formula.

    Raises:
        NotFound: there is no such customer.
    """
    actor.require(Right.EXPORT_PERSONAL_DATA)
    who = await somebody(session, customer_id)
    held = await held_on(session, who)
    await record(
        session, actor, "data exported", Subject(Thing.CUSTOMER, customer_id), {"format": ("", kind)}
    )
    if kind is Format.JSON:
        body: JsonObject = {
            "email": who.email,
            "exported_at": (await database_now(session)).isoformat(),
            "held": {one.name: one.rows for one in held},
        }
        return json.dumps(body, ensure_ascii=False, indent=2)
    table: list[Sequence[object]] = [COLUMNS]
    for one in held:
        for number, row in enumerate(one.rows, 1):
            table += [(one.label, number, name, value) for name, value in _flat(row)]
    return BYTE_ORDER_MARK + lines(table)


async def held_on(session: AsyncSession, who: Somebody) -> list[Held]:
    """All of it, by table; of what nothing is held there is no table."""
    held = []
    for name, label, query in _queries(who):
        rows = [_row(found) for found in (await session.execute(query)).mappings()]
        if rows:
            held.append(Held(name, label, rows))
    return held


def _queries(who: Somebody) -> list[tuple[str, str, Select[Any]]]:
    theirs = or_(Order.customer_id.in_(who.ids), Order.guest_id.in_(who.ids))
    orders = select(Order.id).where(theirs)
    numbers = select(Order.number).where(theirs)
    returns = select(Return.id).where(Return.order_id.in_(orders))
    own_cart = or_(Cart.customer_id.in_(who.ids), Cart.guest_id.in_(who.ids))
    carts = select(Cart.id).where(or_(own_cart, Cart.id.in_(select(Order.cart_id).where(theirs))))
    is_open = own_cart & Cart.completed_at.is_(None)
    open_carts = select(Cart.id).where(is_open)
    collections = select(PaymentCollection.id).where(PaymentCollection.cart_id.in_(carts))
    payments = select(PaymentSession.id).where(PaymentSession.collection_id.in_(collections))
    refunded = Refund.payment_session_id.in_(payments)
    noted = or_(Attention.order_id.in_(orders), Attention.payment_session_id.in_(payments))
    told = or_(
        Mail.about.in_(orders),
        Mail.about.in_(returns),
        Mail.about.in_(select(Invoice.id).where(Invoice.order_id.in_(orders))),
        Mail.about.in_(select(Fulfillment.id).where(Fulfillment.order_id.in_(orders))),
        Mail.about.in_(select(Refund.id).where(refunded)),
        Mail.about == who.email,
    )
    used = or_(PromotionUse.customer_id.in_(who.ids), PromotionUse.buyer == buyer_of(who.email))
    agreed = or_(Consent.customer_id.in_(who.ids), Consent.cart_id.in_(carts))
    changed = or_(
        (AuditEntry.subject_type == Thing.CUSTOMER) & AuditEntry.subject_id.in_(who.ids),
        (AuditEntry.subject_type == Thing.ORDER) & AuditEntry.subject_id.in_(orders),
    )
    consents = (
        select(*_columns(Consent), KeptText.text)
        .outerjoin(KeptText, KeptText.digest == Consent.digest)
        .where(agreed)
    )
    before_and_after = (
        select(AuditEntry.created_at, AuditEntry.action, AuditPersonalValue.before, AuditPersonalValue.after)
        .join(AuditEntry, AuditEntry.id == AuditPersonalValue.entry_id)
        .where(changed)
    )
    groups = (
        select(CustomerGroup.name)
        .join(CustomerGroupMember, CustomerGroupMember.group_id == CustomerGroup.id)
        .where(CustomerGroupMember.customer_id.in_(who.ids))
    )
    own = (
        (Customer, _("Cuenta"), Customer.id.in_(who.ids)),
        (GuestCustomer, _("Cliente sin cuenta"), GuestCustomer.id.in_(who.ids)),
        (Login, _("Forma de entrar"), Login.customer_id.in_(who.ids)),
        (CustomerSession, _("Sesión"), CustomerSession.customer_id.in_(who.ids)),
        (CustomerAddress, _("Libreta de direcciones"), CustomerAddress.customer_id.in_(who.ids)),
        (CustomerPayer, _("Datos para pagar"), CustomerPayer.customer_id.in_(who.ids)),
        (CustomerNote, _("Nota del equipo"), CustomerNote.customer_id.in_(who.ids)),
        (Cart, _("Carrito"), is_open),
        (LineItem, _("Juguete en el carrito"), LineItem.cart_id.in_(open_carts)),
        (Order, _("Pedido"), theirs),
        (OrderLine, _("Juguete de un pedido"), OrderLine.order_id.in_(orders)),
        (OrderNote, _("Nota de un pedido"), OrderNote.order_number.in_(numbers)),
        (PaymentSession, _("Pago"), PaymentSession.collection_id.in_(collections)),
        (Fulfillment, _("Paquete"), Fulfillment.order_id.in_(orders)),
        (Refund, _("Dinero devuelto"), refunded),
        (Return, _("Devolución"), Return.order_id.in_(orders)),
        (Invoice, _("Factura"), Invoice.order_id.in_(orders)),
        (ReturnLine, _("Juguete de una devolución"), ReturnLine.return_id.in_(returns)),
        (ReturnAccount, _("Cuenta para una devolución"), ReturnAccount.return_id.in_(returns)),
        (ReturnFile, _("Archivo de una devolución"), ReturnFile.return_id.in_(returns)),
        (ReturnDraft, _("Devolución que se está escribiendo"), ReturnDraft.order_id.in_(orders)),
        (Review, _("Reseña"), Review.order_id.in_(orders)),
        (Attention, _("Pendiente"), noted),
        (Pqrs, _("PQRS"), Pqrs.email == who.email),
        (StockNotice, _("Aviso de disponibilidad"), StockNotice.email == who.email),
        (PromotionUse, _("Oferta usada"), used),
        (Mail, _("Correo"), told),
    )
    return [
        *((str(model.__tablename__), label, _of(model, whose)) for model, label, whose in own),
        ("customer_group", _("Grupo"), groups),
        ("consent", _("Autorización"), consents),
        ("audit", _("Cambio anotado"), before_and_after),
    ]


def _of(model: type[SQLModel], whose: ColumnElement[bool]) -> Select[Any]:
    return select(*_columns(model)).where(whose)


def _columns(model: type[SQLModel]) -> list[ColumnElement[Any]]:
    return [column for column in table_of(model).columns if column.name not in LEFT_OUT]


def _row(found: Any) -> JsonObject:
    return {
        str(name): value.isoformat() if isinstance(value, datetime) else value
        for name, value in found.items()
    }


def _flat(value: Any, path: str = "") -> list[tuple[str, object]]:
    """The values within, by where they stand; what is empty is left out."""
    if isinstance(value, dict):
        return [
            one
            for name, part in value.items()
            for one in _flat(part, f"{path} · {name}" if path else FIELDS.get(str(name), str(name)))
        ]
    if isinstance(value, list):
        return [one for number, part in enumerate(value, 1) for one in _flat(part, f"{path} · {number}")]
    return [] if value is None or value == "" else [(path, value)]
