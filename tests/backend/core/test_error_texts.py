"""Sentences of errors: each surface shows people the same sentence for an error."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import backend
from backend.attention.service import NothingToRun
from backend.catalog.price_lists.price_plan import TooManyPrices
from backend.catalog.price_lists.service import NothingLowered
from backend.checkout.attention_resolvers import (
    AmountUnknown,
    NothingToRefund,
    OrderWithoutMoney,
    OtherTransactionPays,
    PaidAlready,
    PurchaseUnknown,
)
from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.checkout.payment.start import PaymentOff
from backend.checkout.quotes.quote_limits import TooManyQuotations
from backend.checkout.quotes.unquoted_delivery import NoCourier
from backend.core.error_texts import (
    ACCOUNT,
    CHECK_FIELDS,
    CHECKOUT,
    DECISION,
    FAILURE,
    FORM,
    LOGIN_FORM,
    NOTICE,
    OFFICE,
    PQRS_FORM,
    STAFF_FORM,
    STOCK_NOTICE_FORM,
    Surface,
    text_for,
)
from backend.core.errors import (
    Conflict,
    Duplicate,
    Forbidden,
    InsufficientStock,
    InvalidData,
    NotAllowed,
    NotFound,
    NothingToPay,
    NotImplementedByProvider,
    OutcomeUnknown,
    OutsideFailure,
    PaymentFailed,
    ShopError,
    TooManyRequests,
    TotalChanged,
    Unauthorized,
)
from backend.customers.auth.accounts import InvalidResetLink
from backend.customers.auth.accounts import WrongPassword as WrongShopperPassword
from backend.fulfillment.label_decisions import OrderCanceled
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.packing_holds import PackingHeld
from backend.orders.service import HasActiveFulfillments
from backend.payment.providers.pse.banks import BankListUnavailable
from backend.payment.providers.pse.responses import PaymentRefused, RefusalReason
from backend.shipping.providers.base import LabelTooExpensive
from backend.staff.invites import InvalidInvite
from backend.staff.rights import Right, SecondFactorMissing
from backend.staff.signing_in import WrongPassword as WrongStaffPassword
from backend.warehouse.service import ReservedForOrders
from tests.amounts import cop

MESSAGE = "English, for programs"
RELOAD = "No pudimos hacerlo. Recarga la página e inténtalo otra vez."
FAST = "Vas muy rápido. Espera un momento e inténtalo otra vez."
CLOSED = "Este carrito ya no está abierto. Recarga la página para ver en qué quedó."
NOT_CREATED = "No se pudo crear la transacción, por favor intenta más tarde o comunícate con nosotros."
PENDING = (
    "Este carrito ya tiene un pago en proceso, PENDIENTE de recibir confirmación de tu entidad financiera. "
    "Por favor espera unos minutos y vuelve a intentarlo."
)
ENDED = "Tu sesión terminó. Entra otra vez."
NOT_DONE = "No pudimos hacerlo. Inténtalo otra vez."
TOO_MANY = "Van muchos intentos seguidos. Espera unos minutos e inténtalo otra vez."
NOT_NOW = "Ahora no se puede. Mira cómo está."
ROLE = "Tu rol no permite hacer esto."
GONE = "Ya no existe. Actualiza la pantalla."
UNUSABLE = "Estos datos no sirven. Actualiza la pantalla e inténtalo otra vez."
FORM_TEXTS = (ENDED, TOO_MANY, *[NOT_DONE] * 13)

KINDS: tuple[type[ShopError], ...] = (
    Unauthorized,
    TooManyRequests,
    NotFound,
    InvalidData,
    NotAllowed,
    InsufficientStock,
    NothingToPay,
    NotImplementedByProvider,
    Conflict,
    TotalChanged,
    OutsideFailure,
    OutcomeUnknown,
    Forbidden,
    Duplicate,
    PaymentFailed,
)
SENTENCES: dict[str, tuple[Surface, tuple[str, ...]]] = {
    "notice": (
        NOTICE,
        (
            FAILURE,
            FAST,
            "Este producto ya no está disponible.",
            RELOAD,
            RELOAD,
            "No nos quedan tantas unidades de este producto.",
            RELOAD,
            RELOAD,
            *["Algo cambió mientras mirabas. Revisa de nuevo."] * 2,
            *[FAILURE] * 5,
        ),
    ),
    "checkout": (
        CHECKOUT,
        (
            NOT_CREATED,
            (
                "Has intentado pagar muchas veces seguidas. "
                "Espera unos minutos e inténtalo otra vez: tu carrito sigue guardado."
            ),
            CLOSED,
            "Revisa tu compra e inténtalo otra vez.",
            CLOSED,
            "Algo de tu carrito se agotó mientras comprabas. Ajústalo para poder pagar.",
            cop(
                "No queda nada por pagar, y un banco no cobra $ 0. Recarga la página y confirma tu pedido sin pagar."
            ),
            CLOSED,
            *[PENDING] * 2,
            NOT_CREATED,
            "Tu banco no respondió a tiempo. Inténtalo otra vez en un momento.",
            *[NOT_CREATED] * 3,
        ),
    ),
    "form": (FORM, FORM_TEXTS),
    "login": (
        LOGIN_FORM,
        (
            ENDED,
            "Van muchos intentos seguidos. Espera un rato, o pide un enlace para elegir otra contraseña.",
            *FORM_TEXTS[2:],
        ),
    ),
    "PQRS": (
        PQRS_FORM,
        (
            ENDED,
            "Van muchos mensajes seguidos. Espera unos minutos e inténtalo otra vez, o escríbenos al correo.",
            *FORM_TEXTS[2:],
        ),
    ),
    "stock notice": (
        STOCK_NOTICE_FORM,
        (ENDED, TOO_MANY, "Este producto ya no está disponible.", *FORM_TEXTS[3:]),
    ),
    "account": (
        ACCOUNT,
        (
            CHECK_FIELDS,
            CHECK_FIELDS,
            "Esta dirección ya no está en tu libreta.",
            CHECK_FIELDS,
            *["Tu libreta está llena: quita una dirección que ya no uses."] * 4,
            *[CHECK_FIELDS] * 7,
        ),
    ),
    "office": (
        OFFICE,
        (
            FAILURE,
            FAST,
            GONE,
            UNUSABLE,
            NOT_NOW,
            "No hay tantas unidades libres.",
            NOT_NOW,
            NOT_NOW,
            *["Alguien lo cambió antes. Mira cómo quedó y vuelve a intentarlo."] * 2,
            FAILURE,
            FAILURE,
            ROLE,
            FAILURE,
            FAILURE,
        ),
    ),
    "decision": (
        DECISION,
        (
            FAILURE,
            FAST,
            GONE,
            UNUSABLE,
            NOT_NOW,
            "Faltan unidades: súmalas en Bodega o devuelve el dinero.",
            NOT_NOW,
            NOT_NOW,
            *["Otra persona lo resolvió antes."] * 2,
            "La transportadora no responde. Inténtalo otra vez en un rato.",
            "La guía quedó en duda: no la pidas otra vez. Está en Por resolver.",
            ROLE,
            FAILURE,
            FAILURE,
        ),
    ),
    "staff form": (STAFF_FORM, (ENDED, TOO_MANY, *[MESSAGE] * 13)),
}
"""The sentences of a surface, in the order of `KINDS`."""
SURFACES = {name: surface for name, (surface, _texts) in SENTENCES.items()}


def make_error(kind: type[ShopError], fields: dict[str, str] | None = None) -> ShopError:
    if kind is TooManyRequests:
        return TooManyRequests(MESSAGE, retry_after=1, fields=fields)
    return kind(MESSAGE, fields=fields)


@pytest.mark.parametrize(
    ("surface", "kind", "text"),
    [
        pytest.param(surface, kind, text, id=f"{name}: {kind.__name__}")
        for name, (surface, texts) in SENTENCES.items()
        for kind, text in zip(KINDS, texts, strict=True)
    ],
)
def test_each_kind_of_error_has_the_expected_sentence_on_each_surface(
    surface: Surface, kind: type[ShopError], text: str
) -> None:
    assert text_for(make_error(kind), surface) == text


@pytest.mark.parametrize(
    ("name", "text"),
    {
        **dict.fromkeys(SURFACES, CHECK_FIELDS),
        "notice": RELOAD,
        "checkout": "Escribe tu correo.",
    }.items(),
)
def test_error_about_invalid_fields_has_the_expected_sentence_on_each_surface(name: str, text: str) -> None:
    fields = {"email": "Escribe tu correo.", "phone": "Escribe tu teléfono."}
    assert text_for(make_error(InvalidData, fields), SURFACES[name]) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (NoCourier("05001"), "Por ahora ninguna transportadora lleva pedidos a"),
        (PaymentOff(MESSAGE), "La tienda no está recibiendo pagos de esta forma ahora."),
        (PurchasePaid(), "Ya recibimos el pago de esta compra"),
        (
            TooManyQuotations(MESSAGE, retry_after=1),
            "Desde tu conexión se han pedido muchos precios de envío.",
        ),
        (BankListUnavailable(), "No se pudo obtener la lista de entidades financieras"),
        (PaymentRefused(MESSAGE, RefusalReason.LIMIT), "El monto de la transacción excede los límites"),
        (InvalidResetLink(), "Este enlace ya se usó o venció. Pide uno nuevo."),
        (WrongShopperPassword(), "El correo o la contraseña no coinciden."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_staff_do_not_see_the_sentence_of_an_error_for_customers(error: ShopError, text: str) -> None:
    for surface in SURFACES.values():
        assert text_for(error, surface).startswith(text) is not surface.is_for_staff


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (PaidAlready(MESSAGE), "El pedido ya está pagado: devuelve este dinero y anota la referencia."),
        (OtherTransactionPays(MESSAGE), "El pedido ya está pagado por otra transacción."),
        (OrderWithoutMoney(MESSAGE), "El pedido ya no tiene dinero"),
        (AmountUnknown(MESSAGE), "Nadie sabe cuánto dinero es"),
        (NothingToRefund(MESSAGE), "Ese dinero ya está anotado como devuelto"),
        (PurchaseUnknown(MESSAGE), "No se sabe qué se compró"),
        (PackingHeld(MESSAGE), "El pago de este pedido espera una decisión en Por resolver."),
        (
            HasActiveFulfillments(DeliveryKind.CARRIER),
            "El pedido ya tiene guía: anúlala primero en el pedido.",
        ),
        (HasActiveFulfillments(DeliveryKind.PICKUP), "Algo del pedido ya se empacó: desempácalo primero."),
        (HasActiveFulfillments(DeliveryKind.OWN), "Algo del pedido ya se empacó: desempácalo primero."),
        (OrderCanceled(MESSAGE), "El pedido se canceló: no compres la guía"),
        (LabelTooExpensive(90_000, 25_000), "Ahora cuesta todavía más."),
        (NothingToRun(MESSAGE), "Esta tarea ya corrió o ya no existe"),
        (NothingLowered(MESSAGE), "Ningún precio bajaría."),
        (TooManyPrices(MESSAGE), "Una rebaja cubre hasta 20.000 precios"),
        (SecondFactorMissing(Right.CHANGE_STAFF), "Para esto entra otra vez con el código de tu teléfono."),
        (InvalidInvite(), "Este enlace ya no sirve."),
        (WrongStaffPassword(), "El correo o la contraseña no coinciden."),
        (OutsideFailure(MESSAGE, staff_text="Sin crédito."), "Sin crédito."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_customers_do_not_see_the_sentence_of_an_error_for_staff(error: ShopError, text: str) -> None:
    for surface in SURFACES.values():
        assert text_for(error, surface).startswith(text) is surface.is_for_staff


def list_subclasses(kind: type[ShopError]) -> Iterator[type[ShopError]]:
    yield kind
    for further in kind.__subclasses__():
        yield from list_subclasses(further)


def test_api_message_of_an_error_is_shown_only_in_staff_forms() -> None:
    for module in pkgutil.walk_packages(backend.__path__, "backend."):
        if "migrations" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert ReservedForOrders in set(list_subclasses(ShopError))
    for kind in list_subclasses(ShopError):
        error = kind.__new__(kind)
        error.message, error.fields = MESSAGE, {}
        for name, surface in SURFACES.items():
            assert (text_for(error, surface) == MESSAGE) <= (name == "staff form")
