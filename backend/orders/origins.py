"""Origins of orders, and their consequence for the law."""

from enum import StrEnum

from backend.core.texts import _
from backend.orders.models import Order


class OrderOrigin(StrEnum):
    """The place where an order was agreed."""

    WEB = "web"
    COUNTER = "counter"
    """In the shop: the customer saw the products."""
    PHONE = "phone"
    WHATSAPP = "whatsapp"
    LINK = "link"
    """A payment link that was given to a customer who is neither on the telephone nor on WhatsApp."""


ORIGIN_NAMES = {
    OrderOrigin.WEB: _("Tienda en línea"),
    OrderOrigin.COUNTER: _("Mostrador"),
    OrderOrigin.PHONE: _("Teléfono"),
    OrderOrigin.WHATSAPP: _("WhatsApp"),
    OrderOrigin.LINK: _("Enlace de pago"),
}


def is_distance_sale(order: Order) -> bool:
    """Return True unless the sale was made in person. Only distance sales have a retracto (Ley 1480/2011, art. 47)."""
    return order.origin != OrderOrigin.COUNTER
