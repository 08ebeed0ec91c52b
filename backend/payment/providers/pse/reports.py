"""Parse notifications and lookup answers of the gateway, in all their formats (wire: gateway 1.7, 1.8).

A state is accepted only if its code is published and its own text does not contradict it. Anything else is
*unknown*, which is never a refusal: the gateway has answered HTTP 200 with an error body for payments that were
accepted.

A notification's signature covers the merchant, the transaction, the amount and the currency. It does *not* cover
the invoice, the state or the test flag: a genuine signature proves the origin of a message, not that the payment
was accepted.
"""

import hashlib
import hmac
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from typing import Any, Self
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from backend.core.web.outside_values import (
    parse_decimal,
    parse_identifier,
    parse_integer,
    parse_text,
    to_storable_text,
    to_utc,
)
from backend.payment.providers.base import Notification, ProviderState, Verdict
from backend.payment.providers.pse.requests import GatewayCredentials
from backend.payment.providers.pse.responses import is_refusal, parse_exact_json


class GatewayState(IntEnum):
    """State of a transaction, by the gateway's code. The gateway has no code 5."""

    ACCEPTED = 1
    REJECTED = 2
    PENDING = 3
    FAILED = 4
    REVERSED = 6
    HELD = 7
    STARTED = 8
    EXPIRED = 9
    ABANDONED = 10
    CANCELED = 11
    FRAUD = 12

    @property
    def text(self) -> str:
        """Return the gateway's own word for the state, as in `x_response`."""
        return _TEXTS[self]

    @classmethod
    def from_code(cls, code: str) -> Self | None:
        """Return the state of a received code; None if the gateway has not published this code."""
        number = parse_integer(code, maximum=MAX_STATE)
        return cls(number) if number in set(cls) else None

    def agrees_with(self, text: str) -> bool:
        """Return True if the gateway's text is this state's name, ignoring case and accents."""
        return _normalize(text) == _normalize(self.text)


_TEXTS = {
    GatewayState.ACCEPTED: "Aceptada",
    GatewayState.REJECTED: "Rechazada",
    GatewayState.PENDING: "Pendiente",
    GatewayState.FAILED: "Fallida",
    GatewayState.REVERSED: "Reversada",
    GatewayState.HELD: "Retenida",
    GatewayState.STARTED: "Iniciada",
    GatewayState.EXPIRED: "Expirada",
    GatewayState.ABANDONED: "Abandonada",
    GatewayState.CANCELED: "Cancelada",
    GatewayState.FRAUD: "Antifraude",
}


def _normalize(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).strip().casefold()


@dataclass(frozen=True, kw_only=True)
class GatewayReport:
    """A report of a transaction, from a notification or a lookup. Any field may be missing.

    Attributes:
        reference: `x_ref_payco`, the gateway's number.
        transaction_id: `x_transaction_id`; in a lookup by ticket the `transactionID`.
        approval: `x_approval_code`, in PSE the CUS.
        invoice: the shop's own reference.
        amount: exact; None if it is missing, no number, or larger than any purchase.
        currency: upper case.
        state: None means *unknown*: no code, an unpublished code, or a code that its text contradicts.
        response_text: the reason in words (`x_response_reason_text`), otherwise `x_response`.
        transaction_date: in UTC.
        cust: the merchant to whom the transaction belongs (`x_cust_id_cliente`).
        test: True if the gateway reports that no real money moved.
        raw: every field as received, scalars as text.
    """

    reference: str | None = None
    transaction_id: str | None = None
    ticket_id: str | None = None
    approval: str | None = None
    invoice: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    state: GatewayState | None = None
    response_text: str | None = None
    bank_name: str | None = None
    transaction_date: datetime | None = None
    cust: str | None = None
    test: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


MAX_STATE = 99
MAX_INVOICE_LENGTH = 80
GATEWAY_ZONE = ZoneInfo("America/Bogota")
_DATE_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%d-%m-%Y %H:%M:%S")

# the names of each value: in notifications, then in older answers (Spanish), then in newer ones (camel case)
_REFERENCE = ("x_ref_payco", "ref_payco", "refPayco", "referencePayco")
_TRANSACTION = ("x_transaction_id", "transactionID", "transactionId")
_TICKET = ("ticketId", "ticketID", "recibo", "receipt", "x_transaction_id")
_APPROVAL = ("x_approval_code", "autorizacion", "authorization")
_INVOICE = ("x_id_invoice", "x_id_factura", "factura", "invoice", "bill")
_AMOUNT = ("x_amount", "x_amount_ok", "valor", "amount")
_CURRENCY = ("x_currency_code", "moneda", "currency")
_CODE = ("x_cod_transaction_state", "x_cod_response", "x_cod_respuesta", "cod_respuesta", "codeResponse")
_STATE_TEXT = ("x_response", "x_respuesta", "x_transaction_state", "estado", "status")
_REASON = ("x_response_reason_text", "x_response", "x_respuesta", "respuesta", "estado")
_BANK = ("x_bank_name", "banco", "bank")
_DATE = ("x_transaction_date", "x_fecha_transaccion", "fecha", "date")
_CUST = ("x_cust_id_cliente",)
_TEST = ("x_test_request", "enpruebas")

PROVIDER_STATES = {
    GatewayState.ACCEPTED: ProviderState.CAPTURED,
    GatewayState.REJECTED: ProviderState.REJECTED,
    GatewayState.FAILED: ProviderState.REJECTED,
    GatewayState.PENDING: ProviderState.PENDING,
    GatewayState.STARTED: ProviderState.PENDING,
    GatewayState.HELD: ProviderState.HELD,
    GatewayState.FRAUD: ProviderState.HELD,  # staff decide: the money may have left the shopper's account
    GatewayState.EXPIRED: ProviderState.EXPIRED,
    GatewayState.ABANDONED: ProviderState.CANCELED,
    GatewayState.CANCELED: ProviderState.CANCELED,
    GatewayState.REVERSED: ProviderState.CANCELED,  # the money went back to the shopper
}
"""Provider states by gateway state."""
_UNDECIDED = (None, GatewayState.PENDING, GatewayState.STARTED, GatewayState.HELD)


def parse_report(fields: Mapping[str, Any]) -> GatewayReport:
    """Return the report in a notification's fields or a lookup's `data`. It never fails: a missing value is None.

    If the gateway's number of the payment has an implausible format, it becomes None. An invoice with an
    implausible format is kept: then the report is treated as a report about another payment.
    """
    raw = {str(name): _to_text(value) for name, value in fields.items()}
    invoice = _find_text(raw, _INVOICE)
    return GatewayReport(
        reference=parse_identifier(_find_text(raw, _REFERENCE)),
        transaction_id=parse_identifier(_find_text(raw, _TRANSACTION)),
        ticket_id=parse_identifier(_find_text(raw, _TICKET)),
        approval=parse_identifier(_find_text(raw, _APPROVAL)),
        invoice=to_storable_text(invoice)[:MAX_INVOICE_LENGTH] if invoice else None,
        amount=parse_decimal(_find_text(raw, _AMOUNT)),
        currency=parse_text(_find_text(raw, _CURRENCY)).upper() or None,
        state=_parse_state(raw),
        response_text=parse_text(_find_text(raw, _REASON)) or None,
        bank_name=parse_text(_find_text(raw, _BANK)) or None,
        transaction_date=_parse_date(_find_text(raw, _DATE)),
        cust=_find_text(raw, _CUST),
        test=(_find_text(raw, _TEST) or "").casefold() in ("true", "1", "yes"),
        raw=raw,
    )


def read_notification(raw: bytes, query: Mapping[str, str], credentials: GatewayCredentials) -> Notification:
    """Parse a notification from a form, a query or JSON, or from a body and a query together (wire: gateway 1.8)."""
    fields: dict[str, Any] = {**query, **_parse_body(raw)}
    report = parse_report(fields)
    code = report.state.value if report.state is not None else None
    session_id = _find_text(report.raw, ("x_extra1",))
    return Notification(
        verdict=_check_verdict(fields, credentials),
        # a transaction is reported once for each state: its number alone would drop the states after `Pendiente`. The
        # signature does not cover the invoice, so a message with a wrong invoice must not hide the right one
        dedupe_key=f"{report.reference}:{report.transaction_id}:{code}:{report.invoice}:{session_id}",
        session_id=session_id,
        invoice=report.invoice,
        reference=report.reference,
        state=PROVIDER_STATES[report.state] if report.state is not None else None,
        is_final=report.state not in _UNDECIDED,
        fields=fields,
    )


def _parse_body(raw: bytes) -> dict[str, Any]:
    text = raw.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        return dict(parse_qsl(text, keep_blank_values=True))
    try:
        parsed = parse_exact_json(raw)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _check_verdict(fields: Mapping[str, Any], credentials: GatewayCredentials) -> Verdict:
    """Return the verdict: genuine if the gateway signed it and it is about the shop's merchant account."""
    if not fields.get("x_ref_payco") or not fields.get("x_signature"):
        return Verdict.MALFORMED
    if str(fields.get("x_cust_id_cliente", credentials.cust_id)) != credentials.cust_id:
        return Verdict.FOREIGN
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    genuine = is_genuine(texts, credentials.cust_id, credentials.p_key.get_secret_value())
    return Verdict.GENUINE if genuine else Verdict.FORGED


def parse_lookup(answer: Any) -> GatewayReport:
    """Return the report in a lookup's whole answer.

    If the answer reports an error, the state is None (unknown), whatever the HTTP status.
    """
    if not isinstance(answer, Mapping):
        return GatewayReport()
    data = answer.get("data")
    fields = data if isinstance(data, Mapping) else answer
    if isinstance(fields.get("transaction"), Mapping):
        fields = fields["transaction"]
    if is_refusal(answer) or is_refusal(fields):
        return GatewayReport(raw={str(name): _to_text(value) for name, value in fields.items()})
    return parse_report({"enpruebas": answer.get("enpruebas", ""), **fields})


def _parse_state(raw: Mapping[str, Any]) -> GatewayState | None:
    # a 0 means "not reported": the gateway has sent it together with a valid x_cod_response
    stated = {
        name: value for name, value in raw.items() if not (isinstance(value, str) and value.strip() == "0")
    }
    code = _find_text(stated, _CODE)
    state = GatewayState.from_code(code) if code else None
    text = _find_text(raw, _STATE_TEXT)
    if state is None or (text is not None and not state.agrees_with(text)):
        return None
    return state


def _find_text(raw: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first value under these names that is a text and not blank."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _to_text(value: Any) -> Any:
    """Return a scalar as text, because answers differ in which values are numbers. Nested values are unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value


def _parse_date(text: str | None) -> datetime | None:
    """Return the gateway's local time as UTC; None if its format is unknown."""
    for form in _DATE_FORMATS:
        try:
            return to_utc(datetime.strptime(text or "", form).replace(tzinfo=GATEWAY_ZONE))
        except ValueError:
            continue
    return None


_SIGNED_FIELDS = ("x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code")


def sign(cust_id: str, p_key: str, *, reference: str, transaction_id: str, amount: str, currency: str) -> str:
    """Return the signature of the values, in lower-case hexadecimal. Each value must be exactly as in the message."""
    signed = f"{cust_id}^{p_key}^{reference}^{transaction_id}^{amount}^{currency}"
    return hashlib.sha256(signed.encode(errors="replace")).hexdigest()


def is_genuine(fields: Mapping[str, str], cust_id: str, p_key: str) -> bool:
    """Return True if the received `x_…` fields have the signature of the shop's keys.

    The comparison takes constant time.
    """
    if not all(fields.get(name) for name in _SIGNED_FIELDS):
        return False
    reference, transaction_id, amount, currency = (fields[name] for name in _SIGNED_FIELDS)
    expected = sign(
        cust_id, p_key, reference=reference, transaction_id=transaction_id, amount=amount, currency=currency
    )
    received = fields.get("x_signature", "").encode(errors="replace")
    return hmac.compare_digest(expected.encode(), received)
