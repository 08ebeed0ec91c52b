"""Kinds of alerts: their titles, their advice, and when an alert of each kind ends."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from backend.core.texts import _


class AlertKind(StrEnum):
    """The kind of problem that an alert reports."""

    NO_SALE = "no_sale"
    """No order has been paid for ALERT_NO_SALE_HOURS hours."""
    DISK = "disk"
    """A replica's data folder has less free space than ALERT_DISK_FREE_MB."""
    CERTIFICATE = "certificate"
    """The certificate of PUBLIC_URL expires in fewer days than ALERT_CERTIFICATE_DAYS, or is not valid."""
    OUTSIDE = "outside"
    """A service that `backend.core.web.http_client` calls has not given a usable answer for ALERT_FAILING_MINUTES."""
    STOCK_HELD = "stock_held"
    """Unpaid payments reserve too much stock: those of one client the maximum, or those of all clients a large part."""
    MAIL = "mail"
    """The shop gave up sending some mails, and their attention rows are still open."""


@dataclass(frozen=True, slots=True)
class KindRules:
    """The rules for every alert of a kind.

    Attributes:
        title: the problem, for staff, in the store's language.
        advice: the recommended action, in the store's language.
        ends_after: time after which an alert ends if its problem was not found again. The shop checks for the
            problem several times in this period.
    """

    title: str
    advice: str
    ends_after: timedelta


_MINUTES, _HOURS = timedelta(minutes=10), timedelta(hours=4)

RULES = {
    AlertKind.NO_SALE: KindRules(
        _("Hace tiempo que nadie compra"),
        _("Haz una compra de prueba hasta la página del banco y mira qué dice «trompo doctor»."),
        _MINUTES,
    ),
    AlertKind.DISK: KindRules(
        _("Queda poco espacio en el disco"),
        _("Libera espacio o agranda el disco de la carpeta de datos: sin espacio la tienda no atiende."),
        _MINUTES,
    ),
    AlertKind.CERTIFICATE: KindRules(
        _("El certificado de la tienda se vence"),
        _("Renueva el certificado: sin él los navegadores no dejan entrar a nadie."),
        _HOURS,
    ),
    AlertKind.OUTSIDE: KindRules(
        _("Un servicio externo no responde"),
        _("Mira la página de estado del servicio y llama a su soporte si sigue así."),
        _MINUTES,
    ),
    AlertKind.STOCK_HELD: KindRules(
        _("Alguien aparta muchas unidades sin pagar"),
        _(
            "La tienda ya limita cuánto y por cuánto tiempo. Mira en Pedidos los que esperan pago: si no son compras de verdad, bloquea su dirección en tu proxy."  # noqa: E501
        ),
        timedelta(hours=1),
    ),
    AlertKind.MAIL: KindRules(
        _("Hay correos que no salieron"),
        _("Mira cuáles son en «Por resolver» y revisa el servidor de correo; allí mismo se envían otra vez."),
        _MINUTES,
    ),
}
"""The rules of every kind."""
