"""The timeline of an order: actions of the customer, the bank, the staff and the carrier, and the sent mails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry, SubjectType
from backend.core.dates import short_time_label
from backend.core.money import format_cop, format_exact
from backend.core.texts import _
from backend.mail.models import Mail, MailKind
from backend.mail.resend import list_order_mails
from backend.order_edits.changes import describe_change
from backend.order_edits.models import EditStatus, OrderEdit
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.models import Fulfillment, Order, OrderNote
from backend.orders.money.refunds import REVERSED
from backend.payment.manual_methods import EXCHANGE_CREDIT, METHOD_NAMES, ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.payments import has_unaccepted_money, has_unused_money, list_refunds
from backend.payment.states import SessionState
from backend.payment.transitions import PAID_BY_EXCHANGE, get_exact_captured_amount
from backend.staff.actor_names import short_actor_names

MAX_ENTRIES = 200
ACTION_LABELS = {
    "packed": _("Empacado, con su guía"),
    "unpacked": _("Desempacado"),
    "label requested": _("Guía pedida"),
    "label canceled": _("Guía anulada"),
    "shipped": _("Enviado"),
    "delivered": _("Entregado"),
    "canceled": _("Cancelado"),
    "order edited": _("Pedido cambiado"),
    "difference received": _("Diferencia recibida"),
    "exchanged": _("Cambio hecho"),
    "sold in exchange": _("Pedido hecho por un cambio"),
    "exchange canceled": _("Cambio cancelado"),
    "return opened": _("Devolución abierta"),
    "return received": _("Devolución recibida"),
    "return approved": _("Devolución aprobada"),
    "return denied": _("Devolución negada"),
    "return paid": _("Devolución pagada"),
    "return account changed": _("Cuenta para la devolución cambiada"),
    "return receipt added": _("Comprobante de la devolución guardado"),
    "address corrected": _("Dirección corregida"),
    "mail sent again": _("Correo enviado otra vez"),
    "invoice requested": _("Factura pedida"),
    "invoice tried again": _("Factura reintentada"),
    "invoiced elsewhere": _("Facturado por fuera de la tienda"),
    "resolved": _("Pendiente resuelto"),
    "sold": _("Vendido por el equipo"),
    "converted": _("Hecho de una venta por cobrar"),
    "personal values deleted": _("Datos personales borrados"),
}
"""Labels of staff actions by audit action. The actions in `HIDDEN_ACTIONS` have no label: the timeline omits them."""
_PACKING_ACTIONS = {
    "packed": _("Empacado"),
    "label requested": _("Empezó a empacarse"),
    "label canceled": _("Desempacado"),
}
ACTION_LABELS_BY_KIND: Mapping[DeliveryKind, Mapping[str, str]] = {
    DeliveryKind.CARRIER: ACTION_LABELS,
    DeliveryKind.OWN: {**ACTION_LABELS, **_PACKING_ACTIONS, "shipped": _("Salió a entregar")},
    DeliveryKind.PICKUP: {
        **ACTION_LABELS,
        **_PACKING_ACTIONS,
        "packed": _("Listo para recoger"),
        "shipped": _("Listo para recoger"),
        "delivered": _("Recogido"),
        "address corrected": _("Datos corregidos"),
    },
}
"""`ACTION_LABELS`, by how the order reaches its customer."""
HIDDEN_ACTIONS = frozenset(
    {
        "exchange written",
        "noted",
        "order edit canceled",
        "order edit written",
        "packing canceled",
        "packing requested",
        "refunded",
        "return written",
        "shipping priced",
    }
)
"""Actions that the timeline omits. Refunds have separate events with their amounts."""
PACKED_ACTIONS = ("packed", "label requested", "packing requested")
"""Actions of the staff member who packs an order."""
PAYMENT_EVENTS: dict[str, tuple[str, str]] = {
    SessionState.CAPTURED: (_("El banco aprobó el pago"), "good"),
    SessionState.AUTHORIZED: (_("Pago por confirmar"), "wait"),
    SessionState.REJECTED: (_("El banco rechazó el pago"), "bad"),
    SessionState.EXPIRED: (_("El pago venció sin respuesta"), "plain"),
    SessionState.CANCELED: (_("El pago se canceló"), "plain"),
    SessionState.FAILED: (_("El pago no se pudo empezar"), "bad"),
    SessionState.HELD: (_("El banco tiene el pago en revisión"), "wait"),
    SessionState.CLOSED: (_("Dejamos de esperar al banco"), "plain"),
}
_APPROVED = (_("El banco aprobó un pago que no se ha aceptado"), "wait")
"""Title and tone of a payment that a provider approved and nobody has accepted."""
_DISMISSED = (_("El banco aprobó un pago que no se aceptó"), "plain")
"""Title and tone of a payment that a provider approved and whose money staff have dismissed."""
MAIL_LABELS: dict[str, str] = {
    MailKind.ORDER_PLACED: _("Recibimos tu pedido"),
    MailKind.ORDER_PAID: _("Tu pago está confirmado"),
    MailKind.ORDER_LOST: _("El pago no pasó"),
    MailKind.ORDER_UNCONFIRMED: _("El banco no confirmó a tiempo"),
    MailKind.ORDER_SHIPPED: _("Tu pedido va en camino"),
    MailKind.ORDER_EDITED: _("Cambiamos tu pedido"),
    MailKind.REFUNDED: _("Te devolvimos el dinero"),
    MailKind.RETURN_REQUESTED: _("Recibimos tu solicitud de devolución"),
    MailKind.RETURN_RECEIVED: _("Recibimos los productos que devolviste"),
    MailKind.RETURN_APPROVED: _("Te vamos a devolver el dinero"),
    MailKind.RETURN_DENIED: _("Tu devolución no procede"),
    MailKind.INVOICE_ISSUED: _("Aquí está tu factura"),
}
"""Labels of the mails to the customer, by kind."""


@dataclass(frozen=True, slots=True)
class EventView:
    """An event of the timeline.

    Attributes:
        actor_name: the staff member who acted; empty for other actors.
        text: the text of a note, or the details of another event.
        tone: the colour of the event's chip, or `note`.
    """

    id: str
    title: str
    when: str
    actor_name: str
    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class MailView:
    """A mail to the customer."""

    id: str
    title: str
    sent_label: str
    """Time at which it was sent, in words; empty if it was not sent yet."""


async def read_timeline(
    session: AsyncSession,
    order: Order,
    payments: Sequence[PaymentSession],
    fulfillments: Sequence[Fulfillment],
    kind: DeliveryKind,
) -> list[EventView]:
    """Return the events of the order, the newest first. The caller must check the right to see orders."""
    entries = await _read_entries(session, order.id)
    notes = select(OrderNote).where(OrderNote.order_number == order.number).order_by(OrderNote.id)
    noted = (await session.execute(notes.limit(MAX_ENTRIES))).scalars().all()
    refunds = await list_refunds(session, [payment.id for payment in payments])
    names = await short_actor_names(
        session,
        [
            *(one.actor_id for one in entries),
            *(one.created_by for one in noted),
            *(one.created_by for one in refunds),
        ],
    )
    events: list[tuple[datetime, EventView]] = [
        (order.created_at, _event_view("placed", _("Pedido hecho"), order.created_at))
    ]
    labels = ACTION_LABELS_BY_KIND[kind]
    events += [event for payment in payments if (event := _describe_payment(payment)) is not None]
    events += _describe_refunds(refunds, names)
    edits = await _describe_edits(session, order.id)
    for entry in entries:  # newest first, as in `edits`
        if entry.action in HIDDEN_ACTIONS:
            continue
        title = labels.get(entry.action, _("Otro cambio"))
        by = names.get(entry.actor_id, "")
        text = next(edits, "") if entry.action == "order edited" else ""
        events.append((entry.created_at, _event_view(entry.id, title, entry.created_at, by=by, text=text)))
    for note in noted:
        by = names.get(note.created_by, "")
        shown = _event_view(note.id, _("Nota"), note.created_at, by=by, text=note.text, tone="note")
        events.append((note.created_at, shown))
    # a delivery that the carrier reported has no audit entry
    recorded = {
        change.get("on") for entry in entries if entry.action == "delivered" for change in entry.changes
    }
    for fulfillment in fulfillments:
        is_recorded = f"{Fulfillment.__tablename__}:{fulfillment.id}" in recorded
        if fulfillment.delivered_at is not None and not is_recorded:
            moment = fulfillment.delivered_at
            events.append((moment, _event_view(fulfillment.id, labels["delivered"], moment, tone="good")))
    events.sort(key=lambda one: one[0], reverse=True)
    return [event for _moment, event in events]


def _describe_payment(payment: PaymentSession) -> tuple[datetime, EventView] | None:
    """Return the time and the event of a payment; None while the payment is at the bank."""
    known = PAYMENT_EVENTS.get(payment.state)
    if known is None:
        return None
    if has_unused_money(payment):
        known = _APPROVED if has_unaccepted_money(payment) else _DISMISSED
    if payment.captured_amount is not None:
        detail = format_exact(get_exact_captured_amount(payment))
    else:
        detail = "" if has_unused_money(payment) else format_cop(payment.amount)  # the bank named no pesos
    moment = payment.captured_at or payment.updated_at
    title = _name_payment(payment, known[0])
    return moment, _event_view(payment.id, title, moment, text=detail, tone=known[1])


def _describe_refunds(
    refunds: Sequence[Refund], names: Mapping[str, str]
) -> list[tuple[datetime, EventView]]:
    """Return the time and the event of each refund. A refund that is split among several payments is one event."""
    parts: dict[str, list[Refund]] = {}
    for refund in refunds:
        parts.setdefault(refund.reference, []).append(refund)
    events = []
    for first, *others in parts.values():
        amount = format_cop(first.amount + sum(one.amount for one in others))
        title, by, moment = _name_refund(first), names.get(first.created_by, ""), first.created_at
        events.append((moment, _event_view(first.id, title, moment, by=by, text=amount)))
    return events


def _name_refund(refund: Refund) -> str:
    if refund.method == EXCHANGE_CREDIT:
        return _("El comprador pagó el pedido {number} con lo que devolvió").format(number=refund.reference)
    return _("El banco devolvió el dinero") if refund.reason == REVERSED else _("Devolución anotada")


def _name_payment(payment: PaymentSession, title: str) -> str:
    """Return `title`, or a special title for a payment that staff received or that is the credit of an exchange."""
    if PAID_BY_EXCHANGE in payment.data:
        return _("El comprador pagó con lo que devolvió del pedido {number}").format(number=payment.reference)
    if payment.method is not None and payment.state == SessionState.CAPTURED:
        return _("Pago recibido: {method}").format(method=METHOD_NAMES[ManualMethod(payment.method)])
    return title


async def _describe_edits(session: AsyncSession, order_id: str) -> Iterator[str]:
    """Describe each confirmed edit, newest first: its changes, the totals before and after, and its reason."""
    query = (
        select(OrderEdit)
        .where(OrderEdit.order_id == order_id, OrderEdit.status == EditStatus.CONFIRMED)
        .order_by(OrderEdit.confirmed_at.desc(), OrderEdit.id.desc())
    )
    edits = (await session.execute(query.limit(MAX_ENTRIES))).scalars().all()
    return iter([_describe_edit(edit) for edit in edits])


def _describe_edit(edit: OrderEdit) -> str:
    totals = _("Total: {before} → {after}").format(
        before=format_cop(edit.total_before or 0), after=format_cop(edit.total_after or 0)
    )
    return ". ".join((*map(describe_change, edit.changes), totals, *filter(None, [edit.reason])))


async def describe_last_action(session: AsyncSession, order_id: str, actions: Sequence[str]) -> str:
    """Return a sentence that says who did the newest of these actions, and when; empty if there is none."""
    query = (
        select(AuditEntry)
        .where(
            AuditEntry.subject_type == SubjectType.ORDER,
            AuditEntry.subject_id == order_id,
            AuditEntry.action.in_(actions),
        )
        .order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
        .limit(1)
    )
    entry = (await session.execute(query)).scalar_one_or_none()
    if entry is None:
        return ""
    name = (await short_actor_names(session, [entry.actor_id])).get(entry.actor_id, "")
    when = short_time_label(entry.created_at)
    return _("Lo hizo {name}: {when}").format(name=name, when=when) if name else ""


async def order_mails(session: AsyncSession, order_id: str, kind: DeliveryKind) -> list[MailView]:
    """Return the mails to the order's customer, the oldest first."""
    return [
        _mail_view(mail, kind)
        for mail in await list_order_mails(session, order_id)
        if mail.kind in MAIL_LABELS
    ]


async def _read_entries(session: AsyncSession, order_id: str) -> Sequence[AuditEntry]:
    query = (
        select(AuditEntry)
        .where(AuditEntry.subject_type == SubjectType.ORDER, AuditEntry.subject_id == order_id)
        .order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())
        .limit(MAX_ENTRIES)
    )
    return (await session.execute(query)).scalars().all()


def _event_view(
    event_id: str, title: str, moment: datetime, *, by: str = "", text: str = "", tone: str = "plain"
) -> EventView:
    return EventView(event_id, title, short_time_label(moment), by, text, tone)


def _mail_view(mail: Mail, kind: DeliveryKind) -> MailView:
    is_ready = kind is DeliveryKind.PICKUP and mail.kind == MailKind.ORDER_SHIPPED
    title = _("Tu pedido está listo para recoger") if is_ready else MAIL_LABELS[mail.kind]
    return MailView(mail.id, title, short_time_label(mail.sent_at) if mail.sent_at else "")
