"""Labels of customers that several screens share: name, telephone links, document and consents."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from backend.core.dates import time_label
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.customers.search_terms import COUNTRY, NATIONAL_DIGITS, phone_digits
from backend.legal.consents import KIND_NAMES, ConsentProof
from backend.orders.models import Order

NO_NAME = _("Sin nombre")


def buyer_of(order: Order) -> str:
    """Return the name of the recipient."""
    return full_name(order.shipping_address) or NO_NAME


def phone_path(phone: str) -> str:
    """What a tap calls; empty where it is no Colombian number."""
    national = _national(phone)
    return f"tel:+{COUNTRY}{national}" if national else ""


def whatsapp_path(phone: str, greeting: str = "") -> str:
    """What a tap writes to, with this greeting; empty where it is no Colombian number."""
    national = _national(phone)
    text = f"?text={quote(greeting)}" if greeting else ""
    return f"https://wa.me/{COUNTRY}{national}{text}" if national else ""


def document_of(payer: Mapping[str, Any] | None) -> str:
    """Kind and number of a payer's document; empty without one."""
    written = (str((payer or {}).get(name) or "") for name in ("doc_type", "doc_number"))
    return " ".join(filter(None, written))


def consent_in_words(proof: ConsentProof) -> tuple[str, str, str]:
    """What was agreed to, the proof of it, and the text's SHA-256."""
    told = _("Versión {version}, {moment}, desde {address}").format(
        version=proof.version, moment=time_label(proof.given_at), address=proof.client_ip
    )
    if proof.withdrawn_at is not None:
        told += _("; retirado el {moment}").format(moment=time_label(proof.withdrawn_at))
    return KIND_NAMES[proof.kind], told, proof.digest


def _national(phone: str) -> str:
    digits = phone_digits(phone)
    return digits if len(digits) == NATIONAL_DIGITS else ""
