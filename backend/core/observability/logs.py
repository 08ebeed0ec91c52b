"""Format of the log: each entry is one line, even with text from clients, and contains no personal data.

Entries are lines for people, or one JSON object each (`LOG_FORMAT=json`). In addition to time, level, logger and
message, an entry has fields: those of its scope (`log_scope`: a request, an event of a page, a job) and the ids of
orders, payments and so on among its arguments. Personal data is removed in two ways. E-mail addresses, and the
values in error messages of the database or a validator, are removed from every entry. Texts passed to `hide_in_log`
are removed from all later entries of the scope.
"""

import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from backend.core.errors import DatabaseUnavailable

MAX_MESSAGE_LENGTH = 2_000
MAX_TRACEBACK_LENGTH = 8_000
"""Maximum number of logged characters of a traceback. The end is logged, because it names the exception."""
MAX_FIELD_LENGTH = 100
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
HIDDEN = "[hidden]"
MIN_HIDDEN_LENGTH = 3
"""Minimum number of characters of a hidden text. Shorter texts identify no person, and are parts of other words."""
MIN_HIDDEN_INSIDE_LENGTH = 6
"""Minimum number of characters for hiding a text inside a word, such as a phone number after its country code."""

PERSONAL_NAMES = frozenset(
    {
        "address", "address_1", "address_2", "company", "company_name", "cross_street", "doc_number", "email",
        "first_name", "gift_message", "last_name", "password", "phone", "recipient_first_name",
        "recipient_last_name", "recipient_phone", "reference", "suburb",
    }
)  # fmt: skip
"""Names of personal data in forms, in bodies, and in requests to the gateway and the carrier."""
FIELD_BY_PREFIX = {
    "cart": "cart_id",
    "ful": "fulfillment_id",
    "mail": "mail_id",
    "order": "order_id",
    "paynot": "notification_id",
    "payses": "payment_id",
}
"""Log field for an id among an entry's arguments, by the id's prefix."""
_ID = re.compile(rf"({'|'.join(FIELD_BY_PREFIX)})_[0-9A-Z]{{26}}")
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]+\.[\w.-]+")
_VALUES = re.compile(
    r"(?m)(DETAIL: |input_value=|for query argument \$\d+: |for type \w+: ).*?(?=, input_type|$)"
)
"""Refused values in messages of PostgreSQL, its driver and pydantic."""
_QUERY = re.compile(r"""(?<=[\w/.~%:-])\?[^\s"'<>]+""")
"""The query of a URL: links to orders, password resets and invitations have their token there."""
MIN_TOKEN_LENGTH = 32
_LONG_WORD = re.compile(rf"(?<![\w-])[A-Za-z0-9_-]{{{MIN_TOKEN_LENGTH},}}(?![\w-])", re.ASCII)
_ANY_ID = re.compile(r"[a-z_]+_[0-9A-Z]{26}")
_CART_ID = re.compile(r"cart_[0-9A-Z]{22}([0-9A-Z]{4})")
"""Anyone who knows the id of a guest's cart may use the cart, so an entry shows only the end of the id."""
_SECRET_KEY = re.compile(r"sk_[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Scope:
    """The log fields and the hidden texts of the request, event or job that is being handled."""

    fields: Mapping[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)


_scope: ContextVar[_Scope | None] = ContextVar("log scope", default=None)


@contextmanager
def log_scope(**fields: str) -> Iterator[None]:
    """Add these fields to the entries written inside the block, in addition to those of the enclosing scope.

    Each request, event and job opens a scope.
    """
    outer = _scope.get() or _Scope()
    token = _scope.set(_Scope({**outer.fields, **fields}, outer.hidden))
    try:
        yield
    finally:
        _scope.reset(token)


def hide_in_log(data: object) -> None:
    """Hide personal values of `data` in all later log entries of the current scope.

    A text is hidden if its key is the name of personal data, at any depth. Without a scope nothing is hidden.
    """
    if (scope := _scope.get()) is not None:
        scope.hidden.update(_find_personal_texts(data))


def _find_personal_texts(data: object, *, is_personal: bool = False) -> Iterator[str]:
    match data:
        case str() if is_personal and len(data.strip()) >= MIN_HIDDEN_LENGTH:
            yield data.strip()
        case Mapping():
            for name, value in data.items():
                yield from _find_personal_texts(value, is_personal=name in PERSONAL_NAMES)
        case list():
            for value in data:
                yield from _find_personal_texts(value, is_personal=is_personal)


def log_fields(record: logging.LogRecord) -> dict[str, str]:
    """Return the fields of a new entry: those of the current scope, and the ids among the entry's arguments."""
    scope = _scope.get()
    fields = dict(scope.fields) if scope else {}
    for argument in record.args if isinstance(record.args, tuple) else ():
        if isinstance(argument, str) and (match := _ID.fullmatch(argument)):
            fields[FIELD_BY_PREFIX[match[1]]] = argument
    return {
        name: shorten(escape_controls(_CART_ID.sub(r"cart_…\1", value)), MAX_FIELD_LENGTH)
        for name, value in fields.items()
    }


def _hide_personal_data(text: str) -> str:
    """Return the text without personal data."""
    scope = _scope.get()
    if scope and scope.hidden:
        # an expression of all texts could take seconds to compile: a client may send thousands
        folded = text.lower()
        occurring = [value for value in scope.hidden if value.lower() in folded]
        # the longest first: a name may be part of an address
        patterns = [
            re.escape(value)
            if len(value) >= MIN_HIDDEN_INSIDE_LENGTH
            else rf"(?<!\w){re.escape(value)}(?!\w)"
            for value in sorted(occurring, key=len, reverse=True)
        ]
        if patterns:
            text = re.sub("|".join(patterns), HIDDEN, text, flags=re.IGNORECASE)
    text = _VALUES.sub(rf"\1{HIDDEN}", text)
    return _EMAIL.sub(HIDDEN, text) if "@" in text else text


def _hide_secrets(text: str) -> str:
    """Return the text with URL queries and tokens hidden, and ids of carts shortened."""
    text = _LONG_WORD.sub(_hide_token, _QUERY.sub(f"?{HIDDEN}", text))
    return _CART_ID.sub(r"cart_…\1", text)


def _hide_token(word: re.Match[str]) -> str:
    """Return the placeholder for a random token, and any other long word unchanged.

    A word that mixes upper case, lower case and digits is taken for a token, unless it is the id of a row.
    """
    text = word[0]
    is_mixed = not text.islower() and not text.isupper() and any(char.isdigit() for char in text)
    is_token = _SECRET_KEY.fullmatch(text) or (is_mixed and not _ANY_ID.fullmatch(text))
    return HIDDEN if is_token else text


class LineFormatter(logging.Formatter):
    """Formatter for entries on one line, with control characters escaped.

    The lines of a traceback follow, indented.
    """

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """Format the entry with its traceback."""
        record.exc_text = None  # cached by another handler, with personal data
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Format the entry, escaped and shortened, with its fields in brackets."""
        record.message = self.message(record)
        fields = " ".join(f"{name}={value}" for name, value in log_fields(record).items())
        return super().formatMessage(record) + (f" [{fields}]" if fields else "")

    def message(self, record: logging.LogRecord) -> str:
        """Return the message, escaped and shortened."""
        text = record.getMessage()
        outage = record.exc_info[1] if record.exc_info else None
        if isinstance(outage, DatabaseUnavailable):
            text += f": {outage.message}"
        return shorten(escape_controls(_hide_secrets(_hide_personal_data(text))), MAX_MESSAGE_LENGTH)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        """Format the traceback, shortened and indented; empty if the database is unavailable.

        Any query may fail when the database is unavailable, so the traceback says nothing about the cause.
        """
        if isinstance(ei[1], DatabaseUnavailable):
            return ""
        text = _hide_secrets(_hide_personal_data(super().formatException(ei)))
        if len(text) > MAX_TRACEBACK_LENGTH:
            text = "…" + text[-MAX_TRACEBACK_LENGTH:]
        return "\n".join(f"    {escape_controls(line)}" for line in text.split("\n"))


class JsonFormatter(LineFormatter):
    """Formatter for entries as one JSON object per line: time (UTC), level, logger, message, fields, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the entry."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry = {
            "time": moment,
            "level": record.levelname,
            "logger": record.name,
            "message": self.message(record),
        }
        if record.exc_info and (traceback := self.formatException(record.exc_info)):
            entry["traceback"] = traceback
        return orjson.dumps(log_fields(record) | entry).decode()


def without_query(url: str) -> str:
    """Return a URL without its query, which may hold a token."""
    return url.partition("?")[0]


def escape_controls(text: str) -> str:
    """Return the text with control characters and other line separators written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shorten(text: str, max_length: int) -> str:
    """Return the text; if it is too long, only its beginning and the number of characters that were left out."""
    return text if len(text) <= max_length else f"{text[:max_length]}… ({len(text) - max_length} more)"


def clean_text(text: str, max_length: int) -> str:
    """Return a text of an outside service on one line, shortened, without e-mail addresses and tokens."""
    return shorten(escape_controls(_hide_secrets(_hide_personal_data(" ".join(text.split())))), max_length)


def set_up_logging(log_format: str) -> None:
    """Write entries of the shop and warnings of libraries to standard error, as `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else LineFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for package in ("backend", "storefront"):
        logging.getLogger(package).setLevel(logging.INFO)
