"""Text and numbers of external services become values that both databases can store, or None.

value                                        outcome
-------------------------------------------  ----------------------------------------------------------------
NUL, lone surrogate in any text of a JSON    U+FFFD; a surrogate pair becomes its character
a name with line breaks or control signs     one line
an identifier with those, too long or empty  None: a cut or cleaned one would identify something else
a number as a text, a text as a number       parsed
2^64, 10^12 pesos, 1e400, NaN                None
a price `8.500` as a text                    None: it may mean thousands
a URL with a line break, or not HTTP         None
a token with a line break, a space, an ñ     None
a time in the year 1 or 9999                 None
nesting of 33 levels or 100,000              `ValueError`
"""

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.web.outside_values import (
    MAX_INTEGER,
    MAX_PESOS,
    MAX_TOKEN_LENGTH,
    parse_decimal,
    parse_identifier,
    parse_integer,
    parse_moment,
    parse_price,
    parse_text,
    parse_token,
    parse_web_address,
    read_json,
    to_storable_text,
)

COLOMBIA = timezone(timedelta(hours=-5))
ANY_TEXT = st.text(st.characters())
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def is_storable(text: str) -> bool:
    return "\0" not in text and text.encode("utf-8", "replace").decode() == text


def collect_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in (name, *collect_texts(inner))]
    return [text for inner in value for text in collect_texts(inner)] if isinstance(value, list) else []


@given(ANY_JSON)
def test_all_texts_of_a_document_are_storable(value: Any) -> None:
    for escaped in (True, False):
        body = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
        assert all(map(is_storable, collect_texts(read_json(body))))


@given(ANY_JSON)
def test_parsers_return_storable_values_for_any_json(value: Any) -> None:
    assert is_storable(parse_text(value))
    assert parse_text(value).isprintable()
    for read in (parse_identifier, parse_token, parse_web_address):
        text = read(value)
        assert text is None or (text and text.isprintable() and is_storable(text))
    numbers: list[int | Decimal | None] = [parse_integer(value), parse_decimal(value), parse_price(value)]
    assert all(number is None or -MAX_INTEGER <= number <= MAX_INTEGER for number in numbers)
    moment = parse_moment(value, COLOMBIA)
    assert moment is None or moment.tzinfo is UTC


def test_surrogate_pair_is_decoded_and_lone_surrogate_replaced() -> None:
    assert read_json(rb'{"a\u0000": "\ud83d\ude80 \ud83d \u0000 \u00f1"}') == {
        "a\ufffd": "🚀 \ufffd \ufffd ñ"
    }
    assert to_storable_text("a\0b\udc80") == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"[12, -3, 1.5, 1e3]", [12, -3, 1.5, 1000.0]),
        (b"[NaN, Infinity, -Infinity, " + b"9" * 5000 + b"]", [None, None, None, None]),
        (b'\xef\xbb\xbf{"a": "\xf1"}', {"a": "\ufffd"}),
    ],
)
def test_unstorable_numbers_become_none(body: bytes, value: object) -> None:
    assert read_json(body) == value


def test_json_numbers_can_be_read_as_strings() -> None:
    assert read_json(b'{"ticketId": 9007199254740993, "valor": 38000.00}', parse_number=str) == {
        "ticketId": "9007199254740993",
        "valor": "38000.00",
    }


@pytest.mark.parametrize("levels", [33, 34, 100_000])
def test_deeply_nested_json_is_refused(levels: int) -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        with pytest.raises(ValueError, match=r"nested|Expecting"):
            read_json(opening * levels + b"1" + closing * levels)
    assert read_json(b"[" * 30 + b"]" * 30)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("  Envía\r\n Colvanes\0 ", "Envía Colvanes"),
        (240031234567, "240031234567"),
        ("x" * 500, "x" * 200),
        ("\ud83d", ""),
        (None, ""),
        (True, ""),
        ({"a": 1}, ""),
    ],
)
def test_text_from_outside_is_cleaned(value: object, text: str) -> None:
    assert parse_text(value) == text


@pytest.mark.parametrize(
    ("value", "identifier"),
    [
        (240031234567, "240031234567"),
        (240031234567.0, "240031234567"),
        (" 240 031 ", "240 031"),
        ("9" * 80, "9" * 80),
        ("9" * 81, None),
        (10**80, None),
        (1e300, None),
        (1.5, None),
        ("a\0b", None),
        ("a\r\nb", None),
        ("\udc80", None),
        ("", None),
        (" ", None),
        (True, None),
        (None, None),
        ([7], None),
    ],
)
def test_identifier_is_parsed_or_becomes_none(value: object, identifier: str | None) -> None:
    assert parse_identifier(value) == identifier


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7), ("7", 7), (" 7 ", 7), (7.0, None), (2**63 - 1, 2**63 - 1), ("9223372036854775807", 2**63 - 1),
        (2**63, None), (2**64, None), ("18446744073709551616", None), ("9" * 5000, None), (-1, None), ("-1", None),
        (7.5, None), (1e300, None), (math.inf, None), (math.nan, None), ("7a", None), ("٧", None), ("1_0", None),
        (True, None), (None, None), ([7], None),
    ],
)  # fmt: skip
def test_integer_is_parsed_or_becomes_none(value: object, number: int | None) -> None:
    assert parse_integer(value) == number


def test_integer_outside_the_limits_of_its_field_becomes_none() -> None:
    assert parse_integer(365, maximum=365) == 365
    assert parse_integer("366", maximum=365) is None
    assert parse_integer(-5, minimum=-5) == -5


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (38000, "38000"), ("38000", "38000"), ("38000.00", "38000.00"), (38000.4, "38000.4"), ("3.8e4", "3.8E+4"),
        (MAX_PESOS, str(MAX_PESOS)), (MAX_PESOS + 1, None), (10**12, None), ("1000000000000", None), ("1e400", None),
        ("1e999999999", None), (math.inf, None), (math.nan, None), ("NaN", None), ("1_000", None), ("٣٨", None),
        ("38.000,00", None), ("9" * 5000, None), (10**4000, None), ("", None), (True, None), (None, None),
        ("-5", "-5"),
    ],
)  # fmt: skip
def test_decimal_is_parsed_or_becomes_none(value: object, number: str | None) -> None:
    assert parse_decimal(value) == (None if number is None else Decimal(number))


@pytest.mark.parametrize(
    ("value", "price"),
    [
        (8500, "8500"), (8500.5, "8500.5"), ("8500", "8500"), (" 8500.50 ", "8500.50"), (0, "0"),
        ("8.500", None), ("8,500", None), ("8e3", None), ("-1", None), (-1, None), (1e300, None), ("$ 8500", None),
    ],
)  # fmt: skip
def test_price_is_parsed_or_becomes_none(value: object, price: str | None) -> None:
    assert parse_price(value) == (None if price is None else Decimal(price))


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-11-27 10:00:00", datetime(2026, 11, 27, 15, tzinfo=UTC)),
        ("2026-11-27T10:00:00-03:00", datetime(2026, 11, 27, 13, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("1999-12-31 23:59:59", None),
        ("mañana", None),
        (20261127, None),
        (None, None),
    ],
)
def test_time_is_parsed_or_becomes_none(value: object, moment: datetime | None) -> None:
    assert parse_moment(value, COLOMBIA) == moment


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("https://registro.pse.com.co/PSEUserRegister/StartTransaction.aspx?enc=tn%2F%3D", True),
        (" http://banco.test/x ", True),
        ("https://banco.test/\r\nset-cookie:a=b", False),
        ("https://ban\tco.test/", False),
        ("https://banco.test/\0", False),
        ("https://banco.test/a b", False),
        ("javascript:alert(1)", False),
        ("//banco.test", False),
        ("https://", False),
        ("https://[", False),
        ("https://banco.test/" + "a" * 2000, False),
        (7, False),
        (None, False),
    ],
)
def test_only_a_valid_web_address_is_accepted(value: Any, is_one: bool) -> None:
    assert parse_web_address(value) == (value.strip() if is_one else None)


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("eyJhbGciOi.J9-_.+/=", True),
        ("a" * MAX_TOKEN_LENGTH, True),
        ("a" * (MAX_TOKEN_LENGTH + 1), False),
        ("a\r\nx: y", False),
        ("a\n", False),
        ("a b", False),
        ("ñ", False),
        ("\0", False),
        ("", False),
        (7, False),
    ],
)
def test_only_a_valid_token_is_accepted(value: object, is_one: bool) -> None:
    assert parse_token(value) == (value if is_one else None)
