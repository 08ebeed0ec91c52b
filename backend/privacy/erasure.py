"""Deleting what the shop holds on somebody (Ley 1581 of 2012, arts. 8 e and 15), but for what other laws keep.

Somebody is an e-mail address, as in `backend.privacy.customer_data`. What is under way is finished first: see
`obstacles`. An order that brought money keeps what its invoice says (`INVOICE_KEPT_FOR`); the proof of a consent stays,
without a name.

Everything is done by statements: what the session wrote of its objects the audit would keep. The people are locked
first, then their carts, then their orders; who begins a purchase locks the guest (`guest_with`) or the customer, and
the cart. So of both at once one sees what the other did.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.models import Attention
from backend.audit import Subject, Thing, forget_personal_values, record
from backend.cart.models import Cart, LineItem, ShippingQuote
from backend.core.db.database import database_now, db_now, locked
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
from backend.customers.search_index import forget_terms
from backend.fulfillment.labels import APPROVED_PRICE
from backend.invoices.models import Invoice
from backend.jobs import cancel
from backend.legal.models import Consent
from backend.mail.models import SEND, Mail
from backend.mail.resend import mails_of_order
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
from backend.payment.checks import CHECK_FOR
from backend.payment.models import PaymentCollection, PaymentNotification, PaymentSession, Refund
from backend.payment.payments import REFUNDED
from backend.payment.states import CHECKED, LIVE, SessionState
from backend.payment.transitions import (
    APPROVED,
    CONTRADICTED,
    DISMISSED,
    EXACT_AMOUNT,
    GIVEN_BACK,
    OF_PURCHASE,
)
from backend.pqrs.models import Pqrs
from backend.privacy.customer_data import Somebody, somebody
from backend.promotions.eligibility import buyer_of
from backend.promotions.models import PromotionUse
from backend.returns.models import Return, ReturnAccount, ReturnDraft, ReturnFile, ReturnLine
from backend.returns.states import OPEN as OPEN_RETURNS
from backend.reviews.moderation import delete_reviews
from backend.staff.rights import Actor, Right
from backend.stock_notices.models import StockNotice

INVOICE_KEPT_FOR = timedelta(days=3653)
"""Ten years: Código de Comercio, art. 60; Ley 962 of 2005, art. 28."""
OF_INVOICE = ("first_name", "last_name", "company", "address_1", "city", "province", "country_code")
OF_PAYMENT = (
    "bank_code",
    "bank_name",
    "reason",
    APPROVED,
    CONTRADICTED,
    DISMISSED,
    EXACT_AMOUNT,
    GIVEN_BACK,
    OF_PURCHASE,
    REFUNDED,
)
"""Of a payment's `data`, what says nothing of a person: its bank, and what its money did."""
OF_PARCEL = (PACKED, UNPACKED, TAKEN_FROM, TAKEN_BACK, APPROVED_PRICE, "carrier", "price")
"""Of a parcel's `data`, what says nothing of a person."""
WITHOUT_MONEY = (PaymentStatus.CANCELED,)


async def obstacles(session: AsyncSession, who: Somebody) -> list[str]:
    """What must be finished before, in words."""
    theirs = or_(Order.customer_id.in_(who.ids), Order.guest_id.in_(who.ids))
    found: list[str] = []
    payments = (
        select(PaymentSession.id)
        .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
        .join(Cart, Cart.id == PaymentCollection.cart_id)
        .where(or_(Cart.customer_id.in_(who.ids), Cart.guest_id.in_(who.ids)))
    )
    waiting = payments.where(
        PaymentSession.state.in_([*(CHECKED | LIVE), SessionState.AUTHORIZED]),
        or_(
            PaymentSession.state != SessionState.CLOSED,
            PaymentSession.created_at > db_now(-CHECK_FOR),  # it is asked about still
        ),
    )
    if (await session.execute(waiting.limit(1))).first() is not None:
        found.append(_("Hay un pago que el banco no ha decidido."))
    owed = payments.join(Attention, Attention.payment_session_id == PaymentSession.id).where(
        Attention.order_id.is_(None), Attention.resolved_at.is_(None)
    )
    if (await session.execute(owed.limit(1))).first() is not None:
        found.append(_("Hay un pago con algo en Por resolver."))
    for order in (await session.execute(select(Order).where(theirs).order_by(Order.number))).scalars():
        if reason := _under_way(order):
            found.append(reason)
    asked = (
        select(Return.number)
        .join(Order, Order.id == Return.order_id)
        .where(theirs, Return.state.in_(OPEN_RETURNS))
    )
    found += [
        _("La devolución {n} no ha terminado.").format(n=number)
        for number in (await session.execute(asked.order_by(Return.number))).scalars()
    ]
    unresolved = (
        select(Order.number)
        .join(Attention, Attention.order_id == Order.id)
        .where(theirs, Attention.resolved_at.is_(None))
    )
    found += [
        _("El pedido {n} tiene algo en Por resolver.").format(n=number)
        for number in (await session.execute(unresolved.distinct().order_by(Order.number))).scalars()
    ]
    unanswered = select(Pqrs.number).where(Pqrs.email == who.email, Pqrs.answered_at.is_(None))
    found += [
        _("La PQRS {n} no tiene respuesta.").format(n=number)
        for number in (await session.execute(unanswered.order_by(Pqrs.number))).scalars()
    ]
    return found


async def erase(session: AsyncSession, actor: Actor, customer_id: str, typed: str) -> None:
    """Delete what is held on whoever this customer or guest is.

    Args:
        actor: who deletes it.
        customer_id: of the customer or guest.
        typed: their e-mail address, typed again.

    Raises:
        NotFound: there is none, or no more.
        InvalidData: it is another address; `fields` says so.
        NotAllowed: something is under way; see `obstacles`.
    """
    actor.require(Right.ERASE_PERSONAL_DATA)
    who = await somebody(session, customer_id)
    for model in (Customer, GuestCustomer):
        await session.execute(locked(select(model.id).where(model.email == who.email)))
    who = await somebody(session, customer_id)  # once more, now that nobody else changes it
    if tidy_email(typed) != who.email:
        raise InvalidData("Another address", fields={"email": _("Escribe el correo tal como está arriba.")})
    of_cart = or_(Cart.customer_id.in_(who.ids), Cart.guest_id.in_(who.ids))
    carts = (await session.execute(locked(select(Cart).where(of_cart).order_by(Cart.id)))).scalars().all()
    theirs = or_(Order.customer_id.in_(who.ids), Order.guest_id.in_(who.ids))
    orders = (
        (await session.execute(locked(select(Order).where(theirs).order_by(Order.number)))).scalars().all()
    )
    if reasons := await obstacles(session, who):
        raise NotAllowed(" ".join(reasons))
    await record(session, actor, "data deleted", Subject(Thing.CUSTOMER, customer_id))
    cart_ids = sorted({*(cart.id for cart in carts), *(order.cart_id for order in orders)})
    await delete_reviews(session, actor, [order.id for order in orders])
    await _erase_orders(session, actor, orders)
    await _strip_payments(session, [cart.id for cart in carts if cart.completed_at is None], None)
    await _erase_carts(session, who, cart_ids)
    await _erase_asked(session, actor, who)
    await _erase_people(session, actor, who)


async def forget_invoices(session: AsyncSession, numbers: Sequence[int]) -> None:
    """Let these orders, whose time is over, lose what their invoices said of people."""
    found = await session.execute(locked(select(Order).where(Order.number.in_(numbers))))
    for order in found.scalars().all():
        await _strip(session, order, keeps_invoice=False)
        said = table_of(Invoice)
        nothing = update(said).where(said.c.order_id == order.id).values(document={}, xml=None, reason="")
        await session.execute(nothing)


def _under_way(order: Order) -> str:
    has_money = order.payment_status in HAS_MONEY
    if order.status == OrderStatus.CANCELED:
        return _("El pedido {n} tiene dinero por devolver.").format(n=order.number) if has_money else ""
    if order.payment_status in (PaymentStatus.AWAITING, PaymentStatus.AUTHORIZED):
        return _("El pedido {n} espera su pago.").format(n=order.number)
    if has_money and order.fulfillment_status != FulfillmentStatus.DELIVERED:
        return _("El pedido {n} no está entregado.").format(n=order.number)
    return ""


async def _erase_orders(session: AsyncSession, actor: Actor, orders: Sequence[Order]) -> None:
    ids, numbers = [order.id for order in orders], [order.number for order in orders]
    returns = select(Return.id).where(Return.order_id.in_(ids))
    for order in orders:
        unsent = [mail.id for mail in await mails_of_order(session, order.id) if mail.sent_at is None]
        await _unsend(session, unsent)
        await _strip(session, order, keeps_invoice=order.payment_status not in WITHOUT_MONEY)
        await forget_personal_values(session, actor, Subject(Thing.ORDER, order.id))
    for statement in (
        delete(OrderNote).where(OrderNote.order_number.in_(numbers)),
        update(OrderLine).where(OrderLine.order_id.in_(ids)).values(meta={}),
        delete(ReturnAccount).where(ReturnAccount.return_id.in_(returns)),
        delete(ReturnFile).where(ReturnFile.return_id.in_(returns)),
        delete(ReturnDraft).where(ReturnDraft.order_id.in_(ids)),
        update(ReturnLine).where(ReturnLine.return_id.in_(returns)).values(note=""),
        update(Return).where(Return.order_id.in_(ids)).values(reason="", denial="", amount_reason=""),
        update(Attention).where(Attention.order_id.in_(ids)).values(note=None),
    ):
        await session.execute(statement.execution_options(synchronize_session=False))
    await _strip_parcels(session, ids)


async def _strip_parcels(session: AsyncSession, order_ids: Sequence[str]) -> None:
    """Leave of the (locked) orders' parcels what is counted: that they left, and with what and from where."""
    parcel = table_of(Fulfillment)
    theirs = select(parcel.c.id, parcel.c.data).where(parcel.c.order_id.in_(order_ids)).order_by(parcel.c.id)
    for row in (await session.execute(locked(theirs))).all():
        kept = {name: row.data[name] for name in OF_PARCEL if name in row.data}
        stripped = update(parcel).where(parcel.c.id == row.id)
        await session.execute(stripped.values(label_pdf=None, label_url=None, data=kept))


async def _strip(session: AsyncSession, order: Order, *, keeps_invoice: bool) -> None:
    """Leave of the (locked) order, and of its payments, what an invoice says of its buyer, or nothing."""
    billing = order.billing_address or order.shipping_address
    kept: JsonObject = {
        "email": order.email if keeps_invoice else "",
        "shipping_address": {},
        "billing_address": {name: billing[name] for name in OF_INVOICE if billing.get(name)}
        if keeps_invoice
        else {},
    }
    payer = order.payer if keeps_invoice else None
    mine = table_of(Order)
    await session.execute(
        update(mine)
        .where(mine.c.number == order.number)
        .values(
            **kept, payer=payer, meta={}, customer_id=None, guest_id=None, locale=None,
            erased_at=order.erased_at or await database_now(session), updated_at=mine.c.updated_at,
        )
    )  # fmt: skip
    await session.refresh(order)
    await index_order(session, order)
    await _strip_payments(
        session,
        [order.cart_id],
        {**kept, "customer_id": None, "guest_id": None, "metadata": {}, "payer": payer or {}},
    )


async def _strip_payments(
    session: AsyncSession, cart_ids: Sequence[str], invoiced: JsonObject | None
) -> None:
    """Leave of the payments of these carts the bank's side, and of what was bought the lines and what is `invoiced`.

    What staff noted of them goes. None: nothing was bought. Of such a payment that is approved all the same, staff are
    told.
    """
    payment, told = table_of(PaymentSession), table_of(PaymentNotification)
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
            "data": {name: row.data[name] for name in OF_PAYMENT if name in row.data},
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
        told.c.session_id.in_(ids),
        told.c.invoice.in_([row.invoice for row in rows]),
        told.c.reference.in_([row.reference for row in rows if row.reference is not None]),
    )
    await session.execute(update(told).where(of_payment).values(fields={}, updated_at=told.c.updated_at))


async def _erase_carts(session: AsyncSession, who: Somebody, cart_ids: Sequence[str]) -> None:
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
    used = or_(use.c.customer_id.in_(who.ids), use.c.buyer == buyer_of(who.email))
    await session.execute(update(use).where(used).values(customer_id=None, buyer=""))
    agreed = table_of(Consent)
    given = or_(agreed.c.customer_id.in_(who.ids), agreed.c.cart_id.in_(cart_ids))
    ended = update(agreed).where(given, agreed.c.withdrawn_at.is_(None))
    await session.execute(ended.values(withdrawn_at=db_now()))


async def _erase_asked(session: AsyncSession, actor: Actor, who: Somebody) -> None:
    """What they asked by a form, and mails that are about their address."""
    pqrs = table_of(Pqrs)
    mine = pqrs.c.email == who.email
    ids = (await session.execute(select(pqrs.c.id).where(mine))).scalars().all()
    nothing = dict.fromkeys(("name", "email", "text", "order_number", "answer"), "")
    await session.execute(update(pqrs).where(mine).values(nothing))
    for pqrs_id in ids:
        await forget_personal_values(session, actor, Subject(Thing.PQRS, pqrs_id))
    await session.execute(delete(StockNotice).where(StockNotice.email == who.email))
    about = or_(
        Mail.about == who.email, Mail.about.endswith(f" {who.email}", autoescape=True), Mail.about.in_(ids)
    )
    await _unsend(session, (await session.execute(select(Mail.id).where(about))).scalars().all())


async def _erase_people(session: AsyncSession, actor: Actor, who: Somebody) -> None:
    for person_id in who.ids:
        await forget_personal_values(session, actor, Subject(Thing.CUSTOMER, person_id))
    await forget_terms(session, who.ids)
    for statement in (
        delete(CustomerNote).where(CustomerNote.customer_id.in_(who.ids)),
        delete(CustomerGroupMember).where(CustomerGroupMember.customer_id.in_(who.ids)),
        delete(Login).where(Login.subject == who.email),
        delete(Customer).where(Customer.id.in_(who.ids)),  # with logins, sessions, addresses and payer
        delete(GuestCustomer).where(GuestCustomer.id.in_(who.ids)),
    ):
        await session.execute(statement.execution_options(synchronize_session=False))


async def _unsend(session: AsyncSession, mail_ids: Sequence[str]) -> None:
    for mail_id in mail_ids:
        await cancel(session, SEND, mail_id)
    await session.execute(delete(table_of(Mail)).where(table_of(Mail).c.id.in_(mail_ids)))
