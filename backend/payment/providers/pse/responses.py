"""Parse the gateway's answers to `getBanks` and `bank.create`, and their errors (wire: gateway 1.3, 1.6).

A refusal has a category and a message for the shopper (wire: checkout). An answer that leaves the result unclear
raises the common error `OutcomeUnknown`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Any

from backend.core.errors import OutcomeUnknown, OutsideFailure, PaymentFailed
from backend.core.money import CURRENCY
from backend.core.texts import _
from backend.core.web.http_client import ServiceUnavailable
from backend.core.web.outside_values import (
    parse_decimal,
    parse_identifier,
    parse_text,
    parse_web_address,
    read_json,
    to_storable_text,
)
from backend.payment.providers.base import StartUnknown
from backend.payment.providers.pse.requests import Bank, BankPayment, BankPaymentCreated


class RefusalReason(StrEnum):
    """Category of a refusal to start a payment."""

    LIMIT = "limit"
    BELOW_MINIMUM = "below_minimum"
    BANK_UNAVAILABLE = "bank_unavailable"
    INVALID_DATA = "invalid_data"
    OTHER = "other"

    @property
    def shopper_text(self) -> str:
        """Return the Spanish message that tells the shopper why the payment could not be started."""
        return _TEXTS[self]


_TEXTS = {
    RefusalReason.LIMIT: _(
        "El monto de la transacción excede los límites establecidos en PSE para la empresa, "
        "por favor comuníquese con nosotros."
    ),
    RefusalReason.BELOW_MINIMUM: _(
        "El monto de la compra no alcanza el mínimo permitido para pagar por PSE."
    ),
    RefusalReason.BANK_UNAVAILABLE: _(
        "La entidad financiera no puede ser contactada para iniciar la transacción, "
        "por favor seleccione otra o intente más tarde."
    ),
    RefusalReason.INVALID_DATA: _(
        "No se pudo crear la transacción con los datos ingresados, por favor revíselos e intente de nuevo."
    ),
    RefusalReason.OTHER: _(
        "No se pudo crear la transacción, por favor intente más tarde o comuníquese con la empresa."
    ),
}

# the bank network's codes begin with FAIL_; the gateway's own with E and three digits
_REASONS = (
    (RefusalReason.LIMIT, re.compile(r"FAIL_EXCEEDEDLIMIT")),
    (RefusalReason.BELOW_MINIMUM, re.compile(r"\bE014\b|monto m[ií]nimo", re.IGNORECASE)),
    (
        RefusalReason.BANK_UNAVAILABLE,
        re.compile(r"FAIL_(BANKUNRE\w*|BANKNOTEXISTS\w*|TIMEOUT|NOTCONFIRMEDBYBANK|NOHOST|NOTALLOWEDBYTIME)"),
    ),
    (RefusalReason.INVALID_DATA, re.compile(r"FAIL_(INVALID\w*|DISABLEDUSEREMAIL|DESCRIPTIONNOTFOUND)")),
)


def _is_validation_error(answer: Mapping[str, Any]) -> bool:
    data = answer.get("data")
    has_errors = isinstance(data, Mapping) and bool(data.get("errores") or data.get("errors"))
    kinds = (answer.get(name) for name in ("last_action", "lastAction", "errorType"))
    return (
        has_errors
        or bool(answer.get("errors"))
        or any("validation" in str(kind).casefold() for kind in kinds)
    )


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield every text anywhere in the answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _iter_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _iter_texts(inner)


class LoginFailed(ServiceUnavailable):
    """The login failed, although it was retried. The call that needed it was not sent."""


class KeysRefused(OutsideFailure):
    """The gateway does not accept our keys. A retry does not help."""


class PaymentRefused(PaymentFailed):
    """The gateway answered that it did not start the payment.

    Attributes:
        reason: the category of the refusal.
        codes: the gateway's or the bank network's codes, such as `E014` or `FAIL_EXCEEDEDLIMIT`.
    """

    def __init__(self, message: str, reason: RefusalReason, codes: tuple[str, ...] = ()) -> None:
        super().__init__(message, shopper_text=reason.shopper_text)
        self.reason = reason
        self.codes = codes


class RedirectUrlMissing(StartUnknown):
    """The gateway did not refuse the payment, but returned no URL of the bank for the shopper (spec: Errors).

    The payment may exist at the gateway, so it is looked up by the numbers in the answer.

    Attributes:
        payload: the gateway's whole answer; the message includes its beginning.
    """

    def __init__(self, payload: Any) -> None:
        inner = payload.get("data") if isinstance(payload, Mapping) else None
        data = inner if isinstance(inner, Mapping) else {}
        super().__init__(
            "The gateway's answer to bank.create holds no redirect URL under any known name: "
            + to_storable_text(json.dumps(payload, ensure_ascii=False)[:MAX_PAYLOAD_LENGTH]),
            **_read_numbers(data),
        )
        self.payload = payload


_REDIRECT_NAMES = (
    "urlbanco",
    "bankurl",
    "redirecturl",
    "urlredirect",
    "processurl",
    "paymenturl",
    "urlpago",
    "pseurl",
    "urlpse",
    "urlprocess",
    "url",
)
"""Possible names of the bank's address, most likely first; compared without case and underscores."""

_FAILED_STATES = ("rechazada", "fallida")
_MESSAGE_NAMES = ("text_response", "textResponse", "message", "error_description", "errorMessage")

MAX_BANKS = 500
"""PSE has a few dozen. A longer list is not a list of banks."""
MAX_PAYLOAD_LENGTH = 4_000
"""Characters of an answer that an error message includes."""
MAX_REASON_LENGTH = 300
MAX_CODES = 10
_NEGATIVE_VALUES = frozenset({"false", "error", "0"})


def parse_exact_json(body: bytes) -> Any:
    """Parse the JSON and return every number as the text that was sent.

    Receipt numbers exceed 2^53, and the signature covers the text of the amount.

    Raises:
        ValueError: it is not JSON, or is nested deeper than any answer of the gateway.
    """
    # the placeholder's name may contain invalid UTF-8, which must not invalidate the whole list
    return read_json(body, parse_number=_number_text)


def is_refusal(fields: Mapping[str, Any]) -> bool:
    """Return True if the field `success` or `status` is negative, as a boolean or as a text."""
    return any(str(fields.get(name)).strip().casefold() in _NEGATIVE_VALUES for name in ("success", "status"))


def parse_bank_list(answer: Any) -> list[Bank]:
    """Return the rows of the list in the order sent, with the placeholder. Rows without a code are left out.

    Raises:
        ServiceUnavailable: the answer contains no list of banks, or more than `MAX_BANKS` rows.
    """
    rows = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or is_refusal(answer) or len(rows) > MAX_BANKS:
        raise ServiceUnavailable("The gateway's answer holds no list of banks")
    found = [
        (parse_identifier(row.get("bankCode")), parse_text(row.get("bankName")))
        for row in rows
        if isinstance(row, Mapping)
    ]
    return [Bank(code, name) for code, name in found if code is not None]


def parse_created_payment(answer: Any) -> BankPaymentCreated:
    """Return the payment that `bank.create` started.

    Raises:
        PaymentRefused: the gateway answered that it did not start the payment.
        RedirectUrlMissing: the payment was not refused, but the answer has no URL under any known name.
    """
    if not isinstance(answer, Mapping):
        raise RedirectUrlMissing(answer)
    inner = answer.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    if is_refusal(answer) or parse_text(data.get("estado")).casefold() in _FAILED_STATES:
        raise to_payment_refused(answer)
    redirect_url = _find_redirect_url(data) or _find_redirect_url(answer)
    if redirect_url is None and _has_errors(answer, data):
        raise to_payment_refused(answer)
    if redirect_url is None:
        raise RedirectUrlMissing(answer)
    return BankPaymentCreated(redirect_url=redirect_url, raw=dict(answer), **_read_numbers(data))


def require_matching_answer(answer: Mapping[str, Any], request: BankPayment) -> None:
    """Check that the answer to `bank.create` has the invoice, amount and currency of the request.

    Missing values are accepted.

    Raises:
        OutcomeUnknown: the invoice, amount or currency differs. The whole answer, with the bank's URL and the
            gateway's numbers, is then about another payment.
    """
    inner = answer.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    invoice, currency = (
        _read_identifier(data, "factura", "invoice"),
        _read_identifier(data, "moneda", "currency"),
    )
    amount = parse_decimal(data.get("valor", data.get("amount")))
    differences = [
        f"{name} {received} instead of {ours}"
        for name, received, ours in (
            ("invoice", invoice, request.invoice),
            ("amount", amount, request.value),
            ("currency", currency.upper() if currency else None, CURRENCY),
        )
        if received is not None and received != ours
    ]
    if differences:
        raise OutcomeUnknown(
            f"The answer to bank.create of invoice {request.invoice} is of another payment: {', '.join(differences)}"
        )


def to_payment_refused(answer: Mapping[str, Any]) -> PaymentRefused:
    """Return the error for an answer that refuses the payment, with the gateway's message and codes."""
    words = " ".join(_iter_texts(answer))
    reason = next((reason for reason, pattern in _REASONS if pattern.search(words)), None)
    if reason is None:
        reason = RefusalReason.INVALID_DATA if _is_validation_error(answer) else RefusalReason.OTHER
    codes = tuple(dict.fromkeys(re.findall(r"FAIL_[A-Z]+|\b[A-Z]\d{3}\b", words)))[:MAX_CODES]
    code_list = f" ({', '.join(codes)})" if codes else ""
    return PaymentRefused(
        f"The gateway refused to start the payment: {_describe_refusal(answer) or 'no reason given'}{code_list}",
        reason,
        codes,
    )


def _describe_refusal(answer: Mapping[str, Any]) -> str:
    """Return the reason in an answer that refuses the payment: its message, or else its error texts.

    See wire: gateway 1.6.
    """
    sentences = (parse_text(answer.get(name), MAX_REASON_LENGTH) for name in _MESSAGE_NAMES)
    errors = _iter_texts([answer.get("errors"), answer.get("error"), answer.get("errorType")])
    sentence = next(filter(None, sentences), "")
    return sentence or parse_text("; ".join(islice(errors, MAX_CODES)), MAX_REASON_LENGTH)


def _has_errors(answer: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Return True if the answer reports errors in the newer format and does not report success."""
    reported = [answer.get("errorType"), *(part.get("errors") for part in (answer, data))]
    return answer.get("success") in (None, False) and any(any(_iter_texts(errors)) for errors in reported)


def _find_redirect_url(fields: Mapping[str, Any]) -> str | None:
    by_name = {name.replace("_", "").casefold(): value for name, value in fields.items()}
    for name in _REDIRECT_NAMES:
        if (address := parse_web_address(by_name.get(name))) is not None:
            return address
    return None


def _read_numbers(data: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the gateway's numbers of the payment from the `data` of the answer to `bank.create`."""
    return {
        "reference": _read_identifier(data, "ref_payco", "refPayco"),
        "transaction_id": _read_identifier(data, "transactionID", "transactionId", "autorizacion"),
        "ticket_id": _read_identifier(data, "ticketId", "ticketID", "recibo"),
    }


def _read_identifier(fields: Mapping[str, Any], *names: str) -> str | None:
    return next(filter(None, (parse_identifier(fields.get(name)) for name in names)), None)


def _number_text(number: str) -> str:
    if number.endswith(("NaN", "Infinity")):
        raise ValueError(f"{number} is no JSON")
    return number
