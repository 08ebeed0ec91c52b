"""What the log looks like: one entry begins one line, whatever strangers write into it."""

import logging
import sys

from backend.outage import DatabaseUnavailable

LONGEST_MESSAGE = 2_000
LONGEST_TRACEBACK = 8_000
"""Characters; the end of a traceback, which says what was raised, stays."""
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class OneLine(logging.Formatter):
    """An entry on one line, with control characters escaped; a traceback below it, each of its lines indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The entry, escaped and cut."""
        outage = record.exc_info[1] if record.exc_info else None
        if isinstance(outage, DatabaseUnavailable):
            record.message += f": {outage.message}"
        record.message = shortened(escaped(record.message), LONGEST_MESSAGE)
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:  # noqa: N802 - logging's own name
        """The traceback, cut and indented. An outage has none: everybody meets it, wherever they are."""
        if isinstance(ei[1], DatabaseUnavailable):  # type: ignore[index]
            return ""
        text = super().formatException(ei)  # type: ignore[arg-type]
        if len(text) > LONGEST_TRACEBACK:
            text = "…" + text[-LONGEST_TRACEBACK:]
        return "\n".join(f"    {escaped(line)}" for line in text.split("\n"))


def escaped(text: str) -> str:
    """The text with control characters, and what else begins a line somewhere, written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and how much was left out."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest} more)"


def set_up_logging() -> None:
    """Write what the shop tells, and what libraries warn of, to standard error, as `OneLine` puts it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine(FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for package in ("backend", "storefront"):
        logging.getLogger(package).setLevel(logging.INFO)
