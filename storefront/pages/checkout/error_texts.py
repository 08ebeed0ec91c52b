"""Handling of errors while an order is placed. The texts of the errors are in `backend.core.error_texts.CHECKOUT`."""

from collections.abc import Collection

from backend.checkout.later_delivery import DeliveryLater
from backend.checkout.quotes.unquoted_delivery import NoCourier
from backend.core.errors import InsufficientStock, InvalidData, ShopError, TotalChanged
from backend.core.texts import _
from backend.shipping.offered_options import OptionNotOffered
from backend.shipping.provider_switches import ProviderSwitchedOff
from storefront.pages.checkout.fields import LABELS

CHECKOUT_UNAVAILABLE = _(
    "La tienda vuelve en un momento. Tu carrito sigue guardado: inténtalo otra vez en unos segundos. "
    "Si tu pago ya había comenzado, te llevamos a él."
)

INTERRUPTED = _(
    "La conexión se cortó antes de que supiéramos de tu pedido. Pulsa otra vez: si ya quedó creado, "
    "te llevamos a él y no se paga dos veces."
)


def get_result_kind(error: ShopError, further: Collection[str] = ()) -> str:
    """Return the `PlacingResult.kind` of an error. `further` has the names of the fields that payment providers add."""
    match error:
        case InvalidData() if {*LABELS, *further} & error.fields.keys():
            return "fields"
        case TotalChanged():
            return "total"
        case DeliveryLater():
            return "day"
        case ProviderSwitchedOff() | NoCourier() | OptionNotOffered():
            return "shipping"
        case InsufficientStock():
            return "stock"
        case _other:
            return "failed"
