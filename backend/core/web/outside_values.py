"""Text and numbers of external services, parsed into values that both databases can store.

Answers and notifications of services cannot be trusted. Text may contain NUL, lone surrogates and control
characters; numbers may be texts, texts may be numbers, and both may be larger than any column. Each function here
takes any JSON value and returns a checked value, or None (empty for a text) if the value is not plausible. The
provider decides how to continue: with a fallback, with a payment on hold, or with another attempt.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any

from backend.core.money import parse_amount
from backend.core.web.contact import is_web_address, to_one_line

MAX_INTEGER = 2**63 - 1
"""Maximum of a 64-bit column."""
MAX_PESOS = 2**31 - 1
"""Maximum of a column of whole pesos."""
MAX_TEXT_LENGTH = 200
MAX_IDENTIFIER_LENGTH = 80
MAX_ADDRESS_LENGTH = 2_000
MAX_TOKEN_LENGTH = 8_192
MAX_JSON_DEPTH = 32
"""Maximum nesting of objects and lists. The deepest known documents of gateway and carrier have six levels."""
YEARS = range(2000, 2101)
"""Plausible years; a moment of another year is an error."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_INTEGER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_PRICE = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,2})?", re.ASCII)
_TOKEN = re.compile(r"[\x21-\x7e]+", re.ASCII)
_EXACT_FLOATS = 2.0**53
"""Below this value, floats represent every whole number exactly."""


def read_json(body: bytes, *, parse_number: Callable[[str], Any] | None = None) -> Any:
    """Parse a JSON document, and make its texts storable: without NUL and lone surrogates.

    Numbers become int and float: NaN, the infinities and integers of over 30 digits become None. `parse_number`, if
    given, converts the text of each number instead, including NaN and the infinities.

    Raises:
        ValueError: it is not JSON, or nested deeper than `MAX_JSON_DEPTH`.
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
    """Replace NUL and lone surrogates, which no database accepts, with U+FFFD."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def parse_text(value: object, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Return a text or number as one line without control characters, cut to `max_length`; empty for other values."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return to_one_line(value[: 4 * max_length])[:max_length].rstrip() if isinstance(value, str) else ""


def parse_identifier(value: object, max_length: int = MAX_IDENTIFIER_LENGTH) -> str | None:
    """Return a number or text that is an identifier, trimmed; None if it is not plausible.

    An identifier is not plausible if it is empty, longer than `max_length`, or has unprintable characters. It is
    never cut or cleaned, because it would then identify something else.
    """
    if isinstance(value, float):
        value = int(value) if abs(value) < _EXACT_FLOATS and value.is_integer() else None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**max_length else None
    text = value.strip() if isinstance(value, str) and len(value) <= 2 * max_length else ""
    return text if text.isprintable() and 0 < len(text) <= max_length else None


def parse_integer(value: object, minimum: int = 0, maximum: int = MAX_INTEGER) -> int | None:
    """Return a whole number from `minimum` to `maximum`, given as a number or a text; else None."""
    if isinstance(value, str):
        value = int(value) if _INTEGER.fullmatch(value.strip()) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if minimum <= value <= maximum else None


def parse_decimal(value: object, maximum: int = MAX_PESOS) -> Decimal | None:
    """Return a number, given as a number or a text, as an exact decimal.

    Return None for other values, and if the absolute value exceeds `maximum`.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value) if not isinstance(value, int) or abs(value) <= maximum else ""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value.strip()):
        return None
    number = parse_amount(value)
    return number if number is not None and abs(number) <= maximum else None


def parse_price(value: object, maximum: int = MAX_PESOS) -> Decimal | None:
    """Return a price in pesos from 0 to `maximum`, given as a number or a text; else None.

    A text may have at most two decimals: `8.500` may mean thousands, so it is refused.
    """
    if isinstance(value, str) and not _PRICE.fullmatch(value.strip()):
        return None
    number = parse_decimal(value, maximum)
    return number if number is not None and number >= 0 else None


def parse_moment(value: object, zone: tzinfo) -> datetime | None:
    """Parse an ISO 8601 text as a moment in UTC. A text without an offset is taken as local time in `zone`.

    Return None for other values, and for an implausible year.
    """
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return to_utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))


def to_utc(moment: datetime) -> datetime | None:
    """Convert an aware moment to UTC; None if its year is not in `YEARS`."""
    return moment.astimezone(UTC) if moment.year in YEARS else None


def parse_web_address(value: object) -> str | None:
    """Return the trimmed HTTP or HTTPS URL; None if it has no host, or contains spaces or control characters."""
    text = value.strip() if isinstance(value, str) and len(value) <= MAX_ADDRESS_LENGTH else ""
    return text if text.isprintable() and " " not in text and is_web_address(text) else None


def parse_token(value: object) -> str | None:
    """Return the access token; None unless it has only visible ASCII characters, as a header requires."""
    if not isinstance(value, str) or len(value) > MAX_TOKEN_LENGTH:
        return None
    return value if _TOKEN.fullmatch(value) else None


def _to_int(digits: str) -> int | None:
    return int(digits) if len(digits) <= 30 else None


def to_storable(value: Any) -> Any:
    """Make all texts and names in a JSON value storable. It is recursive: check the depth first."""
    if isinstance(value, str):
        return to_storable_text(value)
    if isinstance(value, list):
        return [to_storable(inner) for inner in value]
    if isinstance(value, dict):
        return {to_storable_text(name): to_storable(inner) for name, inner in value.items()}
    return value


def _is_deeper_than(value: Any, max_depth: int) -> bool:
    """Return True if objects and lists are nested in more than `max_depth` levels. It works without recursion."""
    level = [value]
    for _depth in range(max_depth + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
