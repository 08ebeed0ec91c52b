import json
from typing import Any

import pytest

from backend.core.errors import OutcomeUnknown
from backend.core.web.http_client import ServiceUnavailable
from backend.payment.providers.pse.requests import Bank
from backend.payment.providers.pse.responses import (
    PaymentRefused,
    RedirectUrlMissing,
    RefusalReason,
    parse_bank_list,
    parse_created_payment,
    parse_exact_json,
    require_matching_answer,
)
from tests.gateway_kit import bank_payment

URL = "https://registro.desarrollo.pse.com.co/PSEUserRegister/StartTransaction.aspx?enc=abc"


@pytest.mark.parametrize(
    "name",
    [
        "urlbanco",
        "urlBanco",
        "URLBANCO",
        "url_banco",
        "bankUrl",
        "bank_url",
        "redirect_url",
        "processUrl",
        "url",
    ],
)
@pytest.mark.parametrize("place", ["data", "top"])
def test_bank_url_is_found_under_each_of_its_known_names(name: str, place: str) -> None:
    answer: dict[str, Any] = {"success": True, "data": {"ref_payco": 7}}
    (answer["data"] if place == "data" else answer)[name] = f" {URL} "
    assert parse_created_payment(answer).redirect_url == URL


def test_usual_field_name_of_the_bank_url_has_priority() -> None:
    data = {"url": "https://other.example", "urlbanco": URL}
    assert (
        parse_created_payment({"success": True, "data": data, "urlbanco": "https://top.example"}).redirect_url
        == URL
    )


@pytest.mark.parametrize(
    "value", ["", None, 7, "javascript:alert(1)", "//host/path", "ftp://host", "https://", "http://["]
)
def test_answer_with_an_invalid_bank_url_raises_an_error(value: Any) -> None:
    with pytest.raises(RedirectUrlMissing):
        parse_created_payment({"success": True, "data": {"urlbanco": value}})


@pytest.mark.parametrize("answer", [{}, [], "ok", {"success": True}, {"success": True, "data": []}])
def test_error_about_an_answer_without_a_bank_url_contains_the_answer(answer: Any) -> None:
    with pytest.raises(RedirectUrlMissing) as missing:
        parse_created_payment(answer)
    assert missing.value.payload == answer
    assert json.dumps(answer) in missing.value.message


def test_large_numbers_of_a_created_payment_stay_exact() -> None:
    body = f"""{{"success": true, "data": {{"ref_payco": 101767532, "urlbanco": "{URL}", "autorizacion": "1234567",
        "transactionID": 1234567, "recibo": "487718744119061234567", "ticketId": 487718744119061234567}}}}"""
    created = parse_created_payment(parse_exact_json(body.encode()))
    assert (created.reference, created.transaction_id) == ("101767532", "1234567")
    assert created.ticket_id == "487718744119061234567"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            {
                "success": False,
                "title_response": "Error",
                "text_response": "No se pudo crear la transacción, por favor intente más tarde",
                "last_action": "Ingresar pago debito Pse",
            },
            RefusalReason.OTHER,
        ),
        (
            {"success": False, "data": {"errores": [{"codError": "E035", "errorMessage": "…"}]}},
            RefusalReason.INVALID_DATA,
        ),
        ({"success": False, "title_response": "FAIL_EXCEEDEDLIMIT"}, RefusalReason.LIMIT),
        (
            {"success": False, "data": {"respuesta": "(FAIL_BANKUNREACHEABLE) …"}},
            RefusalReason.BANK_UNAVAILABLE,
        ),
        ({"success": False, "text_response": "monto mínimo no superado"}, RefusalReason.BELOW_MINIMUM),
        ({"success": True, "data": {"estado": "Fallida", "urlbanco": URL}}, RefusalReason.OTHER),
        ({"success": False, "data": {"urlbanco": URL}}, RefusalReason.OTHER),
        ({"success": False, "titleResponse": "FAIL_INVALIDPARAMETERS"}, RefusalReason.INVALID_DATA),
    ],
)
def test_refused_payment_has_a_refusal_reason(answer: dict[str, Any], reason: RefusalReason) -> None:
    with pytest.raises(PaymentRefused) as refused:
        parse_created_payment(answer)
    assert refused.value.reason is reason


NEWER = "La cuenta no puede pagar hoy"


@pytest.mark.parametrize(
    ("answer", "reason", "words"),
    [
        ({"status": "false", "message": NEWER}, RefusalReason.OTHER, NEWER),
        ({"status": "False", "message": NEWER, "data": {}}, RefusalReason.OTHER, NEWER),
        ({"success": "FALSE", "textResponse": NEWER}, RefusalReason.OTHER, NEWER),
        ({"errorType": "BUSINESS", "message": NEWER}, RefusalReason.OTHER, NEWER),
        ({"errorType": "VALIDATION_ERROR", "errors": []}, RefusalReason.INVALID_DATA, "VALIDATION_ERROR"),
        (
            {"errors": [{"code": "E014", "message": "monto mínimo"}]},
            RefusalReason.BELOW_MINIMUM,
            "monto mínimo",
        ),
        (
            {"errors": {"document": ["no es válido"]}, "data": None},
            RefusalReason.INVALID_DATA,
            "no es válido",
        ),
        ({"errors": ["FAIL_EXCEEDEDLIMIT"], "success": False}, RefusalReason.LIMIT, "FAIL_EXCEEDEDLIMIT"),
        ({"data": {"errors": [{"errorMessage": NEWER}]}}, RefusalReason.INVALID_DATA, ""),
    ],
)
def test_refused_payment_in_the_newer_format_has_a_refusal_reason(
    answer: dict[str, Any], reason: RefusalReason, words: str
) -> None:
    with pytest.raises(PaymentRefused) as refused:
        parse_created_payment(answer)
    assert refused.value.reason is reason
    assert words in refused.value.message


@pytest.mark.parametrize(
    "answer",
    [
        {"success": True, "errors": ["algo"], "data": {"ref_payco": 1}},
        {"status": "true", "errors": [], "errorType": ""},
        {"status": "true", "errorType": None, "errors": {}},
        {"success": True, "message": "en proceso"},
    ],
)
def test_unclear_answer_to_a_payment_is_not_read_as_a_refusal(answer: dict[str, Any]) -> None:
    with pytest.raises(RedirectUrlMissing):
        parse_created_payment(answer)


def test_bank_url_next_to_a_list_of_errors_is_accepted() -> None:
    assert parse_created_payment({"errors": ["aviso"], "data": {"urlbanco": URL}}).redirect_url == URL


ODD = ["a\0b", "\ud83d", "x\r\ny", "9" * 5_000, [], {"a": 1}, True, "", None]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:12])
def test_implausible_number_or_bank_url_becomes_none(odd: object) -> None:
    data = {"urlbanco": URL, "ref_payco": "1", "transactionID": "2", "ticketId": "3"}
    for name, field in (
        ("ref_payco", "reference"),
        ("transactionID", "transaction_id"),
        ("ticketId", "ticket_id"),
    ):
        created = parse_created_payment({"success": True, "data": {**data, name: odd}})
        assert getattr(created, field) is None
        assert created.redirect_url == URL
    with pytest.raises(RedirectUrlMissing) as missing:
        parse_created_payment({"success": True, "data": {**data, "urlbanco": odd}})
    assert (missing.value.reference, missing.value.ticket_id) == ("1", "3")
    missing.value.message.encode()
    assert "\0" not in missing.value.message
    assert len(missing.value.message) < 5_000


@pytest.mark.parametrize("address", [f"{URL}\r\nset-cookie: a=b", f"{URL}\t", f"{URL} x", "https://a\n.co/b"])
def test_answer_whose_bank_url_has_control_characters_raises_an_error(address: str) -> None:
    if address.strip() != URL:
        with pytest.raises(RedirectUrlMissing):
            parse_created_payment({"success": True, "data": {"urlbanco": address}})


def test_malformed_rows_do_not_invalidate_the_list_of_banks() -> None:
    rows = [{"bankCode": odd, "bankName": "x"} for odd in ODD] + [
        {"bankCode": "1022", "bankName": odd} for odd in ODD
    ]
    banks = parse_bank_list(
        {"success": True, "data": [*rows, None, 5, {"bankCode": 1077, "bankName": "BAN\0KA"}]}
    )
    assert {bank.code for bank in banks} == {"1022", "1077"}
    assert banks[-1] == Bank("1077", "BAN KA")
    assert all(bank.name.isprintable() and len(bank.name) <= 200 for bank in banks)


def test_list_with_more_than_500_banks_raises_service_unavailable() -> None:
    with pytest.raises(ServiceUnavailable):
        parse_bank_list(
            {"success": True, "data": [{"bankCode": str(code), "bankName": "B"} for code in range(501)]}
        )


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"factura": "TR-1", "valor": "119000.00", "moneda": "cop"},
        {"factura": "TR-1", "valor": "119000"},
        {"factura": "", "valor": "", "moneda": ""},
        {"invoice": "TR-1", "amount": "1.19e5", "currency": "COP"},
    ],
)
def test_answer_that_repeats_the_values_of_the_request_is_accepted(data: dict[str, str]) -> None:
    require_matching_answer({"data": data}, bank_payment())


@pytest.mark.parametrize(
    "data",
    [{"factura": "TR-2"}, {"valor": "119001"}, {"valor": "1190.00"}, {"moneda": "USD"}, {"invoice": "TR-2"}],
)
def test_answer_with_values_of_another_payment_raises_outcome_unknown(data: dict[str, str]) -> None:
    with pytest.raises(OutcomeUnknown, match="another payment"):
        require_matching_answer({"success": True, "data": data}, bank_payment())


def test_bank_list_with_invalid_utf8_is_parsed() -> None:
    rows = b'[{"bankCode": 0, "bankName": "continuaci\xf3n"}, {"bankCode": 1077, "bankName": "BANKA"}]'
    body = b'{"success": true, "data": ' + rows + b"}"
    assert parse_bank_list(parse_exact_json(body)) == [Bank("0", "continuaci\ufffdn"), Bank("1077", "BANKA")]


@pytest.mark.parametrize("answer", [None, [], {}, {"data": {}}, {"success": False, "data": []}])
def test_answer_without_a_bank_list_raises_service_unavailable(answer: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        parse_bank_list(answer)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"<html>", b'{"a": NaN}', b"[" * 1_900, b'{"a":' * 1_900, b"[" * 34 + b"]" * 34]
)
def test_invalid_or_deeply_nested_json_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (json's own, or ours)
        parse_exact_json(body)
