"""Reading the gateway's answers to `getBanks` and `bank.create` (wire: gateway 1.3, 1.6)."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from backend.payment.gateway.errors import GatewayUnavailable, PaymentRefused, RedirectUrlMissing
from backend.payment.gateway.refusals import read_refusal
from backend.payment.gateway.types import Bank, BankPaymentCreated

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


def exact_json(body: bytes) -> Any:
    """The JSON with every number kept as the text it was sent as: receipt numbers exceed 2^53, amounts are signed.

    Raises:
        ValueError: it is no JSON.
    """
    # bytes that are no UTF-8 are known of the placeholder's name, and must not cost the whole list
    text = body.decode("utf-8-sig", errors="replace")
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)


def read_banks(answer: Any) -> list[Bank]:
    """All rows of the list as sent, the placeholder included.

    Raises:
        GatewayUnavailable: the answer holds no list of banks.
    """
    rows = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or answer.get("success") is False:
        raise GatewayUnavailable("The gateway's answer holds no list of banks")
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
        raise RedirectUrlMissing(
            f"The gateway's answer to bank.create is no object: {_shown(answer)}", answer
        )
    inner = answer.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    if _is_refusal(answer, data):
        raise payment_refused(answer)
    redirect_url = _redirect_url(data) or _redirect_url(answer)
    if redirect_url is None:
        raise RedirectUrlMissing(
            f"The gateway's answer to bank.create holds no redirect URL under any known name: {_shown(answer)}",
            answer,
        )
    return BankPaymentCreated(
        redirect_url=redirect_url,
        reference=_text(data, "ref_payco", "refPayco"),
        transaction_id=_text(data, "transactionID", "transactionId", "autorizacion"),
        ticket_id=_text(data, "ticketId", "ticketID", "recibo"),
        raw=dict(answer),
    )


def payment_refused(answer: Mapping[str, Any]) -> PaymentRefused:
    """The error for an answer that refuses."""
    refusal = read_refusal(answer)
    codes = f" ({', '.join(refusal.codes)})" if refusal.codes else ""
    return PaymentRefused(
        f"The gateway refused to start the payment: {refusal.text}{codes}", refusal.reason, refusal.codes
    )


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
        if isinstance(value, str) and _is_web_address(value.strip()):
            return value.strip()
    return None


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _text(fields: Mapping[str, Any], *names: str) -> str | None:
    return next((str(fields[name]) for name in names if fields.get(name) not in (None, "")), None)


def _shown(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
