"""The words that find an order or a customer: of a name, e-mail, telephone and document. They are personal data."""

import re
from collections.abc import Mapping
from typing import Any

from backend.core.collation import fold

LONGEST_TERM = 80
MOST_TERMS = 40
COUNTRY = "57"
NATIONAL_DIGITS = 10
_WORD = re.compile(r"[a-z0-9]+")
_NAMES = ("first_name", "last_name", "company")


def buyer_terms(email: str, addresses: list[Mapping[str, Any]], payer: Mapping[str, Any] | None) -> list[str]:
    """What an order, or who buys, is found by.

    Args:
        email: the buyer's.
        addresses: of the order, or of whoever buys, as the platform keeps them.
        payer: who paid, as `Order.payer` has it.

    Returns:
        Words in lower case without accents, the address as a whole, and numbers as digits; each once.
    """
    payer = payer or {}
    terms = [fold(email)[:LONGEST_TERM], *_WORD.findall(fold(email.partition("@")[0]))]
    for address in addresses:
        for name in _NAMES:
            terms += _WORD.findall(fold(_text(address, name)))
        terms.append(phone_digits(_text(address, "phone")))
    terms.append(fold(_text(payer, "email"))[:LONGEST_TERM])
    terms.append("".join(_WORD.findall(fold(_text(payer, "doc_number")))))
    kept = [term[:LONGEST_TERM] for term in terms if term]
    return list(dict.fromkeys(kept))[:MOST_TERMS]


def wanted_terms(text: str) -> list[str]:
    """What somebody means who looks for this text: the beginnings of terms. Digits may be written in groups."""
    folded = fold(text)
    together = re.sub(r"[\s+().#-]", "", folded)
    if together.isdigit():
        return [phone_digits(together)]
    terms: list[str] = []
    for word in folded.split():
        terms += [word] if "@" in word else _WORD.findall(word)
    return list(dict.fromkeys(term[:LONGEST_TERM] for term in terms))


def phone_digits(text: str) -> str:
    """The digits of a telephone number, without Colombia's before a national one."""
    digits = re.sub(r"[^0-9]", "", text)
    is_international = len(digits) == NATIONAL_DIGITS + len(COUNTRY) and digits.startswith(COUNTRY)
    return digits[len(COUNTRY) :] if is_international else digits


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
