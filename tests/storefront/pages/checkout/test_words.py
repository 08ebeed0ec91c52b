"""Tests of the checkout's texts for failures and shipping options."""

from datetime import UTC, date, datetime, timedelta

import pytest

from backend.checkout.later_delivery import DeliveryLater
from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.checkout.shipping_options import ShippingChoice
from backend.core.error_texts import CHECKOUT, NOT_CREATED, text_for
from backend.core.errors import (
    Conflict,
    InsufficientStock,
    InvalidData,
    NotAllowed,
    NothingToPay,
    OutcomeUnknown,
    OutsideFailure,
    ShopError,
    TotalChanged,
)
from backend.payment.providers.pse.banks import BankListUnavailable
from backend.payment.providers.pse.responses import PaymentRefused, RefusalReason
from backend.shipping.delivery_promise import DeliveryPromise
from storefront.pages.checkout.error_texts import get_result_kind
from storefront.pages.checkout.views import shipping_card
from tests.amounts import cop

THURSDAY = datetime(2026, 12, 3, 15, tzinfo=UTC)
HOURS = "lunes a sábado, 9 a. m. a 6 p. m."
BY_THREE = "Si pagas hoy antes de las 3 p. m."
PROMISE = DeliveryPromise(date(2026, 12, 10), THURSDAY + timedelta(hours=5))


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (InvalidData("x", fields={"email": "Escribe tu correo."}), "fields", "Escribe tu correo."),
        (InvalidData("x", fields={"ip": "Recarga la página."}), "failed", "Recarga la página."),
        (InvalidData("Cannot complete a cart with no items"), "failed", "Revisa tu compra"),
        (TotalChanged("The total is now 2"), "total", "pago en proceso"),
        (
            DeliveryLater(date(2026, 12, 10), date(2026, 12, 11)),
            "day",
            "antes era el jueves 10 de diciembre y ahora es el viernes 11 de diciembre",
        ),
        (
            DeliveryLater(date(2026, 12, 10), None),
            "day",
            "Ya no podemos prometer el día, que era el jueves 10",
        ),
        (InsufficientStock("gone"), "stock", "se agotó"),
        (NothingToPay("nothing left"), "failed", cop("un banco no cobra $ 0")),
        (NotAllowed("completed"), "failed", "ya no está abierto"),
        (
            Conflict("A payment of this cart is pending already"),
            "failed",
            "PENDIENTE de recibir confirmación",
        ),
        (PurchasePaid(), "failed", "no tienes que pagarla otra vez"),
        (OutcomeUnknown("no answer"), "failed", "no respondió a tiempo"),
        (OutsideFailure("broken"), "failed", NOT_CREATED),
        (BankListUnavailable(), "failed", "lista de entidades financieras"),
        (
            PaymentRefused("refused by the gateway", RefusalReason.LIMIT),
            "failed",
            "excede los límites establecidos en PSE",
        ),
        (
            PaymentRefused("refused by the gateway", RefusalReason.BANK_UNAVAILABLE),
            "failed",
            "no puede ser contactada",
        ),
    ],
)
def test_each_failure_has_a_text_for_customers(error: ShopError, kind: str, text: str) -> None:
    assert get_result_kind(error) == kind
    assert text in text_for(error, CHECKOUT)
    assert error.message not in text_for(error, CHECKOUT)


def _choice(**facts: object) -> ShippingChoice:
    known: dict[str, object] = {
        "id": "so_1",
        "name": "Envío a domicilio",
        "amount": 12_000,
        "amount_label": "$ 12.000",
        "is_fallback": False,
        "carrier": "Envía",
        "promise": PROMISE,
    }
    return ShippingChoice(**{**known, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "note"),
    [
        ({}, f"Con Envía. {BY_THREE}, llega a más tardar el jueves 10 de diciembre."),
        ({"promise": None}, "Con Envía."),
        (
            {"is_fallback": True, "promise": None},
            "Tarifa fija: la transportadora no alcanzó a responder con su precio.",
        ),
        (
            {"is_pickup": True, "carrier": ""},
            f"{BY_THREE}, lo puedes recoger desde el jueves 10 de diciembre.",
        ),
        ({"carrier": "", "promise": None}, "Tarifa fija."),
        (
            {"is_own": True, "detail": HOURS, "carrier": "", "free_from_label": "$ 120.000", "promise": None},
            f"Te lo llevamos nosotros: {HOURS} Gratis desde $ 120.000.",
        ),
        (
            {"is_pickup": True, "detail": f"Calle 10 · {HOURS}", "carrier": ""},
            f"Calle 10 · {HOURS} {BY_THREE}, lo puedes recoger desde el jueves 10 de diciembre.",
        ),
    ],
)
def test_shipping_card_has_the_expected_note_for_each_state(facts: dict[str, object], note: str) -> None:
    assert " ".join(shipping_card(_choice(**facts), THURSDAY).note.split()) == note


def test_free_shipping_is_shown_as_free() -> None:
    assert shipping_card(_choice(amount=0, amount_label="$ 0"), THURSDAY).price == "Gratis"
    assert shipping_card(_choice(), THURSDAY).price == "$ 12.000"
