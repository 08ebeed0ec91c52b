"""The sentence about an attention row for staff has the sums and the outside words, no English and no ids."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from backend.attention.descriptions import JOB_NAMES, PAYMENT_STATES, describe_facts, format_disputed_amount
from backend.attention.kinds import AttentionKind as K
from backend.attention.models import Attention
from backend.payment.providers.base import ProviderState
from backend.payment.states import SessionState

ROOT = Path(__file__).parents[3]


def make_row(kind: K, amount: int | None, data: Mapping[str, Any]) -> Attention:
    message = "Payment payses_1: approved after it was expired"
    return Attention(kind=kind, subject_id="payses_1", message=message, amount=amount, data=dict(data))


@pytest.mark.parametrize(
    ("kind", "amount", "data", "expected"),
    [
        (
            K.AMOUNT_DIFFERS,
            50_000,
            {"owed": 79_879},
            "El pedido vale $ 79.879; llegaron $ 50.000; faltan $ 29.879.",
        ),
        (
            K.AMOUNT_DIFFERS,
            80_000,
            {"owed": 79_879},
            "El pedido vale $ 79.879; llegaron $ 80.000; sobran $ 121.",
        ),
        (
            K.AMOUNT_DIFFERS,
            79_878,
            {"owed": 79_879, "exact_amount": "79878.25"},
            "El pedido vale $ 79.879; llegaron $ 79.878,25; faltan $ 1.",
        ),
        (
            K.AMOUNT_DIFFERS,
            79_879,
            {"owed": 79_879, "exact_amount": "79879.25"},
            "El pedido vale $ 79.879; llegaron $ 79.879,25.",
        ),
        (
            K.AMOUNT_DIFFERS,
            None,
            {"owed": 79_879},
            "El banco no dice cuánto llegó, o lo dice en otra moneda. Míralo en la pasarela.",
        ),
        (
            K.APPROVED_LATE,
            10_000,
            {"owed": 10_000, "state": "expired"},
            "Antes había dicho: vencido. El pedido vale $ 10.000 y llegaron completos.",
        ),
        (K.PAID_WITHOUT_ORDER, 7_000, {}, "Llegaron $ 7.000."),
        (
            K.PAYMENT_CONTRADICTED,
            4_000,
            {"reported": "rejected"},
            "La pasarela ahora dice: rechazado. Faltarían $ 4.000.",
        ),
        (K.PAYMENT_CONTRADICTED, None, {"reported": "held"}, "La pasarela ahora dice: en revisión."),
        (K.PAYMENT_UNRESOLVED, 4_000, {"state": "pending"}, "El pago es de $ 4.000."),
        (
            K.LABEL_TOO_EXPENSIVE,
            90_000,
            {"max_price": 30_000},
            "La guía cuesta $ 90.000; sin preguntar se compra hasta $ 30.000.",
        ),
        (
            K.NO_COURIER,
            18_000,
            {"place": "Mitú, Vaupés"},
            "Ninguna transportadora cotizó a Mitú, Vaupés: por el envío se cobró $ 18.000.",
        ),
        (
            K.LABEL_INCIDENT,
            None,
            {"reference": "1024-1", "words": "DIRECCIÓN ERRADA"},
            "Paquete 1024-1. La transportadora dice: DIRECCIÓN ERRADA",
        ),
        (K.PQRS_DUE, None, {"title": "Queja 7"}, "Queja 7"),
        (K.INVOICE_REJECTED, 9_000, {"title": "SETP990", "reason": "NIT errado"}, "SETP990: NIT errado"),
        (K.INVOICE_NUMBERS, None, {"numbers_left": 12}, "Quedan 12 números."),
        (K.INVOICE_NUMBERS, None, {"until": "3 de enero de 2027"}, "Vence el 3 de enero de 2027."),
        (K.JOB_FAILED, None, {"kind": "mail.send", "key": "mail_1"}, "Enviar un correo"),
        (K.JOB_FAILED, None, {"kind": "no such job"}, "Una tarea interna de la tienda"),
        (K.CLOCK_PUT_BACK, None, {"ahead_s": 610}, "Estaba adelantado 10 minutos."),
    ],
)
def test_sentence_states_the_facts_in_spanish(
    kind: K, amount: int | None, data: Mapping[str, Any], expected: str
) -> None:
    row = make_row(kind, amount, data)
    assert describe_facts(row).replace("\u00a0", " ") == expected


@pytest.mark.parametrize("kind", list(K))
@pytest.mark.parametrize("amount", [None, 5_000])
def test_attention_row_of_an_earlier_release_is_described_without_ids_or_english(
    kind: K, amount: int | None
) -> None:
    """Describe a row whose data lacks the keys that the sentence uses now."""
    text = describe_facts(make_row(kind, amount, {"key": "mail_1", "reference": None}))
    assert not re.search(r"None|_\d|payses|approved|\{", text)


def test_attention_row_without_an_amount_states_no_disputed_amount() -> None:
    assert format_disputed_amount(make_row(K.PQRS_DUE, None, {})) == ""


def test_every_final_state_of_a_payment_has_a_name() -> None:
    assert {state for state in SessionState if state.is_final} <= set(PAYMENT_STATES)
    reported = set(ProviderState) - {ProviderState.PENDING_AUTHORIZATION, ProviderState.UNKNOWN}
    assert reported <= set(PAYMENT_STATES)


def test_every_job_that_can_be_given_up_has_a_name() -> None:
    kinds = {
        getattr(import_module(".".join(file.relative_to(ROOT).with_suffix("").parts)), name)
        for file in (ROOT / "backend").rglob("*.py")
        for name in re.findall(r"@job\((\w+)", file.read_text("utf-8"))
    }
    assert len(kinds) > 10
    assert kinds <= set(JOB_NAMES)
