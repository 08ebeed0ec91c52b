import json
from typing import Any

import pytest

from backend.http_client import ServiceUnavailable
from backend.payment.providers.pse.answers import (
    PaymentRefused,
    RedirectUrlMissing,
    RefusalReason,
    exact_json,
    read_banks,
    read_created,
)
from backend.payment.providers.pse.requests import Bank

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
def test_the_banks_address_is_found_under_its_likely_names(name: str, place: str) -> None:
    answer: dict[str, Any] = {"success": True, "data": {"ref_payco": 7}}
    (answer["data"] if place == "data" else answer)[name] = f" {URL} "
    assert read_created(answer).redirect_url == URL


def test_the_likeliest_name_goes_first_and_data_before_the_rest() -> None:
    data = {"url": "https://other.example", "urlbanco": URL}
    assert (
        read_created({"success": True, "data": data, "urlbanco": "https://top.example"}).redirect_url == URL
    )


@pytest.mark.parametrize(
    "value", ["", None, 7, "javascript:alert(1)", "//host/path", "ftp://host", "https://", "http://["]
)
def test_what_is_no_web_address_is_none(value: Any) -> None:
    with pytest.raises(RedirectUrlMissing):
        read_created({"success": True, "data": {"urlbanco": value}})


@pytest.mark.parametrize("answer", [{}, [], "ok", {"success": True}, {"success": True, "data": []}])
def test_an_answer_without_an_address_is_an_error_that_shows_it(answer: Any) -> None:
    with pytest.raises(RedirectUrlMissing) as missing:
        read_created(answer)
    assert missing.value.payload == answer
    assert json.dumps(answer) in missing.value.message


def test_the_numbers_of_a_payment_stay_exact() -> None:
    body = f"""{{"success": true, "data": {{"ref_payco": 101767532, "urlbanco": "{URL}", "autorizacion": "1234567",
        "transactionID": 1234567, "recibo": "487718744119061234567", "ticketId": 487718744119061234567}}}}"""
    created = read_created(exact_json(body.encode()))
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
def test_a_refusal_has_a_category(answer: dict[str, Any], reason: RefusalReason) -> None:
    with pytest.raises(PaymentRefused) as refused:
        read_created(answer)
    assert refused.value.reason is reason


def test_a_bank_list_survives_bytes_that_are_no_utf8() -> None:
    rows = b'[{"bankCode": 0, "bankName": "continuaci\xf3n"}, {"bankCode": 1077, "bankName": "BANKA"}]'
    body = b'{"success": true, "data": ' + rows + b"}"
    assert read_banks(exact_json(body)) == [Bank("0", "continuaci\ufffdn"), Bank("1077", "BANKA")]


@pytest.mark.parametrize("answer", [None, [], {}, {"data": {}}, {"success": False, "data": []}])
def test_what_holds_no_list_is_no_list(answer: Any) -> None:
    with pytest.raises(ServiceUnavailable):
        read_banks(answer)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"<html>", b'{"a": NaN}', b"[" * 1_900, b'{"a":' * 1_900, b"[" * 34 + b"]" * 34]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (json's own, or ours)
        exact_json(body)
