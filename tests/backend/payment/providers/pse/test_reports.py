from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from backend.payment.providers.pse.answers import exact_json
from backend.payment.providers.pse.reports import GatewayState, read_lookup, read_report

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


def test_a_notification_is_read_into_plain_facts() -> None:
    report = read_report(ACCEPTED)
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
def test_every_published_state_is_known_by_code_and_word(state: GatewayState) -> None:
    fields = {"x_cod_transaction_state": str(int(state)), "x_response": state.text.upper()}
    assert read_report(fields).state is state


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        # the first code that tells is the one
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
        # what is contradicted, unpublished or not told is unknown
        ({"x_cod_transaction_state": "1", "x_response": "Rechazada"}, None),
        ({"x_cod_transaction_state": "5", "x_response": "Aceptada"}, None),
        ({"x_cod_transaction_state": "uno", "x_response": "Aceptada"}, None),
        ({"x_response": "Aceptada"}, None),
        ({}, None),
    ],
)
def test_a_state_is_believed_only_when_code_and_word_agree(
    fields: dict[str, Any], state: GatewayState | None
) -> None:
    assert read_report(fields).state is state


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
def test_an_error_envelope_is_unknown_and_never_a_refusal(answer: Any) -> None:
    report = read_lookup(answer)
    assert report.state is None
    assert report.reference is None


def test_a_lookup_with_numbers_keeps_them_exact() -> None:
    body = b"""{"success": true, "data": {"x_ref_payco": 101767532, "x_transaction_id": 48771874411906123456789,
        "x_amount": 38000.10, "x_currency_code": "COP", "x_cod_transaction_state": 1, "x_response": "Aceptada"}}"""
    report = read_lookup(exact_json(body))
    assert report.transaction_id == "48771874411906123456789"
    assert report.amount == Decimal("38000.10")
    assert report.state is GatewayState.ACCEPTED


def test_the_older_answer_is_understood() -> None:
    report = read_lookup(
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


def test_what_is_no_amount_or_no_date_is_left_out() -> None:
    report = read_report({"x_amount": "treinta", "x_transaction_date": "ayer"})
    assert report.amount is None
    assert report.transaction_date is None
    assert not report.test
