"""The kinds of alerts: what they are called, what is advised, and when one is over."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from backend.core.texts import _


class AlertKind(StrEnum):
    """What is wrong."""

    NO_SALE = "no_sale"
    """Nobody has paid for as many hours as ALERT_NO_SALE_HOURS says."""
    DISK = "disk"
    """A replica's data folder has less room than ALERT_DISK_FREE_MB."""
    CERTIFICATE = "certificate"
    """The certificate of PUBLIC_URL is good for fewer days than ALERT_CERTIFICATE_DAYS, or for none."""
    OUTSIDE = "outside"
    """A service that `backend.core.web.http_client` calls has answered nothing usable for ALERT_FAILING_MINUTES."""
    STOCK_HELD = "stock_held"
    """Unpaid payments of one client hold as much stock as they may, or those of all clients much of the shop's."""
    MAIL = "mail"
    """Mails to people were given up, and nobody has looked at them yet."""


@dataclass(frozen=True, slots=True)
class KindRules:
    """What applies to every alert of a kind.

    Attributes:
        title: what is wrong, for the shop's people, in the store's language.
        advice: what to do about it, in the store's language.
        over_after: it is over when it has not been found for so long; it is looked for several times meanwhile.
    """

    title: str
    advice: str
    over_after: timedelta


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
