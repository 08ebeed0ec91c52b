"""Origins in a setting: accepted and refused values, and a time limit for matching."""

import time

import pytest

from backend.core.config.origins import parse_origins
from backend.core.config.settings import Settings

LISTED = r" https://tienda.example , http://localhost:8000,/^https:\/\/[a-z0-9-]+\.vercel\.app$/, /\.shop\.example$/i "


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://tienda.example", True),
        ("http://localhost:8000", True),
        ("https://rama-3.vercel.app", True),
        ("https://a.SHOP.example", True),
        ("https://tienda.example.evil.example", False),
        ("https://tienda.example:8443", False),
        ("http://tienda.example", False),
        ("http://localhost:8001", False),
        ("https://rama.vercel.app.evil.example", False),
        ("https://a.b.vercel.app", False),
        ("https://ashop.example", False),
        ("null", False),
        ("", False),
        ("https://" + "a" * 300 + ".vercel.app", False),
    ],
)
def test_only_listed_origins_are_allowed(origin: str, expected: bool) -> None:
    assert parse_origins(LISTED).is_allowed(origin) is expected


def test_no_origin_is_allowed_by_default() -> None:
    settings = Settings()
    assert settings.cross_origins.keys() == {"store", "admin", "auth"}
    assert not any(settings.cross_origins.values())
    assert not parse_origins(" , ").is_allowed("null")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("*", "is not an origin"),
        ("tienda.example", "is not an origin"),
        ("https://tienda.example/", "is not an origin"),
        ("https://ana@tienda.example", "is not an origin"),
        ("https://*.example", "is not an origin"),
        ("ftp://tienda.example", "is not an origin"),
        ("https://tienda.example:port", "is not an origin"),
        ("https://", "is not an origin"),
        ("/unclosed", "between slashes"),
        ("//", "between slashes"),
        ("/a$/x", "between slashes"),
        ("/(a/", "is not a regular expression"),
        ("/^(a+)+$/", "repeats a group"),
        ("/^(?:[a-z]+\\.)*x$/", "repeats a group"),
        ("/^(a)\\1$/", "refers back"),
        ("/a*b*c*d*$/", "more than 3 repetitions"),
        ("/" + "a?" * 9 + "/", "8 options"),
        ("/" + "a" * 201 + "/", "longer than 200"),
    ],
)
def test_invalid_origin_stops_the_start(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_origins(text)
    with pytest.raises(ValueError, match=r"store_cors"):
        Settings(store_cors=text)


def test_slow_origin_expression_is_matched_within_five_seconds() -> None:
    slow = parse_origins("/.*a.*a.*b$/")
    before = time.process_time()
    assert not slow.is_allowed("https://" + "a" * 292)
    assert time.process_time() - before < 5
