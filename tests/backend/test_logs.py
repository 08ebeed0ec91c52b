"""Nobody who writes into the log from outside can write an entry of their own."""

import logging

import pytest

from backend.logs import FORMAT, LONGEST_MESSAGE, LONGEST_TRACEBACK, OneLine, escaped
from backend.outage import DatabaseUnavailable


def entry(message: str, *args: object, error: BaseException | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    return OneLine(FORMAT).format(logging.LogRecord("shop", logging.WARNING, "f", 1, message, args, info))


@pytest.mark.parametrize("evil", ["a\nb", "a\rb", "a\x1b[31mb", "a\u2028b", "a\x85b", "a\0b"])
def test_an_entry_is_one_line(evil: str) -> None:
    written = entry("name %s", evil)
    assert written.endswith(f"WARNING shop: name {escaped(evil)}")
    assert len(written.splitlines()) == 1


def test_what_people_write_stays() -> None:
    assert escaped("Muñeca «Ñandú» 🪀") == "Muñeca «Ñandú» 🪀"


def test_a_long_message_is_cut_and_says_so() -> None:
    written = entry("x" * (LONGEST_MESSAGE + 5))
    assert written.endswith("x… (5 more)")
    assert len(written) < LONGEST_MESSAGE + 100


def test_a_tracebacks_lines_are_indented_and_its_end_stays() -> None:
    evil = ValueError(
        "x" * LONGEST_TRACEBACK + "\n2026-01-01 00:00:00,000 ERROR shop: someone must settle it"
    )
    first, *others = entry("failed", error=evil).splitlines()
    assert first.endswith("WARNING shop: failed")
    assert others[-1].endswith("someone must settle it")
    assert all(line.startswith("    ") for line in others)
    assert len("\n".join(others)) < LONGEST_TRACEBACK + 200


def test_an_outage_has_no_traceback() -> None:
    written = entry("%s failed", "GET /", error=DatabaseUnavailable("The database does not answer"))
    assert written.endswith("WARNING shop: GET / failed: The database does not answer")
