"""The countries of the world by their names, for choosing where a toy is made."""

from functools import cache

from babel import Locale

from backend.core.collation import fold
from backend.core.dates import LOCALE

LETTERS = 2
NONE = frozenset({"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"})
"""What the list of names has beside countries."""


@cache
def country_names() -> dict[str, str]:
    """The names in the shop's language by their two letters (ISO 3166) in lower case, in the order of the names."""
    named = Locale.parse(LOCALE).territories.items()
    countries = [(code.lower(), name) for code, name in named if _is_country(code)]
    return dict(sorted(countries, key=lambda one: fold(one[1])))


def _is_country(code: str) -> bool:
    return len(code) == LETTERS and code.isalpha() and code not in NONE
