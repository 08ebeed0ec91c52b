"""Reading the gateway's answers to `getBanks` and `bank.create`, and what can go wrong (wire: gateway 1.3, 1.6).

A refusal has a category and the words a shopper reads (wire: checkout). `OutcomeUnknown` of the common tree completes
the list of errors.
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
    """Why a payment was not started."""

    LIMIT = "limit"
    BELOW_MINIMUM = "below_minimum"
    BANK_UNAVAILABLE = "bank_unavailable"
    INVALID_DATA = "invalid_data"
    OTHER = "other"

    @property
    def shopper_text(self) -> str:
        """What the shopper reads, in Spanish."""
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


def _is_validation(answer: Mapping[str, Any]) -> bool:
    data = answer.get("data")
    has_errors = isinstance(data, Mapping) and bool(data.get("errores") or data.get("errors"))
    kinds = (answer.get(name) for name in ("last_action", "lastAction", "errorType"))
    return (
        has_errors
        or bool(answer.get("errors"))
        or any("validation" in str(kind).casefold() for kind in kinds)
    )


def _texts(value: Any) -> Iterator[str]:
    """Every text anywhere in the answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


class LoginFailed(ServiceUnavailable):
    """The login was tried as often as is sensible: what it was for was not sent."""


class KeysRefused(OutsideFailure):
    """The gateway does not accept our keys. Asking again does not help."""


class PaymentRefused(PaymentFailed):
    """The gateway answered that it did not start the payment.

    Attributes:
        reason: the category.
        codes: the gateway's or the bank network's codes, such as `E014` or `FAIL_EXCEEDEDLIMIT`.
    """

    def __init__(self, message: str, reason: RefusalReason, codes: tuple[str, ...] = ()) -> None:
        super().__init__(message, shopper_text=reason.shopper_text)
        self.reason = reason
        self.codes = codes


class RedirectUrlMissing(StartUnknown):
    """The gateway did not refuse the payment, but told no address to send the shopper to (spec: Errors).

    It may exist at the gateway, so it is looked up, by whatever number the answer told.

    Attributes:
        payload: the gateway's whole answer; the message includes its beginning.
    """

    def __init__(self, payload: Any) -> None:
        inner = payload.get("data") if isinstance(payload, Mapping) else None
        data = inner if isinstance(inner, Mapping) else {}
        super().__init__(
            "The gateway's answer to bank.create holds no redirect URL under any known name: "
            + to_storable_text(json.dumps(payload, ensure_ascii=False)[:MAX_SHOWN_PAYLOAD]),
            **_numbers(data),
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
"""Where the bank's address may stand, likeliest first; compared without case and underscores."""

_FAILED_STATES = ("rechazada", "fallida")
_SENTENCES = ("text_response", "textResponse", "message", "error_description", "errorMessage")

MAX_BANKS = 500
"""PSE has a few dozen. A longer list is none of banks."""
MAX_SHOWN_PAYLOAD = 4_000
"""Characters of an answer that are shown in an error."""
MAX_REASON_LENGTH = 300
MAX_CODES = 10
_NO = frozenset({"false", "error", "0"})


def exact_json(body: bytes) -> Any:
    """Return the JSON with every number as the text it was sent as: receipt numbers exceed 2^53, amounts are signed.

    Raises:
        ValueError: it is no JSON, or nested deeper than anything the gateway sends.
    """
    # bytes that are no UTF-8 are known of the placeholder's name, and must not cost the whole list
    return read_json(body, parse_number=_keep_text)


def is_refusal(fields: Mapping[str, Any]) -> bool:
    """Return True if `success` or `status` says no, as a flag or as a text."""
    return any(str(fields.get(name)).strip().casefold() in _NO for name in ("success", "status"))


def read_banks(answer: Any) -> list[Bank]:
    """Return the rows of the list in the order they were sent, the placeholder included. Rows without a code go.

    Raises:
        ServiceUnavailable: the answer holds no list of banks.
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


def read_created(answer: Any) -> BankPaymentCreated:
    """The payment that `bank.create` started.

    Raises:
        PaymentRefused: the gateway says it did not start it.
        RedirectUrlMissing: it did not refuse, but there is no address under any name we know.
    """
    if not isinstance(answer, Mapping):
        raise RedirectUrlMissing(answer)
    inner = answer.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    if is_refusal(answer) or parse_text(data.get("estado")).casefold() in _FAILED_STATES:
        raise payment_refused(answer)
    redirect_url = _redirect_url(data) or _redirect_url(answer)
    if redirect_url is None and _has_errors(answer, data):
        raise payment_refused(answer)
    if redirect_url is None:
        raise RedirectUrlMissing(answer)
    return BankPaymentCreated(redirect_url=redirect_url, raw=dict(answer), **_numbers(data))


def require_answer_to(answer: Mapping[str, Any], asked: BankPayment) -> None:
    """Check that what `bank.create` repeats is what was asked. What it does not repeat is believed.

    Raises:
        OutcomeUnknown: the invoice, amount or currency is another payment's: so are its address and its numbers.
    """
    inner = answer.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    invoice, currency = _text(data, "factura", "invoice"), _text(data, "moneda", "currency")
    amount = parse_decimal(data.get("valor", data.get("amount")))
    differences = [
        f"{name} {told} instead of {ours}"
        for name, told, ours in (
            ("invoice", invoice, asked.invoice),
            ("amount", amount, asked.value),
            ("currency", currency.upper() if currency else None, CURRENCY),
        )
        if told is not None and told != ours
    ]
    if differences:
        raise OutcomeUnknown(
            f"The answer to bank.create of invoice {asked.invoice} is of another payment: {', '.join(differences)}"
        )


def payment_refused(answer: Mapping[str, Any]) -> PaymentRefused:
    """The error for an answer that refuses: why, in the gateway's words and by its codes."""
    said = " ".join(_texts(answer))
    reason = next((reason for reason, pattern in _REASONS if pattern.search(said)), None)
    if reason is None:
        reason = RefusalReason.INVALID_DATA if _is_validation(answer) else RefusalReason.OTHER
    codes = tuple(dict.fromkeys(re.findall(r"FAIL_[A-Z]+|\b[A-Z]\d{3}\b", said)))[:MAX_CODES]
    shown = f" ({', '.join(codes)})" if codes else ""
    return PaymentRefused(
        f"The gateway refused to start the payment: {_words_of(answer) or 'no reason given'}{shown}",
        reason,
        codes,
    )


def _words_of(answer: Mapping[str, Any]) -> str:
    """Return why an answer refuses: its sentence, else the texts of its errors and their type (wire: gateway 1.6)."""
    sentences = (parse_text(answer.get(name), MAX_REASON_LENGTH) for name in _SENTENCES)
    errors = _texts([answer.get("errors"), answer.get("error"), answer.get("errorType")])
    sentence = next(filter(None, sentences), "")
    return sentence or parse_text("; ".join(islice(errors, MAX_CODES)), MAX_REASON_LENGTH)


def _has_errors(answer: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Return True if the answer tells errors in the newer shape, and does not say that it succeeded."""
    told = [answer.get("errorType"), *(part.get("errors") for part in (answer, data))]
    return answer.get("success") in (None, False) and any(any(_texts(errors)) for errors in told)


def _redirect_url(fields: Mapping[str, Any]) -> str | None:
    by_name = {name.replace("_", "").casefold(): value for name, value in fields.items()}
    for name in _REDIRECT_NAMES:
        if (address := parse_web_address(by_name.get(name))) is not None:
            return address
    return None


def _numbers(data: Mapping[str, Any]) -> dict[str, str | None]:
    """The gateway's numbers of the payment in the `data` of its answer to bank.create."""
    return {
        "reference": _text(data, "ref_payco", "refPayco"),
        "transaction_id": _text(data, "transactionID", "transactionId", "autorizacion"),
        "ticket_id": _text(data, "ticketId", "ticketID", "recibo"),
    }


def _text(fields: Mapping[str, Any], *names: str) -> str | None:
    return next(filter(None, (parse_identifier(fields.get(name)) for name in names)), None)


def _keep_text(number: str) -> str:
    if number.endswith(("NaN", "Infinity")):
        raise ValueError(f"{number} is no JSON")
    return number
