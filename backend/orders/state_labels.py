"""Labels of an order's states for people, in the store's language."""

from collections.abc import Mapping

from backend.core.texts import _
from backend.orders.states import FulfillmentStatus as F
from backend.orders.states import LabelState, OrderStatus, PaymentStatus

ORDER_LABELS: Mapping[str, str] = {
    OrderStatus.PENDING: _("En curso"),
    OrderStatus.CANCELED: _("Cancelado"),
}
PAYMENT_LABELS: Mapping[str, str] = {
    PaymentStatus.AWAITING: _("Esperando al banco"),
    PaymentStatus.AUTHORIZED: _("Por confirmar"),
    PaymentStatus.PARTIALLY_CAPTURED: _("Pagado en parte"),
    PaymentStatus.CAPTURED: _("Pagado"),
    PaymentStatus.PARTIALLY_REFUNDED: _("Devuelto en parte"),
    PaymentStatus.REFUNDED: _("Devuelto"),
    PaymentStatus.CANCELED: _("Sin pago"),
}
FULFILLMENT_LABELS: Mapping[str, str] = {
    F.NOT_FULFILLED: _("Por empacar"),
    F.PARTIALLY_FULFILLED: _("Empacado en parte"),
    F.FULFILLED: _("Empacado"),
    F.PARTIALLY_SHIPPED: _("Enviado en parte"),
    F.SHIPPED: _("Enviado"),
    F.PARTIALLY_DELIVERED: _("Entregado en parte"),
    F.DELIVERED: _("Entregado"),
}
PICKUP_LABELS: Mapping[str, str] = {
    **FULFILLMENT_LABELS,
    F.PARTIALLY_FULFILLED: _("Listo en parte para recoger"),
    F.FULFILLED: _("Listo para recoger"),
}
"""Labels of the fulfillment of an order that its customer collects in the shop."""
LABEL_LABELS: Mapping[str, str] = {
    LabelState.CREATING: _("Haciendo la guía"),
    LabelState.CREATED: _("Guía lista"),
    LabelState.FAILED: _("No se pudo hacer la guía"),
    LabelState.UNKNOWN: _("Guía en duda"),
    LabelState.TOO_EXPENSIVE: _("Guía muy cara"),
    LabelState.CANCELED: _("Guía anulada"),
}
STAGE_LABELS: Mapping[str, str] = {
    "ready": _("Guía lista"),
    "awaiting_pickup": _("Guía lista"),
    "shipped": _("Enviado"),
    "collected": _("Lo tiene la transportadora"),
    "in_transit": _("En camino"),
    "out_for_delivery": _("En reparto"),
    "delivered": _("Entregado"),
    "incident": _("Con novedad"),
    "returned": _("Devuelto por la transportadora"),
    "canceled": _("Guía anulada"),
}
"""Labels of a parcel's progress: the carrier's stages, and `ready` and `shipped` of the shop itself."""
