"""Labels of customers that several screens use: name, telephone links, identity document and consents."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from backend.core.dates import time_label
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.customers.search_terms import COUNTRY, NATIONAL_DIGITS, phone_digits
from backend.legal.consents import KIND_NAMES, ConsentProof
from backend.orders.models import Order
from backend.orders.parties import find_party_name

NO_NAME = _("Sin nombre")


def recipient_name(order: Order) -> str:
    """Return the name in the shipping address; without one, as for some pickups, the customer's name."""
    return full_name(order.shipping_address) or order_customer_name(order)


def order_customer_name(order: Order) -> str:
    """Return the name of the person who bought: the payer, who may have sent the order to another recipient."""
    return payer_name(order) or NO_NAME


def payer_name(order: Order) -> str:
    """Return the name of the person who bought; empty if the order has no name."""
    return full_name(find_party_name(order.billing_address, order.shipping_address, "")._asdict())


def phone_path(phone: str) -> str:
    """Return the `tel:` link of a Colombian phone number; empty for another number."""
    national = _national_number(phone)
    return f"tel:+{COUNTRY}{national}" if national else ""


def whatsapp_path(phone: str, greeting: str = "") -> str:
    """Return the WhatsApp link of a Colombian phone number, with `greeting` as its text; empty for another number."""
    national = _national_number(phone)
    text = f"?text={quote(greeting)}" if greeting else ""
    return f"https://wa.me/{COUNTRY}{national}{text}" if national else ""


def payer_document(payer: Mapping[str, Any] | None) -> str:
    """Return the kind and number of a payer's identity document; empty without one."""
    written = (str((payer or {}).get(name) or "") for name in ("doc_type", "doc_number"))
    return " ".join(filter(None, written))


def describe_consent(proof: ConsentProof) -> tuple[str, str, str]:
    """Return the name of the consent, its proof in words, and the SHA-256 of the agreed text."""
    proof_text = _("Versión {version}, {moment}, desde {address}").format(
        version=proof.version, moment=time_label(proof.given_at), address=proof.client_ip
    )
    if proof.withdrawn_at is not None:
        proof_text += _("; retirado el {moment}").format(moment=time_label(proof.withdrawn_at))
    return KIND_NAMES[proof.kind], proof_text, proof.digest


def _national_number(phone: str) -> str:
    digits = phone_digits(phone)
    return digits if len(digits) == NATIONAL_DIGITS else ""
