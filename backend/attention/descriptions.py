"""Descriptions of attention rows for staff, in the store's language.

They contain sums of money, names, and the messages of the bank and the carrier. `Attention.message` describes the
same facts for programs and logs, in English and with ids.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from backend.attention.kinds import AttentionKind as K
from backend.attention.models import Attention
from backend.core.money import format_cop, format_exact, parse_amount
from backend.core.texts import _

OWED, EXACT, REASON, WORDS = "owed", "exact_amount", "reason", "words"
PLACE, MAX_PRICE, REFERENCE, TITLE = "place", "max_price", "reference", "title"
UNTIL, NUMBERS_LEFT, AHEAD_S = "until", "numbers_left", "ahead_s"
"""Keys of `Attention.data`. The code that creates a row stores the values that the description of the row needs."""
PAYMENT_STATES = {
    "captured": _("aprobado"),
    "rejected": _("rechazado"),
    "expired": _("vencido"),
    "canceled": _("cancelado"),
    "failed": _("fallido"),
    "closed": _("cerrado"),
    "held": _("en revisión"),
    "pending": _("pendiente"),
    "authorized": _("por confirmar"),
    "refunded": _("devuelto"),
}
JOB_NAMES = {
    "mail.send": _("Enviar un correo"),
    "alert.webhook": _("Enviar un aviso a tu dirección de avisos"),
    "payment.check": _("Preguntarle a la pasarela por un pago"),
    "payment.notification": _("Leer un aviso de la pasarela"),
    "invoices.issue": _("Emitir una factura"),
    "catalog.bulk": _("Cambiar varios productos"),
    "catalog.sales": _("Empezar o terminar una oferta"),
    "catalog.import": _("Importar productos"),
    "export.make": _("Hacer un archivo para descargar"),
    "stock_notices.tell": _("Avisar que un producto volvió"),
    "shipping.label_overdue": _("Revisar una guía demorada"),
    "shipping.track": _("Preguntar por un paquete"),
    "pqrs.remind": _("Recordar una PQRS"),
    "returns.soon": _("Recordar una devolución"),
    "returns.late": _("Recordar una devolución"),
    "reviews.ask": _("Pedir una opinión"),
    "staff_notices.batch": _("Enviar los avisos del equipo"),
    "staff_notices.push": _("Enviar un aviso a un teléfono"),
    "storefront.revalidate": _("Actualizar las páginas"),
    "content.turn": _("Publicar un contenido"),
    "webhook.send": _("Enviar novedades a otro programa"),
}
"""Names of jobs for staff, by kind."""


def describe_facts(row: Attention) -> str:
    """Return what happened, in one or two sentences; empty if the row's title says everything."""
    describe = _DESCRIPTIONS.get(K(row.kind))
    return describe(row) if describe else ""


def format_disputed_amount(row: Attention) -> str:
    """Return the disputed amount, with cents if the bank reported some. Empty without an amount."""
    return "" if row.amount is None else format_exact(_disputed_amount(row))


def _disputed_amount(row: Attention) -> Decimal:
    exact = parse_amount(str(row.data.get(EXACT, "")))
    return exact if exact is not None else Decimal(row.amount or 0)


def _describe_money(row: Attention) -> str:
    """Return a sentence with the money that arrived, the order's total and the difference.

    The difference is in whole pesos, as in `OrderMoney`.
    """
    owed: Any = row.data.get(OWED)
    if row.amount is None:
        return _("El banco no dice cuánto llegó, o lo dice en otra moneda. Míralo en la pasarela.")
    if not isinstance(owed, int):
        return _("Llegaron {paid}.").format(paid=format_disputed_amount(row))
    difference = owed - row.amount
    facts = {"owed": format_cop(owed), "paid": format_disputed_amount(row)}
    if difference > 0:
        text = _("El pedido vale {owed}; llegaron {paid}; faltan {rest}.")
    elif difference < 0:
        text = _("El pedido vale {owed}; llegaron {paid}; sobran {rest}.")
    elif _disputed_amount(row) != owed:
        text = _("El pedido vale {owed}; llegaron {paid}.")
    else:
        text = _("El pedido vale {owed} y llegaron completos.")
    return text.format(**facts, rest=format_cop(abs(difference)))


def _describe_late_approval(row: Attention) -> str:
    state = PAYMENT_STATES.get(str(row.data.get("state")), "")
    before = _("Antes había dicho: {state}.").format(state=state) if state else ""
    return " ".join(filter(None, (before, _describe_money(row))))


def _describe_contradiction(row: Attention) -> str:
    state = PAYMENT_STATES.get(str(row.data.get("reported")), "")
    now = _("La pasarela ahora dice: {state}.").format(state=state) if state else ""
    missing = _("Faltarían {amount}.").format(amount=format_disputed_amount(row)) if row.amount else ""
    return " ".join(filter(None, (now, missing)))


def _describe_unresolved(row: Attention) -> str:
    if row.amount is None:
        return ""
    return _("El pago es de {amount}.").format(amount=format_disputed_amount(row))


def _describe_price(row: Attention) -> str:
    highest: Any = row.data.get(MAX_PRICE)
    if row.amount is None or not isinstance(highest, int):
        return ""
    return _("La guía cuesta {price}; sin preguntar se compra hasta {max_price}.").format(
        price=format_cop(row.amount), max_price=format_cop(highest)
    )


def _describe_place(row: Attention) -> str:
    place = row.data.get(PLACE)
    if not place or row.amount is None:
        return ""
    return _("Ninguna transportadora cotizó a {place}: por el envío se cobró {amount}.").format(
        place=place, amount=format_cop(row.amount)
    )


def _describe_parcel(row: Attention) -> str:
    reference, words = row.data.get(REFERENCE), row.data.get(WORDS)
    parcel = _("Paquete {reference}.").format(reference=reference) if reference else ""
    says = _("La transportadora dice: {words}").format(words=words) if words else ""
    return " ".join(filter(None, (parcel, says)))


def _describe_title(row: Attention) -> str:
    title, reason = row.data.get(TITLE), row.data.get(REASON)
    return ": ".join(str(part) for part in (title, reason) if part)


def _describe_range(row: Attention) -> str:
    if UNTIL in row.data:
        return _("Vence el {day}.").format(day=row.data[UNTIL])
    if NUMBERS_LEFT in row.data:
        return _("Quedan {n} números.").format(n=row.data[NUMBERS_LEFT])
    return ""


def _describe_job(row: Attention) -> str:
    return JOB_NAMES.get(str(row.data.get("kind")), _("Una tarea interna de la tienda"))


def _describe_clock(row: Attention) -> str:
    ahead: Any = row.data.get(AHEAD_S)
    if not isinstance(ahead, int):
        return ""
    return _("Estaba adelantado {n} minutos.").format(n=max(1, round(ahead / 60)))


_DESCRIPTIONS: dict[K, Callable[[Attention], str]] = {
    K.AMOUNT_DIFFERS: _describe_money,
    K.APPROVED_LATE: _describe_late_approval,
    K.APPROVED_AFTER_CANCEL: _describe_money,
    K.PAID_TWICE: _describe_money,
    K.PAID_WITHOUT_ORDER: _describe_money,
    K.PAID_IN_PART: _describe_money,
    K.PAYMENT_CONTRADICTED: _describe_contradiction,
    K.PAYMENT_UNRESOLVED: _describe_unresolved,
    K.LABEL_IN_DOUBT: _describe_parcel,
    K.LABEL_TOO_EXPENSIVE: _describe_price,
    K.NO_COURIER: _describe_place,
    K.LABEL_CANCELED: _describe_parcel,
    K.LABEL_RETURNED: _describe_parcel,
    K.LABEL_INCIDENT: _describe_parcel,
    K.NOT_DELIVERED: _describe_parcel,
    K.PQRS_DUE: _describe_title,
    K.RETURN_DUE: _describe_title,
    K.RETURN_LATE: _describe_title,
    K.INVOICE_REJECTED: _describe_title,
    K.INVOICE_LATE: _describe_title,
    K.INVOICE_WAITS: _describe_title,
    K.INVOICE_NUMBERS: _describe_range,
    K.JOB_FAILED: _describe_job,
    K.WEBHOOK_OFF: _describe_title,
    K.CLOCK_PUT_BACK: _describe_clock,
}
