"""Labels of an order's states for people, in the store's language."""

from collections.abc import Mapping

from backend.core.texts import _
from backend.orders.states import FulfillmentStatus as F
from backend.orders.states import OrderStatus, PaymentStatus

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
