"""Display of numbers with their number formats (ECMA-376, 18.8.31).

Leading zeros (`0000`), letters (`0" g"`, `"TRO-"000`), percent signs and foreign currencies are displayed. The signs
of the peso, separators of thousands and rounding are ignored: a price is read with all its decimals.
"""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

_LITERAL = re.compile(r'"([^"]*)"|\\(.)')
_CODES = re.compile(r"\[[^\]]*\]|_.|\*.")
"""Parts of a number format that are ignored.

They are colours, conditions and languages in brackets, spaces as wide as a character (`_x`), and characters that
fill the cell (`*x`).
"""
_PATTERN = re.compile(r"0+(?:[-\ue000-\uf8ff]0+)+")
_PESOS = frozenset({"cop", "col"})
_FOREIGN_CURRENCY = re.compile(r"\[\$(US ?\$|U\$S|USD|EUR|€|£|MXN)", re.IGNORECASE)
"""A currency in brackets, such as `[$US$-409]`. A `$` alone means pesos: Excel in English writes it so."""


class _Display(NamedTuple):
    """Parts of a number format: texts before and after the number, and the minimum number of digits."""

    prefix: str
    suffix: str
    digits: int
    is_percent: bool
    is_scaled: bool
    pattern: str = ""
    """Zeros with other characters between them, such as `0000-00`; empty for other formats."""


def display_number(text: str, code: str) -> str:
    """Return a number as a cell with this number format displays it.

    A number is returned unchanged if it is negative, or if the format scales it. Rounding, separators of
    thousands and signs of the peso are ignored.
    """
    display = _parse_format(code)
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if display.is_percent:
        return f"{_plain(number * 100)}%"
    if display.is_scaled or number < 0:
        return text
    if display.pattern and text.isdecimal():
        return f"{display.prefix}{_fill_pattern(display.pattern, text)}{display.suffix}"
    digits = text.zfill(display.digits) if text.isdecimal() else text
    return f"{display.prefix}{digits}{display.suffix}"


@lru_cache(maxsize=1_000)
def _parse_format(code: str) -> _Display:
    literals: list[str] = []

    def store(found: re.Match[str]) -> str:
        literals.append(found[1] if found[1] is not None else found[2])
        return chr(0xE000 + len(literals) - 1)

    currency = _FOREIGN_CURRENCY.search(code)
    section = _CODES.sub("", _LITERAL.sub(store, code)).split(";")[0]
    first = re.search(r"[0#?]", section)
    if first is None:
        return _Display("", "", 0, "%" in section, is_scaled=True)
    last = max(section.rfind(letter) for letter in "0#?")
    number, before, after = section[first.start() : last + 1], section[: first.start()], section[last + 1 :]
    is_simple = re.fullmatch(r"[0#?]+", number) is not None
    return _Display(
        f"{currency[1]} " if currency else _restore(before, literals),
        _restore(after, literals),
        number.count("0") if is_simple else 0,
        "%" in section,
        is_scaled=after.startswith(",") or "E" in number or "/" in number,
        pattern=_insert(number, literals) if _PATTERN.fullmatch(number) else "",
    )


def _restore(part: str, literals: list[str]) -> str:
    """Return the text that a number format puts before or after the number, with its literals inserted.

    Return an empty text if there is neither a letter nor a sign of a foreign currency in it, or if it is only
    an abbreviation of the peso.
    """
    text = _insert(part, literals)
    word = "".join(letter for letter in text if letter.isalpha() or letter in "€£").casefold()
    return text if word and word not in _PESOS else ""


def _insert(part: str, literals: list[str]) -> str:
    return "".join(
        literals[place] if 0 <= (place := ord(letter) - 0xE000) < len(literals) else letter for letter in part
    )


def _fill_pattern(pattern: str, digits: str) -> str:
    """Return the pattern with the digits in place of its zeros.

    If there are more digits than zeros, the surplus first digits are put before the pattern.
    """
    places = pattern.count("0")
    following = iter(digits.zfill(places)[-places:])
    return digits[:-places] + "".join(next(following) if sign == "0" else sign for sign in pattern)


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
