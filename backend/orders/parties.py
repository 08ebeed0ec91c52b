"""Payer and invoice party of a purchase: the billing address, otherwise the shipping address.

The checkout stores a billing address if the payer is not the recipient, or is a company.

The recipient is a third role: labels use only the shipping address. A name is always taken from one address as a
whole, and so is a place: parts of two addresses are never mixed.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from backend.core.db.tables import JsonObject
from backend.core.web.contact import parse_phone, to_one_line
from backend.shipping.addresses import find_municipality_code
from backend.shipping.municipalities import find_municipality_by_code

Address = Mapping[str, Any]

NIT = "NIT"
"""The document type of companies. Only with this type, the company in an address is used as a name."""


class PartyName(NamedTuple):
    """First name, surname and company in an address; missing parts are empty."""

    first_name: str = ""
    last_name: str = ""
    company: str = ""


UNNAMED = PartyName()


def find_party_name(billing: Address | None, shipping: Address | None, doc_type: str) -> PartyName:
    """Return the name in the billing address, or in the shipping address if the billing address has none.

    `doc_type` is the type of the payer's identity document. Only for a NIT, the name includes the `company`.
    """
    for address in (billing, shipping):
        found = PartyName(*(to_one_line((address or {}).get(part)) for part in PartyName._fields))
        if doc_type.upper() != NIT:
            found = found._replace(company="")
        if any(found):
            return found
    return UNNAMED


def has_other_recipient(billing: Address | None, shipping: Address) -> bool:
    """Return True if the billing address names another person than the recipient."""
    payer, recipient = [find_party_name(None, address, "") for address in (billing, shipping)]
    return UNNAMED not in (payer, recipient) and payer != recipient


def find_customer_phone(billing: Address | None, shipping: Address) -> str:
    """Return the phone number of the person who bought.

    If the billing address names another person than the recipient, and has a number, it is this number. Otherwise
    it is the number in the shipping address, because staff correct only this one.
    """
    own = str((billing or {}).get("phone") or "") if has_other_recipient(billing, shipping) else ""
    return own or str(shipping.get("phone") or "")


def format_party_name(name: PartyName) -> str:
    """Return the name on one line; for a company, only the company's name."""
    return name.company or " ".join(filter(None, (name.first_name, name.last_name)))


def parse_typed_name(payer: Mapping[str, Any]) -> PartyName:
    """Return the name that was typed with the payer's identity document; empty if there is none.

    With a NIT, the whole name is the `company`.
    """
    name = PartyName(to_one_line(payer.get("first_name")), to_one_line(payer.get("last_name")))
    if str(payer.get("doc_type")).upper() != NIT:
        return name
    return PartyName(company=" ".join(filter(None, name)))


def build_invoice_address(billing: Address | None, shipping: Address, typed: PartyName) -> JsonObject:
    """Return the address of the invoice party: the billing address, otherwise the shipping address.

    If the billing address has no name, the address gets the name `typed`, which was entered with the identity
    document: the recipient may be another person.
    """
    address = billing or shipping
    if any((billing or {}).get(part) for part in PartyName._fields):
        return dict(address)
    return {**address, **{part: text for part, text in typed._asdict().items() if text}}


def build_payer_fields(
    billing: Address | None, shipping: Address | None, email: str | None, doc_type: str
) -> JsonObject:
    """Return the cart's data about the payer for a payment provider, under the provider's field names.

    For a company, the first name is the company's name. The surname is that of the contact in the same address, or
    the company's name again, because the gateway requires a surname.
    """
    name = find_party_name(billing, shipping, doc_type)
    return {
        "first_name": name.company or name.first_name,
        "last_name": name.last_name or name.company,
        "phone": _payer_phone(billing) or (shipping or {}).get("phone", ""),
        **(_payer_place(billing) or _unverified_place(shipping)),
        "email": email or "",
    }


def _payer_phone(address: Address | None) -> str:
    """Return the phone number of the address; empty unless it is Colombian, as the payer's number must be."""
    return parse_phone(to_one_line((address or {}).get("phone")))


def _payer_place(address: Address | None) -> JsonObject:
    """Return street, city and department; empty unless all three are known."""
    found = find_municipality_by_code(find_municipality_code(address))
    street = to_one_line((address or {}).get("address_1"))
    if found is None or not street:
        return {}
    return {**_unverified_place(address), "city": found.name, "department": found.department}


def _unverified_place(address: Address | None) -> JsonObject:
    """Return street, city and department as they were sent, without a check."""
    parts = {"address": "address_1", "city": "city", "department": "province"}
    return {name: (address or {}).get(part, "") for name, part in parts.items()}
