"""Labels of an order's states for people, in the store's language."""

from collections.abc import Mapping

from backend.core.texts import _
from backend.orders.delivery_kinds import DeliveryKind
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
"""Labels of the payment. On screens and in exports, use `get_payment_label`."""
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
    F.PARTIALLY_SHIPPED: _("Listo en parte para recoger"),
    F.SHIPPED: _("Listo para recoger"),
    F.PARTIALLY_DELIVERED: _("Recogido en parte"),
    F.DELIVERED: _("Recogido"),
}
"""Labels of the fulfillment of an order that its customer collects in the shop."""
OWN_LABELS: Mapping[str, str] = {
    **FULFILLMENT_LABELS,
    F.PARTIALLY_SHIPPED: _("Salió a entregar en parte"),
    F.SHIPPED: _("Salió a entregar"),
}
"""Labels of the fulfillment of an order that the shop itself delivers."""
LABELS_BY_KIND: Mapping[DeliveryKind, Mapping[str, str]] = {
    DeliveryKind.CARRIER: FULFILLMENT_LABELS,
    DeliveryKind.OWN: OWN_LABELS,
    DeliveryKind.PICKUP: PICKUP_LABELS,
}
"""Labels of an order's fulfillment by how it reaches its customer."""
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
PACKING_LABELS: Mapping[str, str] = {
    LabelState.CREATING: _("Empacando"),
    LabelState.CREATED: _("Empacado"),
    LabelState.FAILED: _("No se pudo empacar"),
    LabelState.UNKNOWN: _("En duda"),
    LabelState.TOO_EXPENSIVE: _("En duda"),
    LabelState.CANCELED: _("Desempacado"),
}
"""Labels of a parcel that needs no carrier's label, instead of `LABEL_LABELS`."""
_STAGES_BY_KIND: Mapping[DeliveryKind, Mapping[str, str]] = {
    DeliveryKind.CARRIER: STAGE_LABELS,
    DeliveryKind.OWN: {
        **STAGE_LABELS,
        "ready": _("Empacado"),
        "shipped": _("Salió a entregar"),
        "canceled": _("Desempacado"),
    },
    DeliveryKind.PICKUP: {
        **STAGE_LABELS,
        "ready": _("Listo para recoger"),
        "shipped": _("Listo para recoger"),
        "delivered": _("Recogido"),
        "canceled": _("Desempacado"),
    },
}


def get_payment_label(status: str, *, has_money_to_accept: bool) -> str:
    """Return the text for an order's payment status. It says so if a bank approved money about which staff decide."""
    if status == PaymentStatus.AWAITING and has_money_to_accept:
        return _("Pago por aceptar")
    return PAYMENT_LABELS.get(status, status)


def get_stage_label(stage: str, kind: DeliveryKind) -> str:
    """Return the text for a parcel's stage. It depends on how the order reaches the customer."""
    return _STAGES_BY_KIND[kind].get(stage, stage)


def get_label_label(state: str, kind: DeliveryKind) -> str:
    """Return the text for a fulfillment's state: about its label or, if the delivery needs none, about packing."""
    return (LABEL_LABELS if kind.has_label else PACKING_LABELS)[state]
