"""Text and numbers of outside services, parsed into values that both databases can store.

Answers of services and notifications are written by others. Text may hold NUL, lone surrogates and control characters;
numbers may be texts, texts may be numbers, and both may be larger than any column. Each function here takes whatever a
JSON document may hold and returns a checked value, or None (empty for a text) for what cannot be believed. The provider
decides what follows: the fallback, a payment that is held, or another attempt.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any

from backend.core.money import parse_amount
from backend.core.web.contact import is_web_address, one_line

MAX_INTEGER = 2**63 - 1
"""What a column of 64 bits holds."""
MAX_PESOS = 2**31 - 1
"""What a column of whole pesos holds."""
MAX_TEXT_LENGTH = 200
MAX_IDENTIFIER_LENGTH = 80
MAX_ADDRESS_LENGTH = 2_000
MAX_TOKEN_LENGTH = 8_192
MAX_JSON_DEPTH = 32
"""Levels of objects and lists. The deepest documents of gateway and carrier that are known have six."""
YEARS = range(2000, 2101)
"""A moment of another year is a mistake."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_INTEGER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_PRICE = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,2})?", re.ASCII)
_TOKEN = re.compile(r"[\x21-\x7e]+", re.ASCII)
_EXACT_FLOATS = 2.0**53
"""Floats below it have no gaps between whole numbers."""


def read_json(body: bytes, *, parse_number: Callable[[str], Any] | None = None) -> Any:
    """Return a JSON document whose texts hold no NUL and no lone surrogate.

    Numbers become int and float: NaN, the infinities and integers of over 30 digits become None. With `parse_number`
    each number, NaN and the infinities too, is what that makes of its text.

    Raises:
        ValueError: it is no JSON, or nested deeper than `MAX_JSON_DEPTH`.
    """
    text = body.decode("utf-8-sig", errors="replace")
    try:
        value = json.loads(
            text,
            parse_int=parse_number or _to_int,
            parse_float=parse_number or float,
            parse_constant=parse_number or (lambda _name: None),
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _is_deeper_than(value, MAX_JSON_DEPTH):
        raise ValueError("nested too deeply")
    return to_storable(value) if "\\u" in text else value


def to_storable_text(text: str) -> str:
    """Return the text with U+FFFD in place of NUL and of lone surrogates, which no database takes."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def parse_text(value: object, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Return a text or number as one line without control characters, cut to `max_length`; empty for the rest."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return one_line(value[: 4 * max_length])[:max_length].rstrip() if isinstance(value, str) else ""


def parse_identifier(value: object, max_length: int = MAX_IDENTIFIER_LENGTH) -> str | None:
    """Return a number or text that names something, without spaces around it.

    None for what is empty, longer than `max_length`, or holds a character that cannot be printed: an identifier is not
    cut or cleaned, because it would name something else.
    """
    if isinstance(value, float):
        value = int(value) if abs(value) < _EXACT_FLOATS and value.is_integer() else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**max_length else None
    text = value.strip() if isinstance(value, str) and len(value) <= 2 * max_length else ""
    return text if text.isprintable() and 0 < len(text) <= max_length else None


def parse_integer(value: object, minimum: int = 0, maximum: int = MAX_INTEGER) -> int | None:
    """Return a whole number from `minimum` to `maximum`, also one that is a text; else None."""
    if isinstance(value, str):
        value = int(value) if _INTEGER.fullmatch(value.strip()) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if minimum <= value <= maximum else None


def parse_decimal(value: object, maximum: int = MAX_PESOS) -> Decimal | None:
    """Return a number, or a text that is one, as an exact decimal of at most `maximum` in size; else None."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value) if not isinstance(value, int) or abs(value) <= maximum else ""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value.strip()):
        return None
    number = parse_amount(value)
    return number if number is not None and abs(number) <= maximum else None


def parse_price(value: object, maximum: int = MAX_PESOS) -> Decimal | None:
    """Return a price in pesos from 0 to `maximum`, also one that is a text; else None.

    A text has at most two decimals: `8.500` may mean thousands, so it is no price.
    """
    if isinstance(value, str) and not _PRICE.fullmatch(value.strip()):
        return None
    number = parse_decimal(value, maximum)
    return number if number is not None and number >= 0 else None


def parse_moment(value: object, zone: tzinfo) -> datetime | None:
    """Return an ISO 8601 text as a moment in UTC; one without an offset is in `zone`. None for another year's."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return to_utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def to_utc(moment: datetime) -> datetime | None:
    """Return an aware moment in UTC; None when its year is not in `YEARS`."""
    return moment.astimezone(UTC) if moment.year in YEARS else None


def parse_web_address(value: object) -> str | None:
    """Return an address of http or https with a host, without spaces or control characters inside; else None."""
    text = value.strip() if isinstance(value, str) and len(value) <= MAX_ADDRESS_LENGTH else ""
    return text if text.isprintable() and " " not in text and is_web_address(text) else None


def parse_token(value: object) -> str | None:
    """Return an access token that can be sent in a header: visible ASCII characters only; else None."""
    if not isinstance(value, str) or len(value) > MAX_TOKEN_LENGTH:
        return None
    return value if _TOKEN.fullmatch(value) else None


def _to_int(digits: str) -> int | None:
    return int(digits) if len(digits) <= 30 else None


def to_storable(value: Any) -> Any:
    """Return a JSON value whose texts and names are storable. It recurses: check the depth before."""
    if isinstance(value, str):
        return to_storable_text(value)
    if isinstance(value, list):
        return [to_storable(inner) for inner in value]
    if isinstance(value, dict):
        return {to_storable_text(name): to_storable(inner) for name, inner in value.items()}
    return value


def _is_deeper_than(value: Any, most: int) -> bool:
    """Return True if objects and lists are nested in more than `most` levels. Takes no recursion to find out."""
    level = [value]
    for _depth in range(most + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
