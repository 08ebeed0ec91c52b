"""Search terms of orders and customers, from names, e-mails, telephones and documents. They are personal data."""

import re
from collections.abc import Mapping
from typing import Any

from backend.core.collation import fold

MAX_TERM_LENGTH = 80
MAX_TERMS = 40
COUNTRY = "57"
NATIONAL_DIGITS = 10
_WORD = re.compile(r"[a-z0-9]+")
_NAMES = ("first_name", "last_name", "company")


def customer_terms(
    email: str, addresses: list[Mapping[str, Any]], payer: Mapping[str, Any] | None
) -> list[str]:
    """Return the search terms of an order or of a customer.

    Args:
        email: the customer's e-mail address.
        addresses: addresses of the order or of the customer, in the platform's format.
        payer: the payer, in the format of `Order.payer`.

    Returns:
        Words in lower case without accents, whole e-mail addresses, and numbers as digits, without duplicates.
    """
    payer = payer or {}
    terms = [fold(email)[:MAX_TERM_LENGTH], *_WORD.findall(fold(email.partition("@")[0]))]
    for address in addresses:
        for name in _NAMES:
            terms += _WORD.findall(fold(_text(address, name)))
        terms.append(phone_digits(_text(address, "phone")))
    terms.append(fold(_text(payer, "email"))[:MAX_TERM_LENGTH])
    terms.append("".join(_WORD.findall(fold(_text(payer, "doc_number")))))
    present = [term[:MAX_TERM_LENGTH] for term in terms if term]
    return list(dict.fromkeys(present))[:MAX_TERMS]


def parse_search_terms(text: str) -> list[str]:
    """Convert a search text to the beginnings of the terms to search for. Digits may be written in groups."""
    folded = fold(text)
    together = re.sub(r"[\s+().#-]", "", folded)
    if together.isdigit():
        return [phone_digits(together)]
    terms: list[str] = []
    for word in folded.split():
        terms += [word] if "@" in word else _WORD.findall(word)
    return list(dict.fromkeys(term[:MAX_TERM_LENGTH] for term in terms))


def phone_digits(text: str) -> str:
    """Return the digits of a telephone number, without Colombia's country code."""
    digits = re.sub(r"[^0-9]", "", text)
    is_international = len(digits) == NATIONAL_DIGITS + len(COUNTRY) and digits.startswith(COUNTRY)
    return digits[len(COUNTRY) :] if is_international else digits


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
