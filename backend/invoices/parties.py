"""Who sells and who buys, as the DIAN wants to know it (annex 1.9; Resolución 202 of 2025).

Of a buyer the shop may ask no more than a name, a document and, if they like, an e-mail (Res. 202 of 2025). Who gives
no document buys as final consumer.
"""

import re
from typing import Any

from stdnum.co import nit

from backend.core.config.settings import Identity
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.web.contact import full_name, one_line
from backend.invoices.documents import Party, Place
from backend.orders.models import Order
from backend.orders.parties import name_of
from backend.shipping.addresses import municipality_code
from backend.shipping.municipalities import Municipality, municipality

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
"""The DIAN's code of each document that the checkout takes (table 13.2.1). Other countries' are `42`, a tax id `50`."""
NO_RESPONSIBILITY, IVA, NO_TAX = "R-99-PN", "01", "ZZ"
FINAL_CONSUMER = "222222222222"
"""The document of whoever gives none (rule FAK21)."""
FINAL_CONSUMER_NAME = "consumidor final"
LONGEST_NAME = 450
WITH_CHECK_DIGIT, OF_COMPANIES = 10, "89"
"""How long a company's NIT is with its check digit, and what it begins with."""


def seller_of(shop: Identity, tax_level: str) -> Party:
    """The shop.

    Raises:
        InvalidData: its NIT is not one, or its municipality is not known.
    """
    number = nit.compact(shop.store_nit)
    if not nit.is_valid(number):
        raise InvalidData(f"STORE_NIT is not a NIT with its check digit: {one_line(shop.store_nit)[:40]}")
    place = municipality(shop.carrier_origin_dane_code)
    if place is None:
        raise InvalidData(f"CARRIER_ORIGIN_DANE_CODE names no municipality: {shop.carrier_origin_dane_code}")
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
        place=_place(place, shop.store_address or shop.carrier_origin_address),
    )


def buyer_of(order: Order) -> Party:
    """Return the invoice party: the holder of the document that was given to pay with, else the final consumer."""
    payer, address = order.payer or {}, order.billing_address or order.shipping_address
    written = _digits_or_letters(payer.get("doc_number"))
    document_type = DOCUMENT_TYPES.get(str(payer.get("doc_type")), "")
    name = _name(order, is_company=document_type == NIT)
    if not (written and document_type and name):
        return _final_consumer()
    is_nit = document_type == NIT
    if is_nit and len(written) == WITH_CHECK_DIGIT and written[0] in OF_COMPANIES and nit.is_valid(written):
        written = written[:-1]  # it was typed with its check digit, and no hyphen says so
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
        place=_place_of(address),
    )


def _final_consumer() -> Party:
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


def _name(order: Order, *, is_company: bool) -> str:
    who = name_of(order.billing_address, order.shipping_address, "NIT" if is_company else "")
    return (who.company or full_name(who._asdict()))[:LONGEST_NAME]


def _place_of(address: JsonObject) -> Place | None:
    """Where the address is; None where it does not say exactly."""
    found = municipality(municipality_code(address))
    written = one_line(address.get("address_1"))
    return _place(found, written) if found is not None and written else None


def _place(found: Municipality, address: str) -> Place:
    return Place(found.code[:5], found.name, found.department_code, found.department, one_line(address))
