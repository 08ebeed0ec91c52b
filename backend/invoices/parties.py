"""Seller and customer of a document in the DIAN's form (annex 1.9; Resolución 202 of 2025).

The shop may only ask the customer for a name, a document and, optionally, an e-mail (Res. 202 of 2025). A customer
without a document is a final consumer.
"""

import re
from typing import Any

from stdnum.co import nit

from backend.core.config.settings import Identity
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.contact import full_name, to_one_line
from backend.invoices.documents import DocumentPlace, Party
from backend.orders.models import Order
from backend.orders.parties import find_party_name
from backend.shipping.addresses import find_municipality_code
from backend.shipping.municipalities import Municipality, find_municipality_by_code

NIT = "31"
DOCUMENT_TYPES = {
    "CC": "13",
    "TI": "12",
    "CE": "22",
    "NIT": NIT,
    "PPN": "41",
    "DNI": "42",
    "SSN": "42",
    "LIC": "42",
    "PEP": "47",
    "PPT": "48",
    "RFC": "50",
}
"""DIAN's codes of the documents that the checkout accepts (table 13.2.1). A foreign document is `42`, a tax id `50`."""
NO_RESPONSIBILITY, IVA, NO_TAX = "R-99-PN", "01", "ZZ"
FINAL_CONSUMER = "222222222222"
"""The document number in the invoice of a customer who gives no identity document (rule FAK21)."""
FINAL_CONSUMER_NAME = "consumidor final"
MAX_NAME_LENGTH = 450
COMPANY_NIT_LENGTH, COMPANY_FIRST_DIGITS = 10, "89"
"""Length of a company's NIT with its check digit, and its possible first digits."""


def build_seller(shop: Identity, tax_level: str) -> Party:
    """Return the shop as the seller of a document.

    Raises:
        InvalidData: the shop's NIT is invalid, or its municipality is unknown.
    """
    number = nit.compact(shop.store_nit)
    if not nit.is_valid(number):
        raise InvalidData(
            f"STORE_NIT is not a NIT with its check digit: {to_one_line(shop.store_nit)[:40]}",
            staff_text=_("El NIT de la tienda no es válido."),
        )
    place = find_municipality_by_code(shop.carrier_origin_dane_code)
    if place is None:
        raise InvalidData(
            f"CARRIER_ORIGIN_DANE_CODE is not a municipality: {shop.carrier_origin_dane_code}",
            staff_text=_("El municipio de la bodega no existe."),
        )
    return Party(
        name=shop.store_legal_name,
        document_type=NIT,
        document=number[:-1],
        check_digit=number[-1],
        is_company=True,
        tax_level=tax_level,
        tax_scheme=IVA,
        email=shop.store_email,
        phone=shop.store_phone,
        place=_to_place(place, shop.store_address or shop.carrier_origin_address),
    )


def build_customer_party(order: Order) -> Party:
    """Return the person or company whose identity document was given for the payment; otherwise the final consumer."""
    payer, address = order.payer or {}, order.billing_address or order.shipping_address
    written = _digits_or_letters(payer.get("doc_number"))
    document_type = DOCUMENT_TYPES.get(str(payer.get("doc_type")), "")
    name = _party_name(order, is_company=document_type == NIT)
    if not (written and document_type and name):
        return _build_final_consumer()
    is_nit = document_type == NIT
    if (
        is_nit
        and len(written) == COMPANY_NIT_LENGTH
        and written[0] in COMPANY_FIRST_DIGITS
        and nit.is_valid(written)
    ):
        written = written[:-1]  # it includes its check digit, without a hyphen
    return Party(
        name=name,
        document_type=document_type,
        document=written,
        check_digit=nit.calc_check_digit(written) if is_nit and written.isdecimal() else "",
        is_company=is_nit,
        tax_level=NO_RESPONSIBILITY,
        tax_scheme=NO_TAX,
        email=str(payer.get("email") or order.email),
        phone="",
        place=_find_place(address),
    )


def _build_final_consumer() -> Party:
    return Party(
        name=FINAL_CONSUMER_NAME,
        document_type=DOCUMENT_TYPES["CC"],
        document=FINAL_CONSUMER,
        check_digit="",
        is_company=False,
        tax_level=NO_RESPONSIBILITY,
        tax_scheme=NO_TAX,
        email="",
        phone="",
        place=None,
    )


def _digits_or_letters(value: Any) -> str:
    return re.sub(r"[^0-9A-Z]", "", str(value or "").upper())[:20]


def _party_name(order: Order, *, is_company: bool) -> str:
    name = find_party_name(order.billing_address, order.shipping_address, "NIT" if is_company else "")
    return (name.company or full_name(name._asdict()))[:MAX_NAME_LENGTH]


def _find_place(address: JsonObject) -> DocumentPlace | None:
    """Return the place of the address; None if its municipality or its street is unknown."""
    found = find_municipality_by_code(find_municipality_code(address))
    written = to_one_line(address.get("address_1"))
    return _to_place(found, written) if found is not None and written else None


def _to_place(found: Municipality, address: str) -> DocumentPlace:
    return DocumentPlace(
        found.code[:5], found.name, found.department_code, found.department, to_one_line(address)
    )
