"""Tests of URLs in CSS: they are quoted and escaped for all characters (spec: Storefront view rules 4)."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storefront.components.pictures import css_url


@pytest.mark.parametrize(
    ("url", "css"),
    [
        ("/demo/trompo-960.webp", 'url("/demo/trompo-960.webp")'),
        (
            "/demo/Trompo de madera (frente)-960.webp",
            'url("/demo/Trompo%20de%20madera%20%28frente%29-960.webp")',
        ),
        ("/demo/Trompo%20%28frente%29.webp", 'url("/demo/Trompo%20%28frente%29.webp")'),
        ("/demo/Kit 'Mi volcán'.webp", 'url("/demo/Kit%20%27Mi%20volc%C3%A1n%27.webp")'),
        ('/demo/a"b\\c\n.webp', 'url("/demo/a%22b%5Cc%0A.webp")'),
        ("https://cdn.example/a.webp?w=960&h=960", 'url("https://cdn.example/a.webp?w=960&h=960")'),
    ],
)
def test_css_url_quotes_and_escapes_file_names(url: str, css: str) -> None:
    assert css_url(url) == css


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="%")))
def test_css_url_contains_no_unescaped_character_with_a_meaning_in_css(path: str) -> None:
    inside = re.fullmatch(r'url\("([!#-&*-\[\]-~]*)"\)', css_url(path))
    assert inside is not None  # printable ASCII without quotes, parentheses, backslash and space
    assert unquote(inside[1]) == path


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_encoded_url_is_not_encoded_twice(path: str) -> None:
    once = css_url(path).removeprefix('url("').removesuffix('")')
    assert css_url(once) == f'url("{once}")'
