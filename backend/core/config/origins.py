"""Parsing and matching of hosts and origins: the shop's own hosts, and sites whose pages may call the API.

Other sites are listed as in the platform's settings: by origins and by regular expressions.

The operator writes the regular expressions, but any client can send an origin that is matched with them. Both are
limited in size, so that matching is always fast.
"""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from pydantic_core import PydanticCustomError

from backend.core.config.problems import ProblemKind, value_error

MAX_ORIGIN_LENGTH = 300
"""Maximum length of an origin, in characters; a host name has at most 253."""
MAX_EXPRESSION_LENGTH = 200
MAX_REPETITIONS = 3
MAX_OPTIONS = 8

_SLASHED = re.compile(r"/(.+)/([a-z]*)")
_FLAGS = {"": re.ASCII, "i": re.ASCII | re.IGNORECASE}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/?#@\[\]\\]+?)\.?(?::\d{1,5})?", re.IGNORECASE)
"""A host with or without its port, as in the `Host` header."""
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!]|.", re.DOTALL)
"""Parts of a regular expression: escaped characters, sets, openings of groups, single characters."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Origins whose pages may call the API; none by default."""

    exact: frozenset[str] = frozenset()
    expressions: tuple[re.Pattern[str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.exact or self.expressions)

    def is_allowed(self, origin: str) -> bool:
        """Return True if pages of this origin may call the API.

        A regular expression may match a part of the origin; it needs `^` and `$` to match the whole.
        """
        if len(origin) > MAX_ORIGIN_LENGTH:
            return False
        return origin in self.exact or any(pattern.search(origin) for pattern in self.expressions)


def split_origin(origin: str) -> SplitResult:
    """Split an `Origin` header into its parts; all are empty if it is malformed."""
    try:
        return urlsplit(origin)
    except ValueError:
        return urlsplit("")


def host_of(authority: str) -> str:
    """Return the host of `tienda.example:443`, in lower case and ASCII, without its port; empty if malformed."""
    written = _AUTHORITY.fullmatch(authority) if len(authority) <= MAX_ORIGIN_LENGTH else None
    if written is None:
        return ""
    try:
        return written[1].lower().encode("idna").decode()
    except UnicodeError:
        return ""


def parse_hosts(text: str) -> frozenset[str]:
    """Parse the hosts of a setting: `www.tienda.example, tienda.local`, separated by commas.

    Raises:
        ValueError: a part is not a host; the message names it.
    """
    parts = [part for part in map(str.strip, text.split(",")) if part]
    for part in parts:
        if not host_of(part) or "*" in part or re.search(r":\d+$", part):
            raise value_error(ProblemKind.NOT_HOST, part=repr(part))
    return frozenset(map(host_of, parts))


def parse_origins(text: str) -> Origins:
    """Parse the origins of a setting: `https://tienda.example, /^https:…$/`, separated by commas.

    Raises:
        ValueError: a part is neither an origin nor a regular expression that is always fast; the message names the
            part.
    """
    parts = [part for part in map(str.strip, text.split(",")) if part]
    return Origins(
        exact=frozenset(_parse_origin(part) for part in parts if not part.startswith("/")),
        expressions=tuple(_parse_expression(part) for part in parts if part.startswith("/")),
    )


def _parse_origin(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_origin = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        is_origin = False
    if not is_origin or f"{parts.scheme}://{parts.netloc}" != text.lower() or "@" in text or "*" in text:
        raise value_error(ProblemKind.NOT_ORIGIN, part=repr(text))
    return text.lower()


def _parse_expression(text: str) -> re.Pattern[str]:
    written = _SLASHED.fullmatch(text)
    if written is None or written[2] not in _FLAGS:
        raise value_error(ProblemKind.NOT_SLASHED, part=repr(text))
    if problem := _find_complexity_problem(text, written[1]):
        raise problem
    try:
        return re.compile(written[1], _FLAGS[written[2]])
    except re.error:
        raise value_error(ProblemKind.NOT_EXPRESSION, part=repr(text)) from None


def _find_complexity_problem(text: str, expression: str) -> PydanticCustomError | None:
    """Return the error to raise if matching the regular expression in `text` could take long; None if it cannot."""
    part = repr(text)
    if len(expression) > MAX_EXPRESSION_LENGTH:
        return value_error(ProblemKind.LONG_EXPRESSION, part=part, limit=MAX_EXPRESSION_LENGTH)
    repetitions = options = 0
    previous = ""
    for sign in _PARTS.findall(expression):
        if sign in ("*", "+", "{"):
            if previous == ")":
                return value_error(ProblemKind.REPEATED_GROUP, part=part)
            repetitions += 1
        elif sign in ("?", "|"):
            options += 1
        elif re.fullmatch(r"\\[1-9k]", sign):
            return value_error(ProblemKind.BACKREFERENCE, part=part)
        previous = sign
    if repetitions > MAX_REPETITIONS or options > MAX_OPTIONS:
        limits = {"repetitions": MAX_REPETITIONS, "options": MAX_OPTIONS}
        return value_error(ProblemKind.COMPLEX_EXPRESSION, part=part, **limits)
    return None
