from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.config.settings import Settings
from backend.payment.providers.pse.client import get_gateway_credentials
from backend.payment.providers.pse.reports import (
    GatewayState,
    is_genuine,
    parse_lookup,
    parse_report,
    read_notification,
    sign,
)
from backend.payment.providers.pse.responses import parse_exact_json

ACCEPTED = {
    "x_ref_payco": "101767532",
    "x_transaction_id": "48771874411906",
    "x_id_invoice": "INV-1",
    "x_amount": "38000.00",
    "x_currency_code": "cop",
    "x_response": "Aceptada",
    "x_response_reason_text": "00-Aprobada",
    "x_approval_code": "1234567",
    "x_bank_name": "BANCO UNION COLOMBIANO",
    "x_transaction_date": "2026-01-31 19:30:05",
    "x_cust_id_cliente": "99999",
    "x_test_request": "true",
    "x_cod_transaction_state": "1",
}


def test_payment_notification_is_parsed() -> None:
    report = parse_report(ACCEPTED)
    assert report.reference == "101767532"
    assert report.transaction_id == report.ticket_id == "48771874411906"
    assert report.approval == "1234567"
    assert report.invoice == "INV-1"
    assert report.amount == Decimal(38000)
    assert report.currency == "COP"
    assert report.state is GatewayState.ACCEPTED
    assert report.response_text == "00-Aprobada"
    assert report.bank_name == "BANCO UNION COLOMBIANO"
    assert report.transaction_date == datetime(
        2026, 2, 1, 0, 30, 5, tzinfo=UTC
    )  # Bogotá is five hours behind
    assert report.cust == "99999"
    assert report.test
    assert report.raw == ACCEPTED


@pytest.mark.parametrize("state", list(GatewayState))
def test_every_published_gateway_state_is_parsed_from_code_and_text(state: GatewayState) -> None:
    fields = {"x_cod_transaction_state": str(int(state)), "x_response": state.text.upper()}
    assert parse_report(fields).state is state


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        # the first code with a value is used
        (
            {"x_cod_transaction_state": "0", "x_cod_response": "1", "x_response": "Aceptada"},
            GatewayState.ACCEPTED,
        ),
        (
            {"x_cod_transaction_state": "", "x_cod_respuesta": "2", "x_response": "Rechazada"},
            GatewayState.REJECTED,
        ),
        ({"x_cod_response": 3, "x_response": "Pendiente"}, GatewayState.PENDING),
        (
            {"x_cod_transaction_state": "11", "x_cod_response": "2", "x_response": "Cancelada"},
            GatewayState.CANCELED,
        ),
        ({"cod_respuesta": "1", "estado": "Aceptada", "respuesta": "Aprobada"}, GatewayState.ACCEPTED),
        # a contradicted, unpublished or missing state is unknown
        ({"x_cod_transaction_state": "1", "x_response": "Rechazada"}, None),
        ({"x_cod_transaction_state": "5", "x_response": "Aceptada"}, None),
        ({"x_cod_transaction_state": "uno", "x_response": "Aceptada"}, None),
        ({"x_response": "Aceptada"}, None),
        ({}, None),
    ],
)
def test_gateway_state_is_accepted_only_if_code_and_text_agree(
    fields: dict[str, Any], state: GatewayState | None
) -> None:
    assert parse_report(fields).state is state


@pytest.mark.parametrize(
    "answer",
    [
        {
            "status": False,
            "data": {"status": "error", "description": "Error de datos o conexión verifique de nuevo."},
        },
        {"status": "error", "description": "…"},
        {"success": True, "data": {"status": "error"}},
        {"success": True, "data": {"status": "error", "x_response": "Rechazada", "x_cod_response": "2"}},
        {"success": False, "data": {**ACCEPTED, "x_response": "Rechazada", "x_cod_transaction_state": "2"}},
        {"success": True, "data": "Error"},
        {},
        [],
        "Error",
        None,
    ],
)
def test_lookup_answer_with_an_error_has_no_state(answer: Any) -> None:
    report = parse_lookup(answer)
    assert report.state is None
    assert report.reference is None


def test_large_numbers_in_a_lookup_answer_stay_exact() -> None:
    body = b"""{"success": true, "data": {"x_ref_payco": 101767532, "x_transaction_id": 48771874411906123456789,
        "x_amount": 38000.10, "x_currency_code": "COP", "x_cod_transaction_state": 1, "x_response": "Aceptada"}}"""
    report = parse_lookup(parse_exact_json(body))
    assert report.transaction_id == "48771874411906123456789"
    assert report.amount == Decimal("38000.10")
    assert report.state is GatewayState.ACCEPTED


def test_older_format_of_a_lookup_answer_is_parsed() -> None:
    report = parse_lookup(
        {
            "success": True,
            "enpruebas": 1,
            "data": {
                "ref_payco": 101767532, "factura": "INV-1", "valor": "38000", "moneda": "COP", "banco": "BANKA",
                "estado": "Pendiente", "respuesta": "Redireccionando al banco", "autorizacion": "1234567",
                "recibo": "48771874411906", "fecha": "2026-01-31 19:30:05", "cod_respuesta": 3,
                "transactionID": "1234567", "ticketId": 48771874411906,
            },
        }
    )  # fmt: skip
    assert (report.reference, report.invoice, report.ticket_id) == ("101767532", "INV-1", "48771874411906")
    assert (report.transaction_id, report.approval) == ("1234567", "1234567")
    assert report.amount == Decimal(38000)
    assert report.state is GatewayState.PENDING
    assert report.test


def test_lookup_answer_with_a_nested_transaction_is_parsed() -> None:
    transaction = {"x_ref_payco": 101767532, "x_cod_transaction_state": 1, "x_response": "Aceptada"}
    report = parse_lookup({"success": True, "enpruebas": 1, "data": {"transaction": transaction}})
    assert (report.reference, report.state, report.test) == ("101767532", GatewayState.ACCEPTED, True)


def test_invalid_amount_and_date_of_a_notification_become_none() -> None:
    report = parse_report({"x_amount": "treinta", "x_transaction_date": "ayer"})
    assert report.amount is None
    assert report.transaction_date is None
    assert not report.test


CUST, P_KEY = "99999", "0123456789abcdef0123456789abcdef01234567"
VECTORS = [
    ("38000", "89c5c38606e72e9af5750107846041c7e9be1c48f28cc7b16ac5f1dc04d5d2a3"),
    ("38000.00", "18c293b5f1e6e9c036b64a11d9d6d198ea3357c53a199d95f4fcae18468c1998"),
]


def notification(amount: str, signature: str) -> dict[str, str]:
    return {
        "x_ref_payco": "101767532",
        "x_transaction_id": "48771874411906",
        "x_amount": amount,
        "x_currency_code": "COP",
        "x_signature": signature,
    }


@pytest.mark.parametrize(("amount", "signature"), VECTORS)
def test_signature_matches_the_published_vectors(amount: str, signature: str) -> None:
    given_by_us = sign(
        CUST, P_KEY, reference="101767532", transaction_id="48771874411906", amount=amount, currency="COP"
    )
    assert given_by_us == signature
    assert is_genuine(notification(amount, signature), CUST, P_KEY)


def test_signature_uses_the_amount_exactly_as_sent() -> None:
    assert not is_genuine(notification("38000.00", VECTORS[0][1]), CUST, P_KEY)


@pytest.mark.parametrize(
    "missing", ["x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code", "x_signature"]
)
def test_notification_without_a_signed_value_is_not_genuine(missing: str) -> None:
    fields = notification(*VECTORS[0])
    del fields[missing]
    assert not is_genuine(fields, CUST, P_KEY)


@given(st.data())
def test_changed_character_makes_the_signature_invalid(data: st.DataObject) -> None:
    values = {"cust": CUST, "p_key": P_KEY, **notification(*VECTORS[0])}
    name = data.draw(st.sampled_from(sorted(values)))
    at = data.draw(st.integers(0, len(values[name]) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda c: c != values[name][at]))
    changed = {**values, name: values[name][:at] + other + values[name][at + 1 :]}
    fields = {key: value for key, value in changed.items() if key.startswith("x_")}
    assert not is_genuine(fields, changed["cust"], changed["p_key"])


ODD = ["a\0b", "\ud83d", "x\r\ny", "9" * 5_000, 2**64, 10**12, "1e400", [], {"a": 1}, "9999-12-31 23:59:59"]
READ = [
    "x_ref_payco", "x_transaction_id", "x_approval_code", "x_amount", "x_bank_name", "x_currency_code", "ticketId",
    "x_response_reason_text", "x_transaction_date", "x_cod_transaction_state",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:12])
@pytest.mark.parametrize("name", READ)
def test_implausible_field_of_a_notification_is_dropped_and_the_rest_stored(name: str, odd: object) -> None:
    report = parse_report(
        {"x_id_invoice": "TR-1", "x_cod_transaction_state": "1", "x_response": "Aceptada", name: odd}
    )
    stored = [report.reference, report.transaction_id, report.ticket_id, report.approval, report.invoice,
              report.response_text, report.bank_name, report.currency]  # fmt: skip
    for text in filter(None, stored):
        text.encode()
        assert "\0" not in text
        assert len(text) <= 200
    assert report.amount is None or abs(report.amount) < 2**31
    assert report.state is (None if name == "x_cod_transaction_state" else GatewayState.ACCEPTED)
    assert report.transaction_date is None


@pytest.mark.parametrize("invoice", ["TR-1\0", "TR\r\n-1", "TR-1\ud83d"])
def test_invoice_with_control_characters_is_not_read_as_the_cleaned_invoice(invoice: str) -> None:
    report = parse_report({"x_id_invoice": invoice})
    assert report.invoice not in (None, "TR-1")
    assert "\0" not in str(report.invoice)


@pytest.mark.parametrize("code", ["\uff11", "1_0", "+1", "01x", "5", "13"])
def test_gateway_state_code_must_be_one_of_the_published_ascii_numbers(code: str) -> None:
    assert parse_report({"x_cod_transaction_state": code, "x_response": "Aceptada"}).state is None


@pytest.mark.parametrize("status", ["false", "False", "ERROR", False])
def test_lookup_answer_with_a_failed_status_has_no_state(status: object) -> None:
    data = {"x_cod_response": "2", "x_response": "Rechazada"}
    assert parse_lookup({"status": status, "data": data}).state is None
    assert parse_lookup({"success": status, "data": data}).state is None


def test_notifications_that_name_different_payments_have_different_dedupe_keys(settings: Settings) -> None:
    """Check notifications that differ only in the invoice or in our id, which the signature does not cover.

    With equal keys, a forged notification would make the genuine one a duplicate, which is ignored.
    """
    keys = get_gateway_credentials(settings)
    fields = {"x_ref_payco": "1", "x_transaction_id": "2", "x_cod_response": "1", "x_response": "Aceptada"}
    names = [{"x_id_invoice": "TR-1", "x_extra1": "payses_1"}, {"x_id_invoice": "TR-2", "x_extra1": "payses_1"},
             {"x_id_invoice": "TR-1", "x_extra1": "payses_2"}, {"x_id_invoice": "TR-1"}]  # fmt: skip
    dedupe_keys = {read_notification(b"", {**fields, **name}, keys).dedupe_key for name in names * 2}
    assert len(dedupe_keys) == len(names)
