"""What the log looks like: one entry begins one line, whatever strangers write into it, and names nobody.

Entries are lines for people, or one JSON object each (`LOG_FORMAT=json`). Beside time, level, logger and message an
entry has fields: those of the scope it was written in (`log_scope`: a request, an event of a page, a job) and the ids
of orders, payments and so on among its own arguments. Personal data stays out in three ways: e-mail addresses and the
values in a database's or a validator's complaints are taken out of every entry, and what `hide_in_log` was told out of
all later entries of the scope.
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

LONGEST_MESSAGE = 2_000
LONGEST_TRACEBACK = 8_000
"""Characters; the end of a traceback, which says what was raised, stays."""
LONGEST_FIELD = 100
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
HIDDEN = "[hidden]"
SHORTEST_HIDDEN = 3
"""Characters. Shorter texts name nobody, and are part of other words."""
HIDDEN_INSIDE = 6
"""Characters from which a text is hidden inside a word, too, such as a telephone number behind its country's code."""

PERSONAL = frozenset(
    {
        "address", "address_1", "address_2", "company", "cross_street", "doc_number", "email", "first_name",
        "last_name", "password", "phone", "reference", "suburb",
    }
)  # fmt: skip
"""Names of what tells of a person, in forms and bodies and in what the gateway and the carrier are sent."""
FIELD_OF = {
    "cart": "cart_id",
    "ful": "fulfillment_id",
    "mail": "mail_id",
    "order": "order_id",
    "paynot": "notification_id",
    "payses": "payment_id",
}
"""The field that an id among an entry's arguments goes into, by its prefix."""
_ID = re.compile(rf"({'|'.join(FIELD_OF)})_[0-9A-Z]{{26}}")
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]+\.[\w.-]+")
_VALUES = re.compile(
    r"(?m)(DETAIL: |input_value=|for query argument \$\d+: |for type \w+: ).*?(?=, input_type|$)"
)
"""What PostgreSQL, its driver and pydantic tell of the values that they refuse."""
_QUERY = re.compile(r"""(?<=[\w/.~%:-])\?[^\s"'<>]+""")
"""The query of an address: links to orders, new passwords and invitations hold their token there."""
MIN_TOKEN_LENGTH = 32
_LONG_WORD = re.compile(rf"(?<![\w-])[A-Za-z0-9_-]{{{MIN_TOKEN_LENGTH},}}(?![\w-])", re.ASCII)
_ANY_ID = re.compile(r"[a-z_]+_[0-9A-Z]{26}")
_CART_ID = re.compile(r"cart_[0-9A-Z]{22}([0-9A-Z]{4})")
"""Who knows the id of a guest's cart may use the cart: an entry shows its end alone."""
_SECRET_KEY = re.compile(r"sk_[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is known while a request, an event or a job is handled."""

    fields: Mapping[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)


_scope: ContextVar[_Scope | None] = ContextVar("log scope", default=None)


@contextmanager
def log_scope(**fields: str) -> Iterator[None]:
    """Give entries that are written inside these fields, beside those of the scope around it.

    Whatever begins something of its own (a request, an event, a job) opens one.
    """
    around = _scope.get() or _Scope()
    token = _scope.set(_Scope({**around.fields, **fields}, around.hidden))
    try:
        yield
    finally:
        _scope.reset(token)


def hide_in_log(data: object) -> None:
    """Take the texts under the `PERSONAL` names, however deep, out of later entries of the scope. Outside, nothing."""
    if (scope := _scope.get()) is not None:
        scope.hidden.update(_personal(data))


def _personal(data: object, *, is_personal: bool = False) -> Iterator[str]:
    match data:
        case str() if is_personal and len(data.strip()) >= SHORTEST_HIDDEN:
            yield data.strip()
        case Mapping():
            for name, value in data.items():
                yield from _personal(value, is_personal=name in PERSONAL)
        case list():
            for value in data:
                yield from _personal(value, is_personal=is_personal)


def log_fields(record: logging.LogRecord) -> dict[str, str]:
    """The fields of an entry that is written now."""
    scope = _scope.get()
    fields = dict(scope.fields) if scope else {}
    for argument in record.args if isinstance(record.args, tuple) else ():
        if isinstance(argument, str) and (match := _ID.fullmatch(argument)):
            fields[FIELD_OF[match[1]]] = argument
    return {
        name: shortened(escaped(_CART_ID.sub(r"cart_…\1", value)), LONGEST_FIELD)
        for name, value in fields.items()
    }


def _without_people(text: str) -> str:
    """The text without what tells of a person."""
    scope = _scope.get()
    if scope and scope.hidden:
        # an expression of all of them would take seconds to compile: a stranger may send thousands
        folded = text.lower()
        found = [value for value in scope.hidden if value.lower() in folded]
        # the longest first: a name may be part of an address
        known = [
            re.escape(value) if len(value) >= HIDDEN_INSIDE else rf"(?<!\w){re.escape(value)}(?!\w)"
            for value in sorted(found, key=len, reverse=True)
        ]
        if known:
            text = re.sub("|".join(known), HIDDEN, text, flags=re.IGNORECASE)
    text = _VALUES.sub(rf"\1{HIDDEN}", text)
    return _EMAIL.sub(HIDDEN, text) if "@" in text else text


def _without_secrets(text: str) -> str:
    """Return the text without queries of addresses, tokens and whole ids of carts."""
    text = _LONG_WORD.sub(_hide_token, _QUERY.sub(f"?{HIDDEN}", text))
    return _CART_ID.sub(r"cart_…\1", text)


def _hide_token(word: re.Match[str]) -> str:
    """Return the placeholder for a random token, and any other long word as it is.

    Tokens in base64 mix capitals, small letters and digits. So do the ids of rows, which grant no access.
    """
    text = word[0]
    is_mixed = not text.islower() and not text.isupper() and any(char.isdigit() for char in text)
    is_token = _SECRET_KEY.fullmatch(text) or (is_mixed and not _ANY_ID.fullmatch(text))
    return HIDDEN if is_token else text


class OneLine(logging.Formatter):
    """An entry on one line, with control characters escaped; a traceback below it, each of its lines indented."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        """The entry with its traceback."""
        record.exc_text = None  # another handler's, which names people
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The entry, escaped and cut, with its fields in brackets."""
        record.message = self.message(record)
        fields = " ".join(f"{name}={value}" for name, value in log_fields(record).items())
        return super().formatMessage(record) + (f" [{fields}]" if fields else "")

    def message(self, record: logging.LogRecord) -> str:
        """The message, escaped and cut."""
        text = record.getMessage()
        outage = record.exc_info[1] if record.exc_info else None
        if isinstance(outage, DatabaseUnavailable):
            text += f": {outage.message}"
        return shortened(escaped(_without_secrets(_without_people(text))), LONGEST_MESSAGE)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        """The traceback, cut and indented. An outage has none: everybody meets it, wherever they are."""
        if isinstance(ei[1], DatabaseUnavailable):
            return ""
        text = _without_secrets(_without_people(super().formatException(ei)))
        if len(text) > LONGEST_TRACEBACK:
            text = "…" + text[-LONGEST_TRACEBACK:]
        return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


class OneObject(OneLine):
    """An entry as one JSON object on one line: time (UTC), level, logger, message, its fields, and a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The entry."""
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


def path_of(url: str) -> str:
    """Return an address without its query, which may hold a token."""
    return url.partition("?")[0]


def escaped(text: str) -> str:
    """The text with control characters, and what else begins a line somewhere, written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and how much was left out."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest} more)"


def set_up_logging(log_format: str) -> None:
    """Write entries of the shop and warnings of libraries to standard error, as `text` or `json`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneObject() if log_format == "json" else OneLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for package in ("backend", "storefront"):
        logging.getLogger(package).setLevel(logging.INFO)
