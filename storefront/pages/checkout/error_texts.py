"""What a shopper reads when the order could not be placed (wire: checkout, creation errors and double payment)."""

from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.checkout.quotes.quote_limits import TooManyQuotations
from backend.checkout.quotes.unquoted_delivery import NoCourier
from backend.core.errors import (
    Conflict,
    InsufficientStock,
    InvalidData,
    NotAllowed,
    NotFound,
    NothingToPay,
    OutcomeUnknown,
    ShopError,
    TooManyRequests,
    TotalChanged,
)
from backend.core.texts import _
from backend.shipping.provider_switches import ShippingOff
from storefront.pages.checkout.fields import LABELS

NOT_CREATED = _("No se pudo crear la transacción, por favor intenta más tarde o comunícate con nosotros.")

COMING_BACK = _(
    "La tienda vuelve en un momento. Tu carrito sigue guardado: inténtalo otra vez en unos segundos. "
    "Si tu pago ya había comenzado, te llevamos a él."
)

INTERRUPTED = _(
    "La conexión se cortó antes de que supiéramos de tu pedido. Pulsa otra vez: si ya quedó creado, "
    "te llevamos a él y no se paga dos veces."
)


def kind_of(error: ShopError) -> str:
    """How the page takes the error: see `Answer.kind`."""
    match error:
        case InvalidData() if LABELS.keys() & error.fields.keys():
            return "fields"
        case TotalChanged():
            return "total"
        case ShippingOff() | NoCourier():
            return "shipping"
        case InsufficientStock():
            return "stock"
        case _other:
            return "failed"


_TEXTS: tuple[tuple[type[ShopError], str], ...] = (
    (InsufficientStock, _("Algo de tu carrito se agotó mientras comprabas. Ajústalo para poder pagar.")),
    (
        TooManyQuotations,
        _(
            "Desde tu conexión se han pedido muchos precios de envío. "
            "Espera unos minutos e inténtalo otra vez: lo que escribiste sigue guardado."
        ),
    ),
    (
        TooManyRequests,
        _(
            "Has intentado pagar muchas veces seguidas. "
            "Espera unos minutos e inténtalo otra vez: tu carrito sigue guardado."
        ),
    ),
    (
        PurchasePaid,
        _(
            "Ya recibimos el pago de esta compra: no tienes que pagarla otra vez. "
            "Si queda algo más en tu carrito, revísalo y paga."
        ),
    ),
    (
        Conflict,
        _(
            "Este carrito ya tiene un pago en proceso, PENDIENTE de recibir confirmación de tu entidad financiera. "
            "Por favor espera unos minutos y vuelve a intentarlo."
        ),
    ),
    (
        NothingToPay,
        _(
            "No queda nada por pagar, y un banco no cobra $ 0. "
            "Recarga la página y confirma tu pedido sin pagar."
        ),
    ),
    (NotFound, _("Este carrito ya no está abierto. Recarga la página para ver en qué quedó.")),
    (NotAllowed, _("Este carrito ya no está abierto. Recarga la página para ver en qué quedó.")),
    (
        OutcomeUnknown,
        _("Tu banco no respondió a tiempo. Inténtalo otra vez en un momento."),
    ),
)
"""The first kind that fits counts."""


def text_of(error: ShopError) -> str:
    """The error in a shopper's words. A gateway's refusal brings its own (`shopper_text`)."""
    if isinstance(error, InvalidData) and not hasattr(error, "shopper_text"):
        return next(iter(error.fields.values()), _("Revisa tu pedido e inténtalo otra vez."))
    told = str(getattr(error, "shopper_text", NOT_CREATED))
    return next((text for kind, text in _TEXTS if isinstance(error, kind)), told)
