"""A url in CSS is quoted and escaped whatever it holds (spec: Storefront view rules 4)."""

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
def test_names_that_files_really_have(url: str, css: str) -> None:
    assert css_url(url) == css


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="%")))
def test_nothing_inside_the_quotes_means_anything_to_css(path: str) -> None:
    inside = re.fullmatch(r'url\("([!#-&*-\[\]-~]*)"\)', css_url(path))
    assert inside is not None  # printable ASCII without quotes, parentheses, backslash and space
    assert unquote(inside[1]) == path


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_encoded_already_stays_as_it_is(path: str) -> None:
    once = css_url(path).removeprefix('url("').removesuffix('")')
    assert css_url(once) == f'url("{once}")'
