"""Read hosts and origins: the shop's own hosts, and which other sites' pages may call the API.

Other sites are listed as the platform's settings do it, by origins and regular expressions.

The expressions are the operator's, the origins that they are tried on anybody's: both are bounded, so that no header
keeps the shop busy.
"""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

MAX_ORIGIN = 300
"""Characters; the name of a host has 253 at most."""
MAX_EXPRESSION = 200
MAX_REPETITIONS = 3
MAX_OPTIONS = 8

_WRITTEN = re.compile(r"/(.+)/([a-z]*)")
_FLAGS = {"": re.ASCII, "i": re.ASCII | re.IGNORECASE}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/?#@\[\]\\]+?)\.?(?::\d{1,5})?", re.IGNORECASE)
"""A host with or without its port, as the `Host` header has it."""
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!]|.", re.DOTALL)
"""What an expression is made of: escaped characters, sets, openings of groups, single characters."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Origins of pages that may call; none by default."""

    exact: frozenset[str] = frozenset()
    expressions: tuple[re.Pattern[str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.exact or self.expressions)

    def allow(self, origin: str) -> bool:
        """Whether pages of this origin may call. An expression need match a part only: `^` and `$` bind it."""
        if len(origin) > MAX_ORIGIN:
            return False
        return origin in self.exact or any(one.search(origin) for one in self.expressions)


def split_origin(origin: str) -> SplitResult:
    """The parts of the `Origin` that a browser sent; all empty where it is malformed, as anybody can send any."""
    try:
        return urlsplit(origin)
    except ValueError:
        return urlsplit("")


def host_of(authority: str) -> str:
    """Return the host of `tienda.example:443`, in small letters and ASCII, without its port; empty if malformed."""
    written = _AUTHORITY.fullmatch(authority) if len(authority) <= MAX_ORIGIN else None
    if written is None:
        return ""
    try:
        return written[1].lower().encode("idna").decode()
    except UnicodeError:
        return ""


def read_hosts(text: str) -> frozenset[str]:
    """Return the hosts of a setting: `www.tienda.example, tienda.local`, with commas between them.

    Raises:
        ValueError: a part of it is no host; the message says which.
    """
    parts = [part for part in map(str.strip, text.split(",")) if part]
    for part in parts:
        if not host_of(part) or "*" in part or re.search(r":\d+$", part):
            raise ValueError(
                f"{part!r} is no host: it must be like www.tienda.example, without https:// and port"
            )
    return frozenset(map(host_of, parts))


def read_origins(text: str) -> Origins:
    """The origins of a setting: `https://tienda.example, /^https:…$/`, with commas between them.

    Raises:
        ValueError: a part of it is neither an origin nor a bounded expression; the message says which.
    """
    parts = [part for part in map(str.strip, text.split(",")) if part]
    return Origins(
        exact=frozenset(_origin(part) for part in parts if not part.startswith("/")),
        expressions=tuple(_expression(part) for part in parts if part.startswith("/")),
    )


def _origin(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_origin = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        is_origin = False
    if not is_origin or f"{parts.scheme}://{parts.netloc}" != text.lower() or "@" in text or "*" in text:
        raise ValueError(f"{text!r} is no origin: it must be like https://tienda.example, without a path")
    return text.lower()


def _expression(text: str) -> re.Pattern[str]:
    written = _WRITTEN.fullmatch(text)
    if written is None or written[2] not in _FLAGS:
        raise ValueError(f"{text!r} must be a regular expression between slashes, with no flag but i")
    if problem := _unbounded(written[1]):
        raise ValueError(f"{text!r} {problem}")
    try:
        return re.compile(written[1], _FLAGS[written[2]])
    except re.error:
        raise ValueError(f"{text!r} is no regular expression") from None


def _unbounded(expression: str) -> str:
    """Why trying the expression could take long; empty when it cannot."""
    if len(expression) > MAX_EXPRESSION:
        return f"is longer than {MAX_EXPRESSION} characters"
    repetitions = options = 0
    before = ""
    for part in _PARTS.findall(expression):
        if part in ("*", "+", "{"):
            if before == ")":
                return "repeats a group, which could take long to try"
            repetitions += 1
        elif part in ("?", "|"):
            options += 1
        elif re.fullmatch(r"\\[1-9k]", part):
            return "refers back to a group, which could take long to try"
        before = part
    if repetitions > MAX_REPETITIONS or options > MAX_OPTIONS:
        return f"has more than {MAX_REPETITIONS} repetitions or {MAX_OPTIONS} options"
    return ""
