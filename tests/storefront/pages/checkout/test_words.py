"""Tests of the checkout's texts for failures and shipping options."""

import pytest

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
from storefront.pages.checkout.error_texts import get_result_kind
from storefront.pages.checkout.views import shipping_card


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (InvalidData("x", fields={"email": "Escribe tu correo."}), "fields", "Escribe tu correo."),
        (InvalidData("x", fields={"ip": "Recarga la página."}), "failed", "Recarga la página."),
        (InvalidData("Cannot complete a cart with no items"), "failed", "Revisa tu compra"),
        (TotalChanged("The total is now 2"), "total", "pago en proceso"),
        (InsufficientStock("gone"), "stock", "se agotó"),
        (NothingToPay("nothing left"), "failed", "un banco no cobra $ 0"),
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
        "delivery_days": 3,
    }
    return ShippingChoice(**{**known, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "note"),
    [
        ({}, "Con Envía. Llega en unos 3 días hábiles."),
        ({"delivery_days": 1}, "Con Envía. Llega en 1 día hábil."),
        ({"delivery_days": None}, "Con Envía."),
        ({"is_fallback": True}, "Tarifa fija: la transportadora no alcanzó a responder con su precio."),
        ({"is_pickup": True, "carrier": ""}, "Lo recoges tú, sin costo de envío."),
        ({"carrier": "", "delivery_days": None}, "Tarifa fija."),
    ],
)
def test_shipping_card_has_the_expected_note_for_each_state(facts: dict[str, object], note: str) -> None:
    assert shipping_card(_choice(**facts)).note == note


def test_free_shipping_is_shown_as_free() -> None:
    assert shipping_card(_choice(amount=0, amount_label="$ 0")).price == "Gratis"
    assert shipping_card(_choice()).price == "$ 12.000"
