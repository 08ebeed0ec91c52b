"""What happened with an order, in its order: what the buyer did, the bank, the staff, the carrier, and the mails."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry, Thing
from backend.core.dates import short_time_label
from backend.core.money import format_cop, format_exact
from backend.core.texts import _
from backend.mail.models import Mail, MailKind
from backend.mail.resend import mails_of_order
from backend.orders.models import Fulfillment, Order, OrderNote
from backend.payment.models import PaymentSession
from backend.payment.states import SessionState
from backend.payment.transitions import captured_exactly
from backend.staff.actor_names import names_within

MOST_ENTRIES = 200
DONE = {
    "packed": _("Empacado, con su guía"),
    "unpacked": _("Desempacado"),
    "label requested": _("Guía pedida"),
    "label canceled": _("Guía anulada"),
    "shipped": _("Enviado"),
    "delivered": _("Entregado"),
    "canceled": _("Cancelado"),
    "refunded": _("Devolución anotada"),
    "return opened": _("Devolución abierta"),
    "return received": _("Devolución recibida"),
    "return approved": _("Devolución aprobada"),
    "return denied": _("Devolución negada"),
    "return paid": _("Devolución pagada"),
    "return account changed": _("Cuenta para la devolución cambiada"),
    "return receipt added": _("Comprobante de la devolución guardado"),
    "address corrected": _("Dirección corregida"),
    "mail sent again": _("Correo enviado otra vez"),
}
"""What the staff did, by the audit's word for it. What is not here is shown elsewhere, or by that word."""
ELSEWHERE = frozenset({"noted", "return written"})
PAID: dict[str, tuple[str, str]] = {
    SessionState.CAPTURED: (_("El banco aprobó el pago"), "good"),
    SessionState.AUTHORIZED: (_("Pago por confirmar"), "wait"),
    SessionState.REJECTED: (_("El banco rechazó el pago"), "bad"),
    SessionState.EXPIRED: (_("El pago venció sin respuesta"), "plain"),
    SessionState.CANCELED: (_("El pago se canceló"), "plain"),
    SessionState.FAILED: (_("El pago no se pudo empezar"), "bad"),
    SessionState.HELD: (_("El banco tiene el pago en revisión"), "wait"),
    SessionState.CLOSED: (_("Dejamos de esperar al banco"), "plain"),
}
MAILS: dict[str, str] = {
    MailKind.ORDER_PLACED: _("Recibimos tu pedido"),
    MailKind.ORDER_PAID: _("Tu pago está confirmado"),
    MailKind.ORDER_LOST: _("El pago no pasó"),
    MailKind.ORDER_UNCONFIRMED: _("El banco no confirmó a tiempo"),
    MailKind.ORDER_SHIPPED: _("Tu pedido va en camino"),
    MailKind.REFUNDED: _("Te devolvimos el dinero"),
    MailKind.RETURN_REQUESTED: _("Recibimos tu solicitud de devolución"),
    MailKind.RETURN_RECEIVED: _("Recibimos los juguetes que devolviste"),
    MailKind.RETURN_APPROVED: _("Te vamos a devolver el dinero"),
    MailKind.RETURN_DENIED: _("Tu devolución no procede"),
    MailKind.INVOICE_ISSUED: _("Aquí está tu factura"),
}
"""What a mail to the buyer says, in a few words."""


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that happened.

    Attributes:
        by: who of the staff did it; empty for anybody else.
        text: of a note, what it says; of another event, more of it.
        tone: as chips of the office have it, or `note`.
    """

    id: str
    title: str
    when: str
    by: str
    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class MailView:
    """A mail to the buyer."""

    id: str
    title: str
    sent_label: str
    """When it left; empty while it has not."""


async def timeline(
    session: AsyncSession,
    order: Order,
    payments: Sequence[PaymentSession],
    fulfillments: Sequence[Fulfillment],
) -> list[EventView]:
    """What happened with the order, the newest first. Whoever shows it has checked the right to see orders."""
    entries = await _entries(session, order.id)
    notes = select(OrderNote).where(OrderNote.order_number == order.number).order_by(OrderNote.id)
    noted = (await session.execute(notes.limit(MOST_ENTRIES))).scalars().all()
    names = await names_within(
        session, [*(one.actor_id for one in entries), *(one.created_by for one in noted)]
    )
    events: list[tuple[datetime, EventView]] = [
        (order.created_at, _event("placed", _("Pedido hecho"), order.created_at))
    ]
    for payment in payments:
        known = PAID.get(payment.state)
        if known is not None:
            moment = payment.captured_at or payment.updated_at
            is_taken = payment.captured_amount is not None
            detail = format_exact(captured_exactly(payment)) if is_taken else format_cop(payment.amount)
            events.append((moment, _event(payment.id, known[0], moment, text=detail, tone=known[1])))
    for entry in entries:
        if entry.action in ELSEWHERE:
            continue
        title = DONE.get(entry.action, entry.action)
        by = names.get(entry.actor_id, "")
        events.append((entry.created_at, _event(entry.id, title, entry.created_at, by=by)))
    for note in noted:
        by = names.get(note.created_by, "")
        shown = _event(note.id, _("Nota"), note.created_at, by=by, text=note.text, tone="note")
        events.append((note.created_at, shown))
    for fulfillment in fulfillments:
        # what the carrier told has no entry of the audit
        told = any(entry.action == "delivered" for entry in entries)
        if fulfillment.delivered_at is not None and not told:
            moment = fulfillment.delivered_at
            events.append((moment, _event(fulfillment.id, _("Entregado"), moment, tone="good")))
    events.sort(key=lambda one: one[0], reverse=True)
    return [event for _moment, event in events]


async def who_last(session: AsyncSession, order_id: str, actions: Sequence[str]) -> str:
    """Who of the staff did one of these things to the order last, and when, in words; empty where nobody did."""
    query = (
        select(AuditEntry)
        .where(
            AuditEntry.subject_type == Thing.ORDER,
            AuditEntry.subject_id == order_id,
            AuditEntry.action.in_(actions),
        )
        .order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
        .limit(1)
    )
    entry = (await session.execute(query)).scalar_one_or_none()
    if entry is None:
        return ""
    name = (await names_within(session, [entry.actor_id])).get(entry.actor_id, "")
    when = short_time_label(entry.created_at)
    return _("Lo hizo {name}: {when}").format(name=name, when=when) if name else ""


async def order_mails(session: AsyncSession, order_id: str) -> list[MailView]:
    """The mails to the order's buyer, the oldest first."""
    return [_mail(mail) for mail in await mails_of_order(session, order_id) if mail.kind in MAILS]


async def _entries(session: AsyncSession, order_id: str) -> Sequence[AuditEntry]:
    query = (
        select(AuditEntry)
        .where(AuditEntry.subject_type == Thing.ORDER, AuditEntry.subject_id == order_id)
        .order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
        .limit(MOST_ENTRIES)
    )
    return (await session.execute(query)).scalars().all()


def _event(
    event_id: str, title: str, moment: datetime, *, by: str = "", text: str = "", tone: str = "plain"
) -> EventView:
    return EventView(event_id, title, short_time_label(moment), by, text, tone)


def _mail(mail: Mail) -> MailView:
    return MailView(mail.id, MAILS[mail.kind], short_time_label(mail.sent_at) if mail.sent_at else "")
