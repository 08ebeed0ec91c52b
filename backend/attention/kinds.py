"""Kinds of attention rows: title, advice, deadline and allowed actions of each."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from backend.core.texts import _


class AttentionKind(StrEnum):
    """Kind of an attention row."""

    AMOUNT_DIFFERS = "amount_differs"
    """The bank approved another amount or currency than the requested one."""
    APPROVED_LATE = "approved_late"
    """The bank approved a payment after it had reported another result."""
    APPROVED_AFTER_CANCEL = "approved_after_cancel"
    """The bank approved a payment of an order that a staff member had cancelled."""
    PAID_TWICE = "paid_twice"
    """Two payments for one purchase were approved: one must be refunded."""
    PAID_WITHOUT_ORDER = "paid_without_order"
    """A payment was approved, but no order can be created for it."""
    PAID_IN_PART = "paid_in_part"
    """Staff accepted a payment of less than the order's total: packing waits for a decision."""
    EDIT_OWED = "edit_owed"
    """An edited order costs more than was paid: packing waits for the difference."""
    EDIT_REFUND = "edit_refund"
    """An edited order costs less than was paid: the difference must be given back."""
    PAYMENT_CONTRADICTED = "payment_contradicted"
    """The provider reports that a captured payment was paid back, is under review, or has another amount."""
    PAYMENT_UNRESOLVED = "payment_unresolved"
    """The gateway has not reported the result of a payment for 48 hours."""
    STOCK_SHORT = "stock_short"
    """An order is paid, but some of its units are not in stock."""
    LABEL_IN_DOUBT = "label_in_doubt"
    """A label was requested from the carrier, and it is unknown whether the carrier created it."""
    LABEL_TOO_EXPENSIVE = "label_too_expensive"
    """The label costs much more than the customer paid for shipping."""
    NO_COURIER = "no_courier"
    """No courier quoted the destination of a paid order: the customer paid the fixed shipping price."""
    LABEL_CANCELED = "label_canceled"
    """The carrier cancelled a label that the shop did not cancel."""
    LABEL_RETURNED = "label_returned"
    """The carrier returns a parcel to the shop."""
    LABEL_INCIDENT = "label_incident"
    """The carrier reports a problem with a parcel."""
    NOT_DELIVERED = "not_delivered"
    """The carrier has not delivered a parcel for two months."""
    PQRS_DUE = "pqrs_due"
    """A PQRS request is unanswered, and its legal deadline is near."""
    RETURN_DUE = "return_due"
    """A return waits for the shop, and its legal deadline is near."""
    RETURN_LATE = "return_late"
    """A return waits for the shop, and its legal deadline has passed."""
    INVOICE_REJECTED = "invoice_rejected"
    """An invoice or a credit note was rejected."""
    INVOICE_LATE = "invoice_late"
    """An invoice or a credit note was not issued within a day."""
    INVOICE_WAITS = "invoice_waits"
    """An invoice or a credit note has no number: the range is used up or expired, or the shop's data are incomplete."""
    INVOICE_NUMBERS = "invoice_numbers"
    """The range of numbers that the DIAN authorized is nearly used up, or expires soon."""
    JOB_FAILED = "job_failed"
    """A job failed permanently."""
    WEBHOOK_OFF = "webhook_off"
    """A webhook failed for days and was switched off."""
    CLOCK_PUT_BACK = "clock_put_back"
    """A clock ran ahead and was corrected. Stored times that were too far in the future were moved to earlier times."""


class Action(StrEnum):
    """A way to resolve an attention row."""

    HONOR = "honor"
    """Accept the facts: the money pays the order, the label exists or is bought, the job runs again."""
    REFUNDED = "refunded"
    """The money was refunded by a bank transfer; needs its reference."""
    DISMISSED = "dismissed"
    """Nothing needs to be done; needs a note with the reason."""


@dataclass(frozen=True, slots=True)
class KindRules:
    """The rules for every attention row of a kind.

    Attributes:
        title: what happened, for staff, in the store's language.
        advice: what to do, in the store's language.
        recommended: the action that is right unless there is a reason against it.
        actions: the allowed actions.
        within: time from the creation of the row to its deadline.
    """

    title: str
    advice: str
    recommended: Action
    actions: tuple[Action, ...]
    within: timedelta


_ALL = (Action.HONOR, Action.REFUNDED, Action.DISMISSED)
_WITHOUT_MONEY = (Action.HONOR, Action.DISMISSED)
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)

RULES = {
    AttentionKind.AMOUNT_DIFFERS: KindRules(
        _("El banco aprobó otro valor"),
        _(
            "Mira en la pasarela cuánto llegó. Devuelve el dinero por transferencia o acéptalo como pago del pedido."
        ),
        Action.REFUNDED,
        _ALL,
        _DAY,
    ),
    AttentionKind.APPROVED_LATE: KindRules(
        _("El banco aprobó tarde un pago"),
        _("Si todavía hay unidades, acepta el pago: el pedido queda en pie. Si no, devuelve el dinero."),
        Action.HONOR,
        _ALL,
        _DAY,
    ),
    AttentionKind.APPROVED_AFTER_CANCEL: KindRules(
        _("El banco aprobó el pago de un pedido que cancelaron"),
        _(
            "El pedido sigue cancelado. Devuelve el dinero por transferencia, o acéptalo si el comprador todavía lo quiere."  # noqa: E501
        ),
        Action.REFUNDED,
        _ALL,
        _DAY,
    ),
    AttentionKind.PAID_TWICE: KindRules(
        _("Pagaron dos veces la misma compra"),
        _("Devuelve uno de los dos pagos por transferencia y anota la referencia."),
        Action.REFUNDED,
        _ALL,
        2 * _DAY,
    ),
    AttentionKind.PAID_WITHOUT_ORDER: KindRules(
        _("Llegó dinero y no hay pedido"),
        _("Si hay unidades, acepta el pago: el pedido se crea. Si no, devuelve el dinero."),
        Action.HONOR,
        _ALL,
        _DAY,
    ),
    AttentionKind.PAID_IN_PART: KindRules(
        _("Un pedido está pagado solo en parte"),
        _(
            "Pídele al comprador lo que falta, o devuelve el dinero y cancela el pedido. Hasta que decidas no se empaca."  # noqa: E501
        ),
        Action.DISMISSED,
        _WITHOUT_MONEY,
        2 * _DAY,
    ),
    AttentionKind.EDIT_OWED: KindRules(
        _("Falta pagar la diferencia de un pedido cambiado"),
        _(
            "Pídesela al comprador y anota en el pedido lo que pagó. Si no va a pagar, cambia el pedido otra vez. Hasta entonces no se empaca."  # noqa: E501
        ),
        Action.DISMISSED,
        _WITHOUT_MONEY,
        2 * _DAY,
    ),
    AttentionKind.EDIT_REFUND: KindRules(
        _("Hay que devolver la diferencia de un pedido cambiado"),
        _("Devuélvela y anota la referencia en el pedido o aquí."),
        Action.REFUNDED,
        (Action.REFUNDED, Action.DISMISSED),
        5 * _DAY,
    ),
    AttentionKind.PAYMENT_CONTRADICTED: KindRules(
        _("El banco se contradice sobre un pago"),
        _(
            "Mira en la pasarela si el dinero está. Si volvió, anota la referencia que ella da. Hasta entonces el pedido no se empaca."  # noqa: E501
        ),
        Action.REFUNDED,
        _ALL,
        _DAY,
    ),
    AttentionKind.PAYMENT_UNRESOLVED: KindRules(
        _("La pasarela no dice cómo terminó un pago"),
        _(
            "Búscalo en el panel de la pasarela. Si fue aprobado, acéptalo o devuelve el dinero; si no, descártalo."
        ),
        Action.DISMISSED,
        _ALL,
        2 * _DAY,
    ),
    AttentionKind.STOCK_SHORT: KindRules(
        _("Un pedido pagado no tiene todas sus unidades"),
        _("Consigue las unidades y súmalas al inventario, o devuelve el dinero y cancela el pedido."),
        Action.HONOR,
        _ALL,
        _DAY,
    ),
    AttentionKind.LABEL_IN_DOUBT: KindRules(
        _("No se sabe si la guía se hizo"),
        _(
            "Busca la referencia en el panel de la transportadora. Si la guía está, anota sus números; si no, descártala."  # noqa: E501
        ),
        Action.HONOR,
        _WITHOUT_MONEY,
        4 * _HOUR,
    ),
    AttentionKind.LABEL_TOO_EXPENSIVE: KindRules(
        _("La guía cuesta mucho más que el envío cobrado"),
        _("Acepta el precio para comprarla, o descártala y envía de otra forma."),
        Action.HONOR,
        _WITHOUT_MONEY,
        8 * _HOUR,
    ),
    AttentionKind.NO_COURIER: KindRules(
        _("Ninguna transportadora cotizó un pedido pagado"),
        _(
            "Averigua cómo enviarlo y cuánto cuesta antes de empacarlo, o devuelve el dinero. En Ajustes puedes no ofrecer estos envíos."  # noqa: E501
        ),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
    AttentionKind.LABEL_CANCELED: KindRules(
        _("La transportadora anuló una guía"),
        _("Cancela el despacho y envía las unidades otra vez, o llama a la transportadora."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        8 * _HOUR,
    ),
    AttentionKind.LABEL_RETURNED: KindRules(
        _("La transportadora devolvió un paquete"),
        _(
            "Llama al comprador y acuerden si va otra vez o si le devuelves el dinero. Cuando el paquete vuelva, cuenta sus unidades en Bodega."  # noqa: E501
        ),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
    AttentionKind.LABEL_INCIDENT: KindRules(
        _("Un paquete tiene una novedad"),
        _(
            "Mira qué dice la transportadora y respóndele; si hace falta, llama al comprador. Si nadie responde, el paquete se devuelve."  # noqa: E501
        ),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
    AttentionKind.NOT_DELIVERED: KindRules(
        _("Un paquete no llegó"),
        _("Llama a la transportadora y al comprador; después anota cómo quedó."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
    AttentionKind.PQRS_DUE: KindRules(
        _("Falta responder una PQRS"),
        _("Respóndela en PQRS antes de que venza el plazo: una petición tiene 10 días hábiles, lo demás 15."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        5 * _DAY,
    ),
    AttentionKind.RETURN_DUE: KindRules(
        _("Se acaba el plazo de una devolución"),
        _("Decídela en Devoluciones, o haz la transferencia, antes de que venza el plazo de la ley."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        5 * _DAY,
    ),
    AttentionKind.RETURN_LATE: KindRules(
        _("Pasó el plazo de una devolución"),
        _("Hazla hoy en Devoluciones y escríbele al comprador: la ley ya pedía una respuesta o el dinero."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
    AttentionKind.INVOICE_REJECTED: KindRules(
        _("Una factura fue rechazada"),
        _("Mira el motivo en Facturas, corrige el dato y reintenta: conserva su número."),
        Action.HONOR,
        _WITHOUT_MONEY,
        _DAY,
    ),
    AttentionKind.INVOICE_LATE: KindRules(
        _("Una factura no sale"),
        _("Mira en Facturas por qué no sale y llama a tu proveedor: la DIAN da 48 horas."),
        Action.HONOR,
        _WITHOUT_MONEY,
        _DAY,
    ),
    AttentionKind.INVOICE_WAITS: KindRules(
        _("Una factura no tiene número"),
        _("Completa la numeración en Facturas, o los datos de la tienda, y reintenta."),
        Action.HONOR,
        _WITHOUT_MONEY,
        _DAY,
    ),
    AttentionKind.INVOICE_NUMBERS: KindRules(
        _("Se acaba la numeración de facturas"),
        _("Pide otro rango en el portal de la DIAN y guárdalo en Facturas."),
        Action.DISMISSED,
        (Action.DISMISSED,),
        7 * _DAY,
    ),
    AttentionKind.JOB_FAILED: KindRules(
        _("Una tarea falló muchas veces"),
        _(
            "Pide a quien mantiene la tienda que lea el error con `trompo attention`. Después, haz que corra otra vez."
        ),
        Action.HONOR,
        _WITHOUT_MONEY,
        2 * _DAY,
    ),
    AttentionKind.WEBHOOK_OFF: KindRules(
        _("Se apagó la conexión con un programa"),
        _(
            "No recibió las novedades de tu tienda durante días. Pregúntale a quien lo maneja y enciéndela otra vez en Ajustes: lo que falta le llega entonces."  # noqa: E501
        ),
        Action.DISMISSED,
        (Action.DISMISSED,),
        2 * _DAY,
    ),
    AttentionKind.CLOCK_PUT_BACK: KindRules(
        _("El reloj del servidor estuvo adelantado"),
        _(
            "Las tareas y los vencimientos ya se corrigieron. Revisa que la hora del servidor se sincronice sola y mira si algo venció antes de tiempo."  # noqa: E501
        ),
        Action.DISMISSED,
        (Action.DISMISSED,),
        _DAY,
    ),
}
"""The rules of every kind."""
