"""What the mails say. Plain text: it is read everywhere, and nothing in it is loaded from anywhere."""

from email.message import EmailMessage
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from backend.customers.resets import new_reset_token
from backend.mail.models import Mail
from backend.mail.record import Kind
from backend.money import format_cop
from backend.orders.models import Order
from backend.orders.service import lines_of_order, read_order
from backend.orders.tokens import order_token
from backend.settings import Settings
from backend.shipping.models import Fulfillment

ORDER_MAILS = {
    Kind.PLACED: (
        "Recibimos tu pedido {number}",
        "Ya guardamos tu pedido y apartamos tus juguetes. Te avisamos apenas tu banco confirme el pago.",
    ),
    Kind.PAID: (
        "Tu pago quedó confirmado: pedido {number}",
        "¡Gracias! Tu banco confirmó el pago. Ya empezamos a preparar tu pedido.",
    ),
    Kind.LOST: (
        "No pudimos cobrar tu pedido {number}",
        "Tu banco no aprobó el pago, así que no te cobramos nada. Desde tu pedido puedes intentarlo otra vez.",
    ),
    Kind.SHIPPED: ("Tu pedido {number} va en camino", "Ya despachamos tu pedido."),
}


async def letter_of(session: AsyncSession, settings: Settings, mail: Mail) -> EmailMessage | None:
    """The mail, written now; None when there is nobody to send it to.

    Raises:
        NotFound: what it is about is no longer there.
    """
    kind = Kind(mail.kind)
    if kind is Kind.RESET:
        return await _reset(session, settings, mail.about)
    tracking = ""
    order_id = mail.about
    if kind is Kind.SHIPPED:
        parcel = await session.get_one(Fulfillment, mail.about)
        order_id, tracking = parcel.order_id, _tracking(parcel)
    order = await read_order(session, order_id)
    if not order.email:
        return None
    subject, words = ORDER_MAILS[kind]
    link = f"{settings.base_url}/order/{order.id}?token={order_token(settings.signing_key, order.id)}"
    parts = [
        f"Hola{_name_of(order)}:",
        words,
        *([tracking] if tracking else []),
        await _purchase(session, order),
        f"Míralo aquí:\n{link}",
    ]
    return _letter(settings, order.email, subject.format(number=order.number), parts)


async def _reset(session: AsyncSession, settings: Settings, address: str) -> EmailMessage | None:
    token = await new_reset_token(session, address)
    if token is None:
        return None
    parts = [
        "Hola:",
        "Alguien pidió cambiar la contraseña de tu cuenta. Si fuiste tú, elige una nueva aquí:",
        f"{settings.base_url}/account/reset#token={token}",
        "El enlace sirve una sola vez y vence en una hora. Si no fuiste tú, no hagas nada: tu contraseña sigue igual.",
    ]
    return _letter(settings, address, "Cambia tu contraseña", parts)


def _letter(settings: Settings, to: str, subject: str, parts: list[str]) -> EmailMessage:
    letter = EmailMessage()
    letter["From"] = f"{settings.store_name} <{settings.store_email}>"
    letter["To"] = to
    letter["Subject"] = subject
    letter["Auto-Submitted"] = "auto-generated"
    host = urlsplit(settings.base_url).hostname
    farewell = f"{settings.store_name} · {host}\n{settings.store_phone} · {settings.store_email}"
    letter.set_content("\n\n".join([*parts, farewell]) + "\n")
    return letter


async def _purchase(session: AsyncSession, order: Order) -> str:
    lines = [
        f"{line.quantity} × {line.title}: {format_cop(line.unit_price * line.quantity)}"
        for line in await lines_of_order(session, order.id)
    ]
    shipping = f"{order.shipping_name}: {format_cop(order.shipping_total)}"
    return "\n".join([*lines, shipping, f"Total: {format_cop(order.total)}"])


def _tracking(parcel: Fulfillment) -> str:
    carrier = str(parcel.data.get("carrier") or "la transportadora")
    return f"Lo lleva {carrier}, con la guía {parcel.tracking_number}." if parcel.tracking_number else ""


def _name_of(order: Order) -> str:
    name = str(order.shipping_address.get("first_name") or "").strip()
    return f", {name}" if name else ""
