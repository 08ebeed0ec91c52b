"""Picture addresses, the shop's own and hosted ones, are correct and harmless in a page."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.models import Picture
from backend.catalog.storefront.product_cards import picture_view
from backend.media.picture_urls import encode_picture_url, is_picture_address

CDN = "https://cdn.example"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("/demo/trompo-960.webp", "/demo/trompo-960.webp"),
        ("/demo/Trompo de madera (frente).webp", "/demo/Trompo%20de%20madera%20%28frente%29.webp"),
        ("/demo/Trompo%20(frente).webp", "/demo/Trompo%20%28frente%29.webp"),
        ("/demo/50% más.webp", "/demo/50%25%20m%C3%A1s.webp"),
        ("/demo/a.webp?v=2", "/demo/a.webp?v=2"),
        (f"{CDN}/a.jpg", f"{CDN}/a.jpg"),
        (f"{CDN}/a.jpg?v=2&w=960", f"{CDN}/a.jpg?v=2&w=960"),
        (f"{CDN}:8443/w_300,h_200/a.jpg", f"{CDN}:8443/w_300,h_200/a.jpg"),
        (f"{CDN}/un trompo.jpg?n=un trompo", f"{CDN}/un%20trompo.jpg?n=un%20trompo"),
        (f"{CDN}/un%20trompo%2Frojo.jpg", f"{CDN}/un%20trompo%2Frojo.jpg"),
        (f"{CDN}/100%.jpg", f"{CDN}/100%25.jpg"),
        (f"{CDN}/muñeca.jpg?ñ=é", f"{CDN}/mu%C3%B1eca.jpg?%C3%B1=%C3%A9"),
        (f"""{CDN}/a"b'c(d).jpg?e="f'""", f"{CDN}/a%22b%27c%28d%29.jpg?e=%22f%27"),
        (f"{CDN}/Oso #3.jpg", f"{CDN}/Oso%20%233.jpg"),
        (f"{CDN}/a.jpg?n=#3", f"{CDN}/a.jpg?n=%233"),
        (f"{CDN}/a%23b.jpg", f"{CDN}/a%23b.jpg"),
        (f"{CDN}?id=7", f"{CDN}?id=7"),
        ("https://muñecas.example/a.jpg", "https://mu%C3%B1ecas.example/a.jpg"),
        ("HTTPS://CDN.example/A.jpg", f"{CDN}/A.jpg"),
        ("http://cdn.example/a.jpg", "http://cdn.example/a.jpg"),
        ("//cdn.example/a.jpg", f"{CDN}/a.jpg"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("data:image/png;base64,AAAA", "data%3Aimage/png%3Bbase64%2CAAAA"),
        ("https:/a.jpg", "https%3A/a.jpg"),
        ("https://", "https%3A//"),
        ("\\\\cdn.example\\a.jpg", "%5C%5Ccdn.example%5Ca.jpg"),
        ("/\\cdn.example/a.jpg", "/%5Ccdn.example/a.jpg"),
        ("", ""),
    ],
)
def test_picture_addresses_are_encoded(url: str, address: str) -> None:
    assert encode_picture_url(url) == address


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("/demo/Trompo de madera (frente).webp", True),
        ("fotos/trompo.webp", True),
        ("10:30.webp", True),
        ("/fotos/a:b.webp", True),
        (f"{CDN}/a.jpg?u=javascript:x", True),
        ("HTTP://cdn.example/a.jpg", True),
        ("//cdn.example/a.jpg", True),
        ("", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        (" javascript:alert(1)", False),
        ("\tjavascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("javascript://cdn.example/%0aalert(1)", False),
        ("data:image/svg+xml,<svg onload=alert(1)>", False),
        ("data:image/png;base64,AAAA", False),
        ("vbscript:x", False),
        ("blob:https://cdn.example/1", False),
        ("file:///etc/passwd", False),
        ("https:alert", False),
        ("https://", False),
        ("/a\0.webp", False),
    ],
)
def test_only_paths_and_http_addresses_are_picture_addresses(url: str, is_one: bool) -> None:
    assert is_picture_address(url) is is_one


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_encoded_picture_url_cannot_end_an_html_attribute_or_srcset(url: str) -> None:
    address = encode_picture_url(url)
    assert re.fullmatch(r"[!#-&*-;=?-\[\]_a-z~]*", address), (
        address
    )  # neither quotes nor brackets, spaces or `<`
    assert encode_picture_url(address) == address or address.startswith("//")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="%?#"), min_size=1))
def test_encoded_path_decodes_to_the_same_path(path: str) -> None:
    for start in (f"{CDN}/", "/pictures/"):
        assert unquote(encode_picture_url(start + path)) == start + path


def test_srcset_is_not_split_by_a_comma_in_a_name() -> None:
    sources = [{"url": f"{CDN}/a,b,", "width": 320}, {"url": "/pictures/a b.webp", "width": 640}]
    shown = picture_view(Picture(product_id="prod_1", url="/a.webp", sources=sources))
    assert shown.srcset == f"{CDN}/a%2Cb%2C 320w, /pictures/a%20b.webp 640w"
