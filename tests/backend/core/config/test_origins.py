"""The origins that a setting lists: what is allowed, what is refused, and that no origin keeps the shop busy."""

import time

import pytest

from backend.core.config.origins import read_origins
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
def test_what_is_listed_is_allowed_and_nothing_else(origin: str, expected: bool) -> None:
    assert read_origins(LISTED).allow(origin) is expected


def test_nobody_is_allowed_by_default() -> None:
    settings = Settings()
    assert settings.cross_origins.keys() == {"store", "admin", "auth"}
    assert not any(settings.cross_origins.values())
    assert not read_origins(" , ").allow("null")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("*", "is no origin"),
        ("tienda.example", "is no origin"),
        ("https://tienda.example/", "is no origin"),
        ("https://ana@tienda.example", "is no origin"),
        ("https://*.example", "is no origin"),
        ("ftp://tienda.example", "is no origin"),
        ("https://tienda.example:port", "is no origin"),
        ("https://", "is no origin"),
        ("/unclosed", "between slashes"),
        ("//", "between slashes"),
        ("/a$/x", "between slashes"),
        ("/(a/", "is no regular expression"),
        ("/^(a+)+$/", "repeats a group"),
        ("/^(?:[a-z]+\\.)*x$/", "repeats a group"),
        ("/^(a)\\1$/", "refers back"),
        ("/a*b*c*d*$/", "more than 3 repetitions"),
        ("/" + "a?" * 9 + "/", "8 options"),
        ("/" + "a" * 201 + "/", "longer than 200"),
    ],
)
def test_what_is_no_origin_stops_the_start(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_origins(text)
    with pytest.raises(ValueError, match=r"store_cors"):
        Settings(store_cors=text)


def test_the_slowest_expression_is_quick_on_the_longest_origin() -> None:
    slow = read_origins("/.*a.*a.*b$/")
    before = time.process_time()
    assert not slow.allow("https://" + "a" * 292)
    assert time.process_time() - before < 5
