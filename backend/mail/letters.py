"""What the mails say."""

from email.message import EmailMessage

from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.kinds import RULES, AttentionKind
from backend.attention.service import read_attention
from backend.customers.resets import new_reset_token
from backend.dates import time_label
from backend.errors import NotFound
from backend.mail.models import Mail
from backend.mail.paper import Letter, on_paper
from backend.mail.record import Kind
from backend.money import format_cop
from backend.orders.models import Fulfillment, Order
from backend.orders.service import lines_of_order, read_order, totals_of
from backend.orders.tokens import order_token
from backend.payment.models import PaymentSession, Refund
from backend.settings import Settings

SEE = "Ver mi pedido"
ORDER_MAILS = {
    Kind.PLACED: (
        "Recibimos tu pedido {number}",
        "Ya guardamos tu pedido y apartamos tus juguetes. Te avisamos apenas tu banco confirme el pago.",
        SEE,
    ),
    Kind.PAID: (
        "Tu pago quedó confirmado: pedido {number}",
        "¡Gracias! Tu banco confirmó el pago. Ya empezamos a preparar tu pedido.",
        SEE,
    ),
    Kind.LOST: (
        "No pudimos cobrar tu pedido {number}",
        "Tu banco no aprobó el pago, así que no te cobramos nada. Desde tu pedido puedes intentarlo otra vez.",
        "Intentarlo otra vez",
    ),
    Kind.UNCONFIRMED: (
        "No recibimos la confirmación de tu pago: pedido {number}",
        (
            "Dejamos de esperar la confirmación de tu banco y cancelamos tu pedido. Si tu banco lo aprueba de todos "
            "modos, ese pago vale para este pedido o te devolvemos el dinero, y te escribimos. Desde tu pedido puedes "
            "intentarlo otra vez."
        ),
        SEE,
    ),
    Kind.SHIPPED: ("Tu pedido {number} va en camino", "Ya despachamos tu pedido.", "Seguir mi pedido"),
}
"""What each says, and what its link is for: it leads to the order's page always."""
ARRIVED = ("Tu pedido {number} ya llegó", "Entregamos tu pedido. ¡Que lo disfrutes!", SEE)
"""In place of `SHIPPED` when the carrier's first news of a parcel is that it was delivered."""
NOT_YOU = "Si no fuiste tú, no hagas nada: tu contraseña sigue igual."


async def letter_of(session: AsyncSession, settings: Settings, mail: Mail) -> EmailMessage | None:
    """The mail, written now; None when there is nobody to send it to.

    Raises:
        NotFound: what it is about is no longer there.
    """
    kind = Kind(mail.kind)
    if kind is Kind.RESET:
        return await _reset(session, settings, mail.about)
    if kind is Kind.REFUNDED:
        return await _refunded(session, settings, mail.about)
    if kind is Kind.ATTENTION:
        return await _attention(session, settings, mail.about)
    tracking, mail_says = "", ORDER_MAILS[kind]
    order_id = mail.about
    if kind is Kind.SHIPPED:
        parcel = await session.get_one(Fulfillment, mail.about)
        order_id, tracking = parcel.order_id, _tracking(parcel)
        if parcel.delivered_at:
            mail_says = ARRIVED
    order = await read_order(session, order_id)
    if not order.email:
        return None
    subject, words, action = mail_says
    letter = Letter(
        subject=subject.format(number=order.number),
        greeting=f"Hola{_name_of(order)}:",
        words=[words, *([tracking] if tracking else [])],
        bill=await _bill(session, order),
        action=action,
        link=_order_link(settings, order),
    )
    return on_paper(letter, settings, order.email)


async def _reset(session: AsyncSession, settings: Settings, address: str) -> EmailMessage | None:
    token = await new_reset_token(session, address)
    if token is None:
        return None
    letter = Letter(
        subject="Cambia tu contraseña",
        greeting="Hola:",
        words=["Alguien pidió cambiar la contraseña de tu cuenta. Si fuiste tú, elige una nueva aquí."],
        action="Elegir mi contraseña",
        link=f"{settings.base_url}/account/reset#token={token}",
        after=["El enlace sirve una sola vez y vence en una hora.", NOT_YOU],
    )
    return on_paper(letter, settings, address)


async def _refunded(session: AsyncSession, settings: Settings, refund_id: str) -> EmailMessage | None:
    """For whoever paid. Money that paid no order has only what was written down when its payment started."""
    refund = await session.get_one(Refund, refund_id)
    order = await read_order(session, refund.order_id) if refund.order_id else None
    paid = await session.get_one(PaymentSession, refund.payment_session_id)
    to = order.email if order else str(paid.snapshot.get("email") or "")
    if not to:
        return None
    amount = format_cop(refund.amount)
    of_order = f": pedido {order.number}" if order else ""
    letter = Letter(
        subject=f"Te devolvimos {amount}{of_order}",
        greeting=f"Hola{_name_of(order) if order else ''}:",
        words=[
            f"Te devolvimos {amount} por transferencia. La referencia es {refund.reference}.",
            "Según tu banco, la verás en tu cuenta entre el mismo día y tres días hábiles.",
        ],
        action=SEE if order else "",
        link=_order_link(settings, order) if order else "",
        after=["Si no la ves después de ese tiempo, escríbenos y la buscamos contigo."],
    )
    return on_paper(letter, settings, to)


async def _attention(session: AsyncSession, settings: Settings, attention_id: str) -> EmailMessage | None:
    """For the shop itself; None when it was settled before the mail left."""
    row = await read_attention(session, attention_id)
    if row.resolved_at is not None:
        return None
    rules = RULES[AttentionKind(row.kind)]
    facts = [f"Valor: {format_cop(row.amount)}."] if row.amount is not None else []
    if row.order_id is not None:
        facts.append(f"Pedido: {await _number_of(session, row.order_id)}.")
    if row.due_at is not None:
        facts.append(f"Resuélvelo antes del {time_label(row.due_at)}.")
    letter = Letter(
        subject=f"Por resolver: {rules.title}",
        greeting="Hola:",
        words=[rules.advice, *facts, f"Detalle: {row.message}"],
        after=[f"trompo attention --resolve {row.id} --action {rules.recommended}"],
    )
    return on_paper(letter, settings, settings.store_email)


async def _number_of(session: AsyncSession, order_id: str) -> str:
    try:
        return str((await read_order(session, order_id)).number)
    except NotFound:
        return order_id


async def _bill(session: AsyncSession, order: Order) -> list[tuple[str, str]]:
    lines = await lines_of_order(session, order.id)
    return [
        *(
            (f"{line.quantity} × {line.title}", format_cop(part.total))
            for line, part in zip(lines, totals_of(order, lines).lines, strict=True)
        ),
        (order.shipping_name, format_cop(order.shipping_total)),
        ("Total", format_cop(order.total)),
    ]


def _order_link(settings: Settings, order: Order) -> str:
    return f"{settings.base_url}/order/{order.id}?token={order_token(settings.signing_key, order.id)}"


def _tracking(parcel: Fulfillment) -> str:
    carrier = str(parcel.data.get("carrier") or "la transportadora")
    verb = "llevó" if parcel.delivered_at else "lleva"
    return f"Lo {verb} {carrier}, con la guía {parcel.tracking_number}." if parcel.tracking_number else ""


def _name_of(order: Order) -> str:
    name = str(order.shipping_address.get("first_name") or "").strip()
    return f", {name}" if name else ""
