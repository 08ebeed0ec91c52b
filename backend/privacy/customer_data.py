"""Export of all personal data of a person, as the law requires (Ley 1581 of 2012, arts. 8 a and 14).

A person is identified by an e-mail address: the account and the guest with this address, and their data. The export
omits columns that contain no personal data or that would give access to an account or order: costs, hashes, label
files, and the snapshot of the payment, which only repeats other data.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.attention.models import Attention
from backend.audit import AuditEntry, AuditPersonalValue, Subject, SubjectType, record
from backend.cart.models import Cart, LineItem
from backend.cart_reminders.models import CartReminder
from backend.catalog.models import Product
from backend.core.db.database import database_now
from backend.core.db.tables import JsonObject, table_of
from backend.core.spreadsheet import format_csv_for_people
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
from backend.exchanges.models import Exchange
from backend.invoices.models import Invoice
from backend.legal.models import AgreedText, Consent
from backend.mail.models import Mail
from backend.order_edits.models import OrderEdit, OrderEditAction
from backend.orders.models import Fulfillment, Order, OrderLine, OrderNote
from backend.payment.models import PaymentCollection, PaymentSession, Refund
from backend.pqrs.models import Pqrs
from backend.privacy.customer_table import COLUMNS, build_row_cells
from backend.promotions.eligibility import hash_customer_email
from backend.promotions.models import PromotionUse
from backend.returns.models import Return, ReturnAccount, ReturnDraft, ReturnFile, ReturnLine
from backend.reviews.models import Review
from backend.staff.rights import Actor, Right
from backend.stock_notices.models import StockNotice
from backend.wishlist.models import WishlistEntry

LEFT_OUT = frozenset({
    "content", "label_pdf", "password_hash", "snapshot", "token_epoch", "token_hash", "unit_cost", "xml",
})  # fmt: skip


class Format(StrEnum):
    """Format of the file: a table for people, or JSON for programs."""

    CSV = "csv"
    JSON = "json"


MEDIA_TYPES = {Format.CSV: "text/csv; charset=utf-8", Format.JSON: "application/json"}


@dataclass(frozen=True, slots=True)
class DataSubject:
    """The person whose data are exported or deleted: their e-mail address, and the ids of their account and guest."""

    email: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Rows of one table with the person's data, with the table's technical name and its label.

    Times have a time zone.
    """

    name: str
    label: str
    rows: list[dict[str, Any]]


async def find_data_subject(session: AsyncSession, customer_id: str) -> DataSubject:
    """Return the person to whom this customer or guest belongs.

    Raises:
        NotFound: the customer or guest does not exist.
    """
    email = (await find_person(session, customer_id)).email
    ids: list[str] = []
    for model in (Customer, GuestCustomer):
        ids += (await session.execute(select(model.id).where(model.email == email))).scalars()
    return DataSubject(email, tuple(ids))


async def customer_file(session: AsyncSession, actor: Actor, customer_id: str, kind: Format) -> str:
    """Return the content of the file with the person's data, and record the export in the audit log.

    Args:
        session: a transaction.
        actor: the staff member who exports the data.
        customer_id: id of the customer or guest.
        kind: format of the file. In a table, no cell is a formula.

    Raises:
        NotFound: the customer or guest does not exist.
    """
    actor.require(Right.EXPORT_PERSONAL_DATA)
    person = await find_data_subject(session, customer_id)
    held = await read_held_data(session, person)
    await record(
        session, actor, "data exported", Subject(SubjectType.CUSTOMER, customer_id), {"format": ("", kind)}
    )
    if kind is Format.JSON:
        body: JsonObject = {
            "email": person.email,
            "exported_at": (await database_now(session)).isoformat(),
            "held": {one.name: one.rows for one in held},
        }
        return json.dumps(body, ensure_ascii=False, indent=2, default=_format_json)
    table: list[Sequence[object]] = [COLUMNS]
    for one in held:
        for number, row in enumerate(one.rows, 1):
            table += [(one.label, number, *cells) for cells in build_row_cells(one.name, row)]
    return format_csv_for_people(table, is_beginning=True)


async def read_held_data(session: AsyncSession, person: DataSubject) -> list[HeldRows]:
    """Return all rows with the person's data, by table. Tables without such rows are left out."""
    held = []
    for name, label, query in build_queries(person):
        rows = [dict(found) for found in (await session.execute(query)).mappings()]
        if rows:
            held.append(HeldRows(name, label, rows))
    return held


def build_queries(person: DataSubject) -> list[tuple[str, str, Select[Any]]]:
    """Return the name, label and query of each table with data of the person."""
    own_orders = or_(Order.customer_id.in_(person.ids), Order.guest_id.in_(person.ids))
    orders = select(Order.id).where(own_orders)
    numbers = select(Order.number).where(own_orders)
    returns = select(Return.id).where(Return.order_id.in_(orders))
    own_cart = or_(Cart.customer_id.in_(person.ids), Cart.guest_id.in_(person.ids))
    carts = select(Cart.id).where(or_(own_cart, Cart.id.in_(select(Order.cart_id).where(own_orders))))
    is_open = own_cart & Cart.completed_at.is_(None)
    open_carts = select(Cart.id).where(is_open)
    collections = select(PaymentCollection.id).where(PaymentCollection.cart_id.in_(carts))
    payments = select(PaymentSession.id).where(PaymentSession.collection_id.in_(collections))
    refunded = Refund.payment_session_id.in_(payments)
    noted = or_(Attention.order_id.in_(orders), Attention.payment_session_id.in_(payments))
    about_person = or_(
        Mail.about.in_(orders),
        Mail.about.in_(returns),
        Mail.about.in_(select(Invoice.id).where(Invoice.order_id.in_(orders))),
        Mail.about.in_(select(Fulfillment.id).where(Fulfillment.order_id.in_(orders))),
        Mail.about.in_(select(Refund.id).where(refunded)),
        Mail.about.in_(select(CartReminder.id).where(CartReminder.customer_id.in_(person.ids))),
        Mail.about == person.email,
        Mail.about.endswith(f" {person.email}", autoescape=True),
    )
    used = or_(
        PromotionUse.customer_id.in_(person.ids), PromotionUse.buyer == hash_customer_email(person.email)
    )
    agreed = or_(Consent.customer_id.in_(person.ids), Consent.cart_id.in_(carts))
    changed = or_(
        (AuditEntry.subject_type == SubjectType.CUSTOMER) & AuditEntry.subject_id.in_(person.ids),
        (AuditEntry.subject_type == SubjectType.ORDER) & AuditEntry.subject_id.in_(orders),
    )
    consents = (
        select(*_columns(Consent), AgreedText.text)
        .outerjoin(AgreedText, AgreedText.digest == Consent.digest)
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
        .where(CustomerGroupMember.customer_id.in_(person.ids))
    )
    edits = select(OrderEdit.id).where(OrderEdit.order_id.in_(orders))
    wishes = (
        select(Product.title, WishlistEntry.is_saved, WishlistEntry.changed_at)
        .join(WishlistEntry, WishlistEntry.product_id == Product.id)
        .where(WishlistEntry.customer_id.in_(person.ids))
    )
    own = (
        (Customer, _("Cuenta"), Customer.id.in_(person.ids)),
        (GuestCustomer, _("Cliente sin cuenta"), GuestCustomer.id.in_(person.ids)),
        (Login, _("Forma de entrar"), Login.customer_id.in_(person.ids)),
        (CustomerSession, _("Sesión"), CustomerSession.customer_id.in_(person.ids)),
        (CustomerAddress, _("Libreta de direcciones"), CustomerAddress.customer_id.in_(person.ids)),
        (CustomerPayer, _("Datos para pagar"), CustomerPayer.customer_id.in_(person.ids)),
        (CustomerNote, _("Nota del equipo"), CustomerNote.customer_id.in_(person.ids)),
        (Cart, _("Carrito"), is_open),
        (LineItem, _("Producto en el carrito"), LineItem.cart_id.in_(open_carts)),
        (CartReminder, _("Recordatorio del carrito"), CartReminder.customer_id.in_(person.ids)),
        (Order, _("Pedido"), own_orders),
        (OrderLine, _("Producto de un pedido"), OrderLine.order_id.in_(orders)),
        (OrderNote, _("Nota de un pedido"), OrderNote.order_number.in_(numbers)),
        (PaymentSession, _("Pago"), PaymentSession.collection_id.in_(collections)),
        (Fulfillment, _("Paquete"), Fulfillment.order_id.in_(orders)),
        (Refund, _("Dinero devuelto"), refunded),
        (Return, _("Devolución"), Return.order_id.in_(orders)),
        (Invoice, _("Factura"), Invoice.order_id.in_(orders)),
        (ReturnLine, _("Producto de una devolución"), ReturnLine.return_id.in_(returns)),
        (ReturnAccount, _("Cuenta para una devolución"), ReturnAccount.return_id.in_(returns)),
        (ReturnFile, _("Archivo de una devolución"), ReturnFile.return_id.in_(returns)),
        (ReturnDraft, _("Devolución que se está escribiendo"), ReturnDraft.order_id.in_(orders)),
        (OrderEdit, _("Cambio de un pedido"), OrderEdit.order_id.in_(orders)),
        (OrderEditAction, _("Producto de un cambio"), OrderEditAction.edit_id.in_(edits)),
        (Exchange, _("Cambio por otros productos"), Exchange.order_id.in_(orders)),
        (Review, _("Reseña"), Review.order_id.in_(orders)),
        (Attention, _("Pendiente"), noted),
        (Pqrs, _("PQRS"), Pqrs.email == person.email),
        (StockNotice, _("Aviso de disponibilidad"), StockNotice.email == person.email),
        (PromotionUse, _("Oferta usada"), used),
        (Mail, _("Correo"), about_person),
    )
    return [
        *((str(model.__tablename__), label, _select(model, whose)) for model, label, whose in own),
        ("customer_group", _("Grupo"), groups),
        ("wishlist_entry", _("Favorito"), wishes),
        ("consent", _("Autorización"), consents),
        ("audit", _("Cambio anotado"), before_and_after),
    ]


def _select(model: type[SQLModel], whose: ColumnElement[bool]) -> Select[Any]:
    return select(*_columns(model)).where(whose)


def _columns(model: type[SQLModel]) -> list[ColumnElement[Any]]:
    return [column for column in table_of(model).columns if column.name not in LEFT_OUT]


def _format_json(value: date | datetime) -> str:
    """Return a day or a time in ISO 8601, for `json.dumps`."""
    return value.isoformat()
