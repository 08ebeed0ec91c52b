"""Sentences that people read for an error, by the surface that shows it.

An error whose sentence is the same everywhere declares it: `ShopError.shopper_text`, `ShopError.staff_text`. For
any other error, the surface has a sentence for the error's class or one of its base classes; the nearest class
counts. Programs read `ShopError.body` instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.core.errors import (
    Conflict,
    Forbidden,
    InsufficientStock,
    InvalidData,
    NotAllowed,
    NotFound,
    NothingToPay,
    OutcomeUnknown,
    OutsideFailure,
    ShopError,
    TooManyRequests,
    Unauthorized,
)
from backend.core.texts import _

CHECK_FIELDS = _("Revisa los datos marcados.")
FAILURE = _("Algo falló de nuestro lado. Inténtalo otra vez en un momento.")
NOT_CREATED = _("No se pudo crear la transacción, por favor intenta más tarde o comunícate con nosotros.")
TOO_FAST = _("Vas muy rápido. Espera un momento e inténtalo otra vez.")
TOO_MANY = _("Van muchos intentos seguidos. Espera unos minutos e inténtalo otra vez.")
TOO_MANY_PQRS = _(
    "Van muchos mensajes seguidos. Espera unos minutos e inténtalo otra vez, o escríbenos al correo."
)
PRODUCT_GONE = _("Este producto ya no está disponible.")
RELOAD = _("No pudimos hacerlo. Recarga la página e inténtalo otra vez.")
CART_CLOSED = _("Este carrito ya no está abierto. Recarga la página para ver en qué quedó.")
SESSION_ENDED = _("Tu sesión terminó. Entra otra vez.")
ADDRESS_BOOK_FULL = _("Tu libreta está llena: quita una dirección que ya no uses.")
ADDRESS_GONE = _("Esta dirección ya no está en tu libreta.")


@dataclass(frozen=True, slots=True)
class Surface:
    """A place where people read errors.

    Attributes:
        texts: sentence by error class; subclasses share it. Other errors are shown with their `message`.
        fields_text: the sentence for an `InvalidData` with `fields`, whose messages are shown next to the fields.
            None: the surface shows the first of these messages instead.
        is_for_staff: True if staff members read the surface, False if customers do.
    """

    texts: Mapping[type[ShopError], str]
    fields_text: str | None = CHECK_FIELDS
    is_for_staff: bool = False


NOTICE = Surface(
    {
        InsufficientStock: _("No nos quedan tantas unidades de este producto."),
        NotFound: PRODUCT_GONE,
        TooManyRequests: TOO_FAST,
        Conflict: _("Algo cambió mientras mirabas. Revisa de nuevo."),
        InvalidData: RELOAD,
        NotAllowed: RELOAD,
        ShopError: FAILURE,
    },
    fields_text=RELOAD,
)
"""The notice on a page of the storefront."""
CHECKOUT = Surface(
    {
        InsufficientStock: _("Algo de tu carrito se agotó mientras comprabas. Ajústalo para poder pagar."),
        TooManyRequests: _(
            "Has intentado pagar muchas veces seguidas. "
            "Espera unos minutos e inténtalo otra vez: tu carrito sigue guardado."
        ),
        Conflict: _(
            "Este carrito ya tiene un pago en proceso, PENDIENTE de recibir confirmación de tu entidad financiera. "
            "Por favor espera unos minutos y vuelve a intentarlo."
        ),
        NothingToPay: _(
            "No queda nada por pagar, y un banco no cobra $\N{NO-BREAK SPACE}0. "
            "Recarga la página y confirma tu pedido sin pagar."
        ),
        NotFound: CART_CLOSED,
        NotAllowed: CART_CLOSED,
        InvalidData: _("Revisa tu compra e inténtalo otra vez."),
        OutcomeUnknown: _("Tu banco no respondió a tiempo. Inténtalo otra vez en un momento."),
        ShopError: NOT_CREATED,
    },
    fields_text=None,
)
"""The checkout page, for an order that could not be placed (wire: checkout, creation errors and double payment)."""
FORM = Surface(
    {
        Unauthorized: SESSION_ENDED,
        TooManyRequests: TOO_MANY,
        ShopError: _("No pudimos hacerlo. Inténtalo otra vez."),
    }
)
"""A form that a page of the storefront sends by HTTP."""
LOGIN_FORM = Surface(
    {
        **FORM.texts,
        TooManyRequests: _(
            "Van muchos intentos seguidos. Espera un rato, o pide un enlace para elegir otra contraseña."
        ),
    }
)
PQRS_FORM = Surface({**FORM.texts, TooManyRequests: TOO_MANY_PQRS})
STOCK_NOTICE_FORM = Surface({**FORM.texts, NotFound: PRODUCT_GONE})
ACCOUNT = Surface({NotAllowed: ADDRESS_BOOK_FULL, NotFound: ADDRESS_GONE, ShopError: CHECK_FIELDS})
"""A form of the customer account: profile and address book."""
OFFICE = Surface(
    {
        Forbidden: _("Tu rol no permite hacer esto."),
        InsufficientStock: _("No hay tantas unidades libres."),
        NotFound: _("Ya no existe. Actualiza la pantalla."),
        TooManyRequests: TOO_FAST,
        Conflict: _("Alguien lo cambió antes. Mira cómo quedó y vuelve a intentarlo."),
        NotAllowed: _("Ahora no se puede. Mira cómo está."),
        InvalidData: _("Estos datos no sirven. Actualiza la pantalla e inténtalo otra vez."),
        ShopError: FAILURE,
    },
    is_for_staff=True,
)
"""A screen of the office."""
DECISION = Surface(
    {
        **OFFICE.texts,
        InsufficientStock: _("Faltan unidades: súmalas en Bodega o devuelve el dinero."),
        OutcomeUnknown: _("La guía quedó en duda: no la pidas otra vez. Está en Por resolver."),
        OutsideFailure: _("La transportadora no responde. Inténtalo otra vez en un rato."),
        Conflict: _("Otra persona lo resolvió antes."),
    },
    is_for_staff=True,
)
"""A decision in the office that could not be carried out."""
STAFF_FORM = Surface({Unauthorized: SESSION_ENDED, TooManyRequests: TOO_MANY}, is_for_staff=True)
"""A form of the office that is sent by HTTP.

For an error of a class that is not listed, the form shows the API's message. The office's pages cause no such
errors.
"""


def text_for(error: ShopError, surface: Surface) -> str:
    """Return the sentence that `surface` shows for `error`, in the store's language."""
    own = error.staff_text if surface.is_for_staff else error.shopper_text
    if own:
        return own
    if isinstance(error, InvalidData) and error.fields:
        return next(iter(error.fields.values())) if surface.fields_text is None else surface.fields_text
    return next((surface.texts[kind] for kind in type(error).__mro__ if kind in surface.texts), error.message)
