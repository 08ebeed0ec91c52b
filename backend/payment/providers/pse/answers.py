"""Reading the gateway's answers to `getBanks` and `bank.create`, and what can go wrong (wire: gateway 1.3, 1.6).

A refusal has a category and the words a shopper reads (wire: checkout). `OutcomeUnknown` of the common tree completes
the list of errors.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from backend.contact import is_web_address
from backend.errors import OutsideFailure, PaymentFailed
from backend.http_client import ServiceUnavailable
from backend.payment.providers.base import StartUnknown
from backend.payment.providers.pse.requests import Bank, BankPaymentCreated
from backend.texts import _


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
    return has_errors or "validation" in str(answer.get("last_action") or answer.get("lastAction") or "")


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
        super().__init__(message)
        self.reason = reason
        self.codes = codes

    @property
    def shopper_text(self) -> str:
        """What the shopper reads, in Spanish."""
        return self.reason.shopper_text


class RedirectUrlMissing(StartUnknown):
    """The gateway did not refuse the payment, but told no address to send the shopper to (spec: Errors).

    It may exist at the gateway, so it is looked up, by whatever number the answer told.

    Attributes:
        payload: the gateway's whole answer; the message includes it.
    """

    def __init__(self, payload: Any) -> None:
        inner = payload.get("data") if isinstance(payload, Mapping) else None
        data = inner if isinstance(inner, Mapping) else {}
        super().__init__(
            "The gateway's answer to bank.create holds no redirect URL under any known name: "
            + json.dumps(payload, ensure_ascii=False),
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

DEEPEST = 32
"""How many levels of JSON are read: the gateway sends four. What is deeper is an attack on whoever walks it."""


def exact_json(body: bytes) -> Any:
    """The JSON with every number kept as the text it was sent as: receipt numbers exceed 2^53, amounts are signed.

    Raises:
        ValueError: it is no JSON, or nested deeper than anything the gateway sends.
    """
    # bytes that are no UTF-8 are known of the placeholder's name, and must not cost the whole list
    text = body.decode("utf-8-sig", errors="replace")
    try:
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _is_deeper_than(value, DEEPEST):
        raise ValueError("nested too deeply")
    return value


def _is_deeper_than(value: Any, most: int) -> bool:
    """Whether objects and lists lie more than `most` deep in each other. Takes no recursion to find out."""
    level = [value]
    for _depth in range(most + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def read_banks(answer: Any) -> list[Bank]:
    """All rows of the list as sent, the placeholder included.

    Raises:
        ServiceUnavailable: the answer holds no list of banks.
    """
    rows = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or answer.get("success") is False:
        raise ServiceUnavailable("The gateway's answer holds no list of banks")
    return [
        Bank(code=str(row["bankCode"]).strip(), name=str(row.get("bankName") or "").strip())
        for row in rows
        if isinstance(row, Mapping) and row.get("bankCode") is not None
    ]


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
    if _is_refusal(answer, data):
        raise payment_refused(answer)
    redirect_url = _redirect_url(data) or _redirect_url(answer)
    if redirect_url is None:
        raise RedirectUrlMissing(answer)
    return BankPaymentCreated(redirect_url=redirect_url, raw=dict(answer), **_numbers(data))


def payment_refused(answer: Mapping[str, Any]) -> PaymentRefused:
    """The error for an answer that refuses: why, in the gateway's words and by its codes."""
    said = " ".join(_texts(answer))
    reason = next((reason for reason, pattern in _REASONS if pattern.search(said)), None)
    if reason is None:
        reason = RefusalReason.INVALID_DATA if _is_validation(answer) else RefusalReason.OTHER
    codes = tuple(dict.fromkeys(re.findall(r"FAIL_[A-Z]+|\b[A-Z]\d{3}\b", said)))
    text = (
        answer.get("text_response")
        or answer.get("textResponse")
        or answer.get("message")
        or "no reason given"
    )
    shown = f" ({', '.join(codes)})" if codes else ""
    return PaymentRefused(f"The gateway refused to start the payment: {text}{shown}", reason, codes)


def _is_refusal(answer: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    return (
        answer.get("success") in (False, "false", "0")
        or answer.get("status") in (False, "error")
        or str(data.get("estado", "")).casefold() in _FAILED_STATES
    )


def _redirect_url(fields: Mapping[str, Any]) -> str | None:
    by_name = {name.replace("_", "").casefold(): value for name, value in fields.items()}
    for name in _REDIRECT_NAMES:
        value = by_name.get(name)
        if isinstance(value, str) and is_web_address(value.strip()):
            return value.strip()
    return None


def _numbers(data: Mapping[str, Any]) -> dict[str, str | None]:
    """The gateway's numbers of the payment in the `data` of its answer to bank.create."""
    return {
        "reference": _text(data, "ref_payco", "refPayco"),
        "transaction_id": _text(data, "transactionID", "transactionId", "autorizacion"),
        "ticket_id": _text(data, "ticketId", "ticketID", "recibo"),
    }


def _text(fields: Mapping[str, Any], *names: str) -> str | None:
    return next((str(fields[name]) for name in names if fields.get(name) not in (None, "")), None)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
