"""Payer and invoice party of a purchase: the billing address, else the shipping address.

The recipient is a third role: labels and parcels use the shipping address alone. Each part is taken from one address as
a whole, so that no name or place is mixed from two: who (`name_of`), and where (`place_of`).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from backend.core.db.tables import JsonObject
from backend.core.web.contact import one_line, phone_digits
from backend.shipping.addresses import municipality_code
from backend.shipping.municipalities import municipality

Address = Mapping[str, Any]

NIT = "NIT"
"""The document type of companies: with it an address is its company's, with any other its person's."""


class PartyName(NamedTuple):
    """First and last name of a person, and the company of their address; parts that are missing are empty."""

    first_name: str = ""
    last_name: str = ""
    company: str = ""


UNNAMED = PartyName()


def name_of(billing: Address | None, shipping: Address | None, doc_type: str) -> PartyName:
    """Return the name that belongs to a document of this type.

    It is read from the first of both addresses that names somebody. `company` names only the holder of a NIT: it is
    empty with any other document.
    """
    for address in (billing, shipping):
        found = PartyName(*(one_line((address or {}).get(part)) for part in PartyName._fields))
        if doc_type.upper() != NIT:
            found = found._replace(company="")
        if any(found):
            return found
    return UNNAMED


def whole_name(who: PartyName) -> str:
    """Return the name on one line; a company goes by its own name alone."""
    return who.company or " ".join(filter(None, (who.first_name, who.last_name)))


def typed_name(payer: Mapping[str, Any]) -> PartyName:
    """Return the name that was typed with the payer's document; empty where it was left to the cart's addresses."""
    who = PartyName(one_line(payer.get("first_name")), one_line(payer.get("last_name")))
    if str(payer.get("doc_type")).upper() != NIT:
        return who
    return PartyName(company=" ".join(filter(None, who)))


def invoice_address(billing: Address | None, shipping: Address, typed: PartyName) -> JsonObject:
    """Return the address of the invoice party: the billing address, else the shipping address.

    Where no billing address names anybody, `typed` does: a document is never written next to the recipient's name when
    another name was given with it.
    """
    address = billing or shipping
    if any((billing or {}).get(part) for part in PartyName._fields):
        return dict(address)
    return {**address, **{part: text for part, text in typed._asdict().items() if text}}


def payer_answers(
    billing: Address | None, shipping: Address | None, email: str | None, doc_type: str
) -> JsonObject:
    """Return what a cart tells a payment provider about the payer, by the provider's field names.

    A company's name is its first name; the last name is that of its contact in the same address, else the company
    again, because the gateway takes no payer without one.
    """
    who = name_of(billing, shipping, doc_type)
    return {
        "first_name": who.company or who.first_name,
        "last_name": who.last_name or who.company,
        "phone": _phone(billing) or (shipping or {}).get("phone", ""),
        **(_place(billing) or _sent_place(shipping)),
        "email": email or "",
    }


def _phone(address: Address | None) -> str:
    """Return the telephone of the address; empty unless it is a Colombian one, which is all that a payer has."""
    return phone_digits(one_line((address or {}).get("phone")))


def _place(address: Address | None) -> JsonObject:
    """Return street, city and department; empty unless all three are known."""
    found = municipality(municipality_code(address))
    street = one_line((address or {}).get("address_1"))
    if found is None or not street:
        return {}
    return {**_sent_place(address), "city": found.name, "department": found.department}


def _sent_place(address: Address | None) -> JsonObject:
    parts = {"address": "address_1", "city": "city", "department": "province"}
    return {name: (address or {}).get(part, "") for name, part in parts.items()}
