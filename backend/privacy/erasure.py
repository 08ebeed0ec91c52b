"""Deletion of a person's data (Ley 1581 of 2012, arts. 8 e and 15), except what other laws require to retain.

A person is identified by an e-mail address, as in `backend.privacy.customer_data`. Nothing is deleted while the
person has open business, such as an order in progress: see `find_obstacles`. A paid order retains the data of its
invoice (`INVOICE_RETENTION`); the proof of a consent stays, without a name.

All changes are SQL statements, because the audit log would store the old values of changed ORM objects. The
customers are locked first, then their carts, then their orders. A new purchase locks the guest
(`find_or_create_guest`) or the customer, and the cart. So of two concurrent transactions, the second sees the
result of the first.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.audit import Subject, SubjectType, forget_personal_values, record
from backend.cart.models import Cart, LineItem, ShippingQuote
from backend.core.db.database import database_now, db_now, lock_rows
from backend.core.db.tables import JsonObject, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.contact import tidy_email
from backend.customers.models import (
    Customer,
    CustomerGroupMember,
    CustomerNote,
    GuestCustomer,
    Login,
)
from backend.customers.search_index import delete_terms
from backend.fulfillment.labels import APPROVED_PRICE
from backend.invoices.models import Invoice
from backend.jobs import cancel_job
from backend.legal.models import Consent
from backend.mail.models import SEND, Mail
from backend.mail.resend import list_order_mails
from backend.order_edits.models import OrderEdit
from backend.orders.models import Fulfillment, Order, OrderLine, OrderNote
from backend.orders.search import index_order
from backend.orders.states import (
    HAS_MONEY,
    PACKED,
    TAKEN_BACK,
    TAKEN_FROM,
    UNPACKED,
    FulfillmentStatus,
    OrderStatus,
    PaymentStatus,
)
from backend.payment.checks import CHECK_PERIOD
from backend.payment.models import PaymentCollection, PaymentNotification, PaymentSession, Refund
from backend.payment.payments import REFUNDED_KEY
from backend.payment.states import CHECKED_STATES, LIVE_STATES, SessionState
from backend.payment.transitions import (
    APPROVED,
    CONTRADICTED,
    DISMISSED,
    EXACT_AMOUNT,
    GIVEN_BACK,
    MONEY_DISMISSED,
    OF_PURCHASE,
)
from backend.pqrs.models import Pqrs
from backend.privacy.customer_data import DataSubject, find_data_subject
from backend.promotions.eligibility import hash_customer_email
from backend.promotions.models import PromotionUse
from backend.returns.models import Return, ReturnAccount, ReturnDraft, ReturnFile, ReturnLine
from backend.returns.states import OPEN as OPEN_RETURNS
from backend.reviews.moderation import delete_reviews
from backend.staff.rights import Actor, Right
from backend.stock_notices.models import StockNotice

INVOICE_RETENTION = timedelta(days=3653)
"""Ten years: Código de Comercio, art. 60; Ley 962 of 2005, art. 28."""
INVOICE_FIELDS = ("first_name", "last_name", "company", "address_1", "city", "province", "country_code")
PAYMENT_KEYS = (
    "bank_code",
    "bank_name",
    "reason",
    APPROVED,
    CONTRADICTED,
    DISMISSED,
    EXACT_AMOUNT,
    GIVEN_BACK,
    MONEY_DISMISSED,
    OF_PURCHASE,
    REFUNDED_KEY,
)
"""Keys of a payment's `data` without personal data: the bank, and what happened to the money."""
PARCEL_KEYS = (PACKED, UNPACKED, TAKEN_FROM, TAKEN_BACK, APPROVED_PRICE, "carrier", "price")
"""Keys of a parcel's `data` without personal data."""
WITHOUT_MONEY = (PaymentStatus.CANCELED,)


async def find_obstacles(session: AsyncSession, person: DataSubject) -> list[str]:
    """Return, in words, the reasons why the person's data cannot be deleted yet."""
    own_orders = or_(Order.customer_id.in_(person.ids), Order.guest_id.in_(person.ids))
    found: list[str] = []
    payments = (
        select(PaymentSession.id)
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .join(Cart, Cart.id == PaymentCollection.cart_id)
        .where(or_(Cart.customer_id.in_(person.ids), Cart.guest_id.in_(person.ids)))
    )
    waiting = payments.where(
        PaymentSession.state.in_([*(CHECKED_STATES | LIVE_STATES), SessionState.AUTHORIZED]),
        or_(
            PaymentSession.state != SessionState.CLOSED,
            PaymentSession.created_at > db_now(-CHECK_PERIOD),  # the provider is still being asked about it
        ),
    )
    if (await session.execute(waiting.limit(1))).first() is not None:
        found.append(_("Hay un pago que el banco no ha decidido."))
    owed = payments.join(Attention, Attention.payment_session_id == PaymentSession.id).where(
        Attention.order_id.is_(None), Attention.resolved_at.is_(None)
    )
    if (await session.execute(owed.limit(1))).first() is not None:
        found.append(_("Hay un pago con algo en Por resolver."))
    for order in (await session.execute(select(Order).where(own_orders).order_by(Order.number))).scalars():
        if reason := _describe_open_business(order):
            found.append(reason)
    asked = (
        select(Return.number)
        .join(Order, Order.id == Return.order_id)
        .where(own_orders, Return.state.in_(OPEN_RETURNS))
    )
    found += [
        _("La devolución {n} no ha terminado.").format(n=str(number))
        for number in (await session.execute(asked.order_by(Return.number))).scalars()
    ]
    unresolved = (
        select(Order.number)
        .join(Attention, Attention.order_id == Order.id)
        .where(own_orders, Attention.resolved_at.is_(None))
    )
    found += [
        _("El pedido {n} tiene algo en Por resolver.").format(n=str(number))
        for number in (await session.execute(unresolved.distinct().order_by(Order.number))).scalars()
    ]
    unanswered = select(Pqrs.number).where(Pqrs.email == person.email, Pqrs.answered_at.is_(None))
    found += [
        _("La PQRS {n} no tiene respuesta.").format(n=str(number))
        for number in (await session.execute(unanswered.order_by(Pqrs.number))).scalars()
    ]
    return found


async def erase_person(session: AsyncSession, actor: Actor, customer_id: str, typed: str) -> None:
    """Delete the personal data of this customer or guest.

    Args:
        session: a transaction.
        actor: the staff member who deletes the data.
        customer_id: id of the customer or guest.
        typed: the person's e-mail address, which the staff member typed as a confirmation.

    Raises:
        NotFound: the customer or guest does not exist.
        InvalidData: the typed address is not the person's; `fields` has the error.
        NotAllowed: there is open business; see `find_obstacles`.
    """
    actor.require(Right.ERASE_PERSONAL_DATA)
    person = await find_data_subject(session, customer_id)
    for model in (Customer, GuestCustomer):
        await session.execute(lock_rows(select(model.id).where(model.email == person.email)))
    person = await find_data_subject(session, customer_id)  # read again under the locks
    if tidy_email(typed) != person.email:
        raise InvalidData("Another address", fields={"email": _("Escribe el correo tal como está arriba.")})
    of_cart = or_(Cart.customer_id.in_(person.ids), Cart.guest_id.in_(person.ids))
    carts = (await session.execute(lock_rows(select(Cart).where(of_cart).order_by(Cart.id)))).scalars().all()
    own_orders = or_(Order.customer_id.in_(person.ids), Order.guest_id.in_(person.ids))
    orders = (
        (await session.execute(lock_rows(select(Order).where(own_orders).order_by(Order.number))))
        .scalars()
        .all()
    )
    if reasons := await find_obstacles(session, person):
        raise NotAllowed(" ".join(reasons))
    await record(session, actor, "data deleted", Subject(SubjectType.CUSTOMER, customer_id))
    cart_ids = sorted({*(cart.id for cart in carts), *(order.cart_id for order in orders)})
    await delete_reviews(session, actor, [order.id for order in orders])
    await _erase_orders(session, actor, orders)
    await _strip_payments(session, [cart.id for cart in carts if cart.completed_at is None], None)
    await _erase_carts(session, person, cart_ids)
    await _erase_requests(session, actor, person)
    await _erase_people(session, actor, person)


async def erase_invoices(session: AsyncSession, numbers: Sequence[int]) -> None:
    """Delete the personal data of the orders with these numbers, and of their invoices and payments.

    The retention time of the invoices has ended.
    """
    found = await session.execute(lock_rows(select(Order).where(Order.number.in_(numbers))))
    for order in found.scalars().all():
        await _strip_order(session, order, retains_invoice=False)
        invoice = table_of(Invoice)
        nothing = (
            update(invoice).where(invoice.c.order_id == order.id).values(document={}, xml=None, reason="")
        )
        await session.execute(nothing)


def _describe_open_business(order: Order) -> str:
    has_money = order.payment_status in HAS_MONEY
    if order.status == OrderStatus.CANCELED:
        return _("El pedido {n} tiene dinero por devolver.").format(n=str(order.number)) if has_money else ""
    if order.payment_status in (PaymentStatus.AWAITING, PaymentStatus.AUTHORIZED):
        return _("El pedido {n} espera su pago.").format(n=str(order.number))
    if has_money and order.fulfillment_status != FulfillmentStatus.DELIVERED:
        return _("El pedido {n} no está entregado.").format(n=str(order.number))
    return ""


async def _erase_orders(session: AsyncSession, actor: Actor, orders: Sequence[Order]) -> None:
    ids, numbers = [order.id for order in orders], [order.number for order in orders]
    returns = select(Return.id).where(Return.order_id.in_(ids))
    for order in orders:
        unsent = [mail.id for mail in await list_order_mails(session, order.id) if mail.sent_at is None]
        await _cancel_mails(session, unsent)
        await _strip_order(session, order, retains_invoice=order.payment_status not in WITHOUT_MONEY)
        await forget_personal_values(session, actor, Subject(SubjectType.ORDER, order.id))
    for statement in (
        delete(OrderNote).where(OrderNote.order_number.in_(numbers)),
        update(OrderLine).where(OrderLine.order_id.in_(ids)).values(meta={}),
        delete(ReturnAccount).where(ReturnAccount.return_id.in_(returns)),
        delete(ReturnFile).where(ReturnFile.return_id.in_(returns)),
        delete(ReturnDraft).where(ReturnDraft.order_id.in_(ids)),
        update(OrderEdit).where(OrderEdit.order_id.in_(ids)).values(reason=""),
        update(ReturnLine).where(ReturnLine.return_id.in_(returns)).values(note=""),
        update(Return).where(Return.order_id.in_(ids)).values(reason="", denial="", amount_reason=""),
        update(Attention).where(Attention.order_id.in_(ids)).values(note=None),
    ):
        await session.execute(statement.execution_options(synchronize_session=False))
    await strip_parcels(session, ids)


async def strip_parcels(session: AsyncSession, order_ids: Sequence[str]) -> None:
    """Delete the personal data in the fulfillments of these (locked) orders, including the files of the labels.

    Their state, their items and the place from which they were sent remain.
    """
    parcel = table_of(Fulfillment)
    own_orders = (
        select(parcel.c.id, parcel.c.data).where(parcel.c.order_id.in_(order_ids)).order_by(parcel.c.id)
    )
    for row in (await session.execute(lock_rows(own_orders))).all():
        retained = {name: row.data[name] for name in PARCEL_KEYS if name in row.data}
        stripped = update(parcel).where(parcel.c.id == row.id)
        await session.execute(stripped.values(label_pdf=None, label_url=None, data=retained))


async def _strip_order(session: AsyncSession, order: Order, *, retains_invoice: bool) -> None:
    """Delete the personal data of the locked order and its payments.

    With `retains_invoice`, retain the data of the invoice.
    """
    billing = order.billing_address or order.shipping_address
    retained: JsonObject = {
        "email": order.email if retains_invoice else "",
        "shipping_address": {},
        "billing_address": {name: billing[name] for name in INVOICE_FIELDS if billing.get(name)}
        if retains_invoice
        else {},
    }
    payer = order.payer if retains_invoice else None
    mine = table_of(Order)
    await session.execute(
        update(mine)
        .where(mine.c.number == order.number)
        .values(
            **retained, payer=payer, meta={}, customer_id=None, guest_id=None, locale=None,
            erased_at=order.erased_at or await database_now(session), updated_at=mine.c.updated_at,
        )
    )  # fmt: skip
    await session.refresh(order)
    await index_order(session, order)
    await _strip_payments(
        session,
        [order.cart_id],
        {**retained, "customer_id": None, "guest_id": None, "metadata": {}, "payer": payer or {}},
    )


async def _strip_payments(
    session: AsyncSession, cart_ids: Sequence[str], invoiced: JsonObject | None
) -> None:
    """Delete the personal data of these carts' payments. Retain the bank's data.

    The payments' snapshots retain the bought lines, and get the invoice data `invoiced`. If it is None, as for carts
    without an order, the snapshots are emptied; if the bank still approves such a payment, the shop opens an
    attention row. Notes of staff are deleted.
    """
    payment, notification = table_of(PaymentSession), table_of(PaymentNotification)
    collections = select(PaymentCollection.id).where(PaymentCollection.cart_id.in_(cart_ids))
    rows = (
        await session.execute(
            select(
                payment.c.id, payment.c.invoice, payment.c.reference, payment.c.data, payment.c.snapshot
            ).where(payment.c.collection_id.in_(collections))
        )
    ).all()
    for row in rows:
        lines = [{**line, "meta": {}} for line in row.snapshot.get("lines", [])]
        values: dict[str, Any] = {
            "data": {name: row.data[name] for name in PAYMENT_KEYS if name in row.data},
            "snapshot": {**row.snapshot, "lines": lines, **invoiced} if row.snapshot and invoiced else {},
            **dict.fromkeys(("client_address", "client_device", "client_email", "client_phone")),
            "updated_at": payment.c.updated_at,
        }
        await session.execute(update(payment).where(payment.c.id == row.id).values(values))
    ids = [row.id for row in rows]
    for model in (Refund, Attention):
        noted = update(model).where(model.payment_session_id.in_(ids)).values(note=None)
        await session.execute(noted.execution_options(synchronize_session=False))
    of_payment = or_(
        notification.c.session_id.in_(ids),
        notification.c.invoice.in_([row.invoice for row in rows]),
        notification.c.reference.in_([row.reference for row in rows if row.reference is not None]),
    )
    await session.execute(
        update(notification).where(of_payment).values(fields={}, updated_at=notification.c.updated_at)
    )


async def _erase_carts(session: AsyncSession, person: DataSubject, cart_ids: Sequence[str]) -> None:
    cart, line, use = table_of(Cart), table_of(LineItem), table_of(PromotionUse)
    nothing: dict[str, Any] = {
        "email": None,
        "shipping_address": None,
        "billing_address": None,
        "draft": {},
        "meta": {},
    }
    await session.execute(
        update(cart)
        .where(cart.c.id.in_(cart_ids))
        .values(**nothing, customer_id=None, guest_id=None, updated_at=cart.c.updated_at)
    )
    typed = update(line).where(line.c.cart_id.in_(cart_ids))
    await session.execute(typed.values(meta={}, updated_at=line.c.updated_at))
    await session.execute(delete(ShippingQuote).where(ShippingQuote.cart_id.in_(cart_ids)))
    used = or_(use.c.customer_id.in_(person.ids), use.c.buyer == hash_customer_email(person.email))
    await session.execute(update(use).where(used).values(customer_id=None, buyer=""))
    agreed = table_of(Consent)
    given = or_(agreed.c.customer_id.in_(person.ids), agreed.c.cart_id.in_(cart_ids))
    ended = update(agreed).where(given, agreed.c.withdrawn_at.is_(None))
    await session.execute(ended.values(withdrawn_at=db_now()))


async def _erase_requests(session: AsyncSession, actor: Actor, person: DataSubject) -> None:
    """Delete the person's PQRS data, stock notices, and mails to their address."""
    pqrs = table_of(Pqrs)
    mine = pqrs.c.email == person.email
    ids = (await session.execute(select(pqrs.c.id).where(mine))).scalars().all()
    nothing = dict.fromkeys(("name", "email", "text", "order_number", "answer"), "")
    await session.execute(update(pqrs).where(mine).values(nothing))
    for pqrs_id in ids:
        await forget_personal_values(session, actor, Subject(SubjectType.PQRS, pqrs_id))
    await session.execute(delete(StockNotice).where(StockNotice.email == person.email))
    about = or_(
        Mail.about == person.email,
        Mail.about.endswith(f" {person.email}", autoescape=True),
        Mail.about.in_(ids),
    )
    await _cancel_mails(session, (await session.execute(select(Mail.id).where(about))).scalars().all())


async def _erase_people(session: AsyncSession, actor: Actor, person: DataSubject) -> None:
    for person_id in person.ids:
        await forget_personal_values(session, actor, Subject(SubjectType.CUSTOMER, person_id))
    await delete_terms(session, person.ids)
    for statement in (
        delete(CustomerNote).where(CustomerNote.customer_id.in_(person.ids)),
        delete(CustomerGroupMember).where(CustomerGroupMember.customer_id.in_(person.ids)),
        delete(Login).where(Login.subject == person.email),
        delete(Customer).where(
            Customer.id.in_(person.ids)
        ),  # cascades to logins, sessions, addresses, payer and wishlist
        delete(GuestCustomer).where(GuestCustomer.id.in_(person.ids)),
    ):
        await session.execute(statement.execution_options(synchronize_session=False))


async def _cancel_mails(session: AsyncSession, mail_ids: Sequence[str]) -> None:
    for mail_id in mail_ids:
        await cancel_job(session, SEND, mail_id)
    await session.execute(delete(table_of(Mail)).where(table_of(Mail).c.id.in_(mail_ids)))
