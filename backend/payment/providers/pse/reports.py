"""Reading what a notification or a lookup says (wire: gateway 1.7, 1.8), whichever of its dialects it speaks.

A state is believed only when its code is published and its own text does not contradict it; anything else is *unknown*,
which is never a refusal: the gateway has answered HTTP 200 with an error envelope for payments that were accepted.

A notification's signature covers who, which transaction, how much and in what currency. It does *not* cover the
invoice, the state or the test flag: a genuine signature proves where the message once came from, not that the payment
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
from backend.payment.providers.pse.responses import exact_json, is_refusal


class GatewayState(IntEnum):
    """A state by the gateway's code. There is no 5."""

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
        """The gateway's own word for the state, as it stands in `x_response`."""
        return _TEXTS[self]

    @classmethod
    def from_code(cls, code: str) -> Self | None:
        """The state of a code as received; None for a code the gateway has not published."""
        number = parse_integer(code, maximum=MAX_STATE)
        return cls(number) if number in set(cls) else None

    def agrees_with(self, text: str) -> bool:
        """Whether the gateway's word names this state, whatever its case and accents."""
        return _plain(text) == _plain(self.text)


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


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).strip().casefold()


@dataclass(frozen=True, kw_only=True)
class GatewayReport:
    """What a notification or a lookup says of a transaction. Any field may be missing from an answer.

    Attributes:
        reference: `x_ref_payco`, the gateway's number.
        transaction_id: `x_transaction_id`; in a lookup by ticket the `transactionID`.
        approval: `x_approval_code`, in PSE the CUS.
        invoice: our own reference.
        amount: exact; None when missing, no number, or more than any purchase.
        currency: upper case.
        state: None means *unknown*: no code, an unpublished code, or a code that its text contradicts.
        response_text: the reason in words (`x_response_reason_text`), else `x_response`.
        transaction_date: in UTC.
        cust: the merchant the transaction belongs to (`x_cust_id_cliente`).
        test: whether the gateway says that no real money moved.
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

# each fact by its names: the notification's first, then the older Spanish answer's, then the newer camel-case one's
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
    GatewayState.FRAUD: ProviderState.HELD,  # a person decides: the money may have left the shopper's account
    GatewayState.EXPIRED: ProviderState.EXPIRED,
    GatewayState.ABANDONED: ProviderState.CANCELED,
    GatewayState.CANCELED: ProviderState.CANCELED,
    GatewayState.REVERSED: ProviderState.CANCELED,  # the money went back to the shopper
}
"""The states of the port by those of the gateway."""
_UNDECIDED = (None, GatewayState.PENDING, GatewayState.STARTED, GatewayState.HELD)


def read_report(fields: Mapping[str, Any]) -> GatewayReport:
    """The report that a notification's fields, or a lookup's `data`, make. Never fails: what is missing is None.

    Numbers of the gateway's that cannot be believed are missing; an invoice that cannot be is another payment's.
    """
    raw = {str(name): _as_text(value) for name, value in fields.items()}
    invoice = _first(raw, _INVOICE)
    return GatewayReport(
        reference=parse_identifier(_first(raw, _REFERENCE)),
        transaction_id=parse_identifier(_first(raw, _TRANSACTION)),
        ticket_id=parse_identifier(_first(raw, _TICKET)),
        approval=parse_identifier(_first(raw, _APPROVAL)),
        invoice=to_storable_text(invoice)[:MAX_INVOICE_LENGTH] if invoice else None,
        amount=parse_decimal(_first(raw, _AMOUNT)),
        currency=parse_text(_first(raw, _CURRENCY)).upper() or None,
        state=_state(raw),
        response_text=parse_text(_first(raw, _REASON)) or None,
        bank_name=parse_text(_first(raw, _BANK)) or None,
        transaction_date=_moment(_first(raw, _DATE)),
        cust=_first(raw, _CUST),
        test=(_first(raw, _TEST) or "").casefold() in ("true", "1", "yes"),
        raw=raw,
    )


def read_notification(raw: bytes, query: Mapping[str, str], credentials: GatewayCredentials) -> Notification:
    """A notification, from a form, a query or JSON, or from a body and a query together (wire: gateway 1.8)."""
    fields: dict[str, Any] = {**query, **_body_fields(raw)}
    report = read_report(fields)
    code = report.state.value if report.state is not None else None
    session_id = _first(report.raw, ("x_extra1",))
    return Notification(
        verdict=_verdict(fields, credentials),
        # the same transaction is told of once a state: its number alone would drop what follows `Pendiente`. The
        # signature does not cover whose payment it is, so a message with a wrong name must not hide the right one
        dedupe_key=f"{report.reference}:{report.transaction_id}:{code}:{report.invoice}:{session_id}",
        session_id=session_id,
        invoice=report.invoice,
        reference=report.reference,
        state=PROVIDER_STATES[report.state] if report.state is not None else None,
        is_final=report.state not in _UNDECIDED,
        fields=fields,
    )


def _body_fields(raw: bytes) -> dict[str, Any]:
    text = raw.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        return dict(parse_qsl(text, keep_blank_values=True))
    try:
        parsed = exact_json(raw)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _verdict(fields: Mapping[str, Any], credentials: GatewayCredentials) -> Verdict:
    """Whether the notification is the gateway's and about us."""
    if not fields.get("x_ref_payco") or not fields.get("x_signature"):
        return Verdict.MALFORMED
    if str(fields.get("x_cust_id_cliente", credentials.cust_id)) != credentials.cust_id:
        return Verdict.FOREIGN
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    genuine = is_genuine(texts, credentials.cust_id, credentials.p_key.get_secret_value())
    return Verdict.GENUINE if genuine else Verdict.FORGED


def read_lookup(answer: Any) -> GatewayReport:
    """The report of a lookup's whole answer. An error envelope, with whatever HTTP status, makes an unknown one."""
    if not isinstance(answer, Mapping):
        return GatewayReport()
    data = answer.get("data")
    fields = data if isinstance(data, Mapping) else answer
    if isinstance(fields.get("transaction"), Mapping):
        fields = fields["transaction"]
    if is_refusal(answer) or is_refusal(fields):
        return GatewayReport(raw={str(name): _as_text(value) for name, value in fields.items()})
    return read_report({"enpruebas": answer.get("enpruebas", ""), **fields})


def _state(raw: Mapping[str, Any]) -> GatewayState | None:
    # a 0 stands for "not told": it was seen beside an x_cod_response that told
    told = {
        name: value for name, value in raw.items() if not (isinstance(value, str) and value.strip() == "0")
    }
    code = _first(told, _CODE)
    state = GatewayState.from_code(code) if code else None
    text = _first(raw, _STATE_TEXT)
    if state is None or (text is not None and not state.agrees_with(text)):
        return None
    return state


def _first(raw: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of the names that holds a text which is not blank."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _as_text(value: Any) -> Any:
    """Scalars as text, for no two answers agree on which are numbers; nested values as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value


def _moment(text: str | None) -> datetime | None:
    """The gateway's local time as UTC; None when it is written in no known way."""
    for form in _DATE_FORMATS:
        try:
            return to_utc(datetime.strptime(text or "", form).replace(tzinfo=GATEWAY_ZONE))
        except ValueError:
            continue
    return None


_SIGNED = ("x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code")


def sign(cust_id: str, p_key: str, *, reference: str, transaction_id: str, amount: str, currency: str) -> str:
    """The signature, in lower-case hexadecimal. Every value goes in exactly as it stands in the message."""
    signed = f"{cust_id}^{p_key}^{reference}^{transaction_id}^{amount}^{currency}"
    return hashlib.sha256(signed.encode(errors="replace")).hexdigest()


def is_genuine(fields: Mapping[str, str], cust_id: str, p_key: str) -> bool:
    """Whether the `x_…` fields, as received, carry the signature that our keys give. Takes constant time."""
    if not all(fields.get(name) for name in _SIGNED):
        return False
    reference, transaction_id, amount, currency = (fields[name] for name in _SIGNED)
    expected = sign(
        cust_id, p_key, reference=reference, transaction_id=transaction_id, amount=amount, currency=currency
    )
    given = fields.get("x_signature", "").encode(errors="replace")
    return hmac.compare_digest(expected.encode(), given)
