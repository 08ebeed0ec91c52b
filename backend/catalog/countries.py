"""The countries of the world by name, for the product's country of origin."""

from functools import cache

from babel import Locale

from backend.core.collation import fold
from backend.core.dates import LOCALE

CODE_LENGTH = 2
NOT_COUNTRIES = frozenset({"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"})
"""Codes in the list of territories that are not countries."""


@cache
def country_names() -> dict[str, str]:
    """Return the names by country code (ISO 3166, lower case), in the shop's language and sorted by name."""
    named = Locale.parse(LOCALE).territories.items()
    countries = [(code.lower(), name) for code, name in named if _is_country(code)]
    return dict(sorted(countries, key=lambda entry: fold(entry[1])))


def _is_country(code: str) -> bool:
    return len(code) == CODE_LENGTH and code.isalpha() and code not in NOT_COUNTRIES
