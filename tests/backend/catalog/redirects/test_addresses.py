"""Normalization of former addresses, as people, programs and visitors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.redirects.addresses import (
    MAX_ADDRESS_LENGTH,
    MAX_ADDRESSES_PER_CELL,
    InvalidAddress,
    is_address,
    parse_address,
    parse_addresses,
    parse_request_address,
)
from backend.catalog.schemas.cell_parsers import CellError


@pytest.mark.parametrize(
    ("written", "normalized"),
    [
        ("/productos/balero", "/productos/balero"),
        ("https://www.mitienda.com.co/productos/balero", "/productos/balero"),
        ("HTTP://mitienda.com:8080/Productos/Balero/", "/productos/balero"),
        ("//mitienda.com/productos/balero#fotos", "/productos/balero"),
        ("www.mitienda.com.co/productos/balero", "/productos/balero"),
        ("mitienda.com/?product=balero", "/?product=balero"),
        ("productos/balero.html", "/productos/balero.html"),
        ("index.php?id_product=12&controller=product", "/index.php?controller=product&id_product=12"),
        ("?p=12", "/?p=12"),
        ("/a//b/", "/a/b"),
        ("/mu%C3%B1ecas/%C3%91and%C3%BA", "/muñecas/ñandú"),
        ("/muñecas/ñandú", "/muñecas/ñandú"),
        ("/mun\u0303ecas", "/muñecas"),
        ("/mu%F1ecas", "/muñecas"),
        ("/juguetes%20de%20madera", "/juguetes%20de%20madera"),
        ("/juguetes de madera", "/juguetes%20de%20madera"),
        ("/100%25-madera", "/100%25-madera"),
        ("/a%2Fb", "/a%2Fb"),
        ("/a%3Fb", "/a%3Fb"),
        ("/x?b=2&a=1", "/x?a=1&b=2"),
        ("/x?q=rojo+vivo", "/x?q=rojo%20vivo"),
        ("/x?q=a%26b%3Dc%2Bd", "/x?q=a%26b%3Dc%2Bd"),
        ("/x?balero", "/x?balero="),
        ("/x?a=1&a=2&a=1", "/x?a=1&a=2"),
        ("/x?utm_source=mail&gclid=1&fbclid=2&srsltid=3&id=4&UTM_Medium=x", "/x?id=4"),
        ("/products/balero?variant=4711&_pos=1&_sid=a&_ss=r", "/products/balero"),
        ("/producto/balero/?attribute_pa_color=rojo&add-to-cart=7", "/producto/balero"),
        ("/collections/madera/products/balero", "/products/balero"),
        ("/collections/madera", "/collections/madera"),
    ],
)
def test_address_is_normalized(written: str, normalized: str) -> None:
    assert is_address(written)
    assert str(parse_address(written)) == normalized
    assert parse_address(normalized) == parse_address(written)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "/",
        "https://mitienda.com",
        "https://mitienda.com/?utm_source=x",
        "/store/products",
        "/Oficina/pedidos",
        "/a/../b",
        "/a/%2e%2e/b",
        "/a%00b",
        "/a\u200bb",
        "mailto:ana@example.com",
        "javascript:alert(1)",
        "/" + "a" * MAX_ADDRESS_LENGTH,
        "/" + "a" * 3_000,
        "/\ud800",
    ],
)
def test_text_that_cannot_be_a_redirected_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidAddress):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Balero de madera", False),
        ("SKU-1", False),
        ("balero", False),
        ("madera > baleros", False),
        ("1.500", False),
        ("Marca S.A", False),
        ("mitienda.com", False),
        ("a/b", True),
        ("balero.html", True),
        ("/balero grande", True),
    ],
)
def test_is_address_is_true_for_addresses_and_false_for_words(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one


def test_requested_and_typed_addresses_are_normalized_alike() -> None:
    written = parse_address("https://old.example/Mu%C3%B1ecas/?ID=7&utm_source=x")
    assert parse_request_address("/muñecas".encode(), b"id=7") == written
    assert parse_request_address(b"/mu%f1ecas/", b"gclid=1&id=7") == written
    assert parse_request_address(b"/a/../b", b"") is None
    assert parse_request_address(b"/%00", b"") is None


@pytest.mark.parametrize(
    ("cell", "addresses"),
    [
        ("/a | /b|/a", ("/a", "/b")),
        ("/a\n/b", ("/a", "/b")),
        ("/a, /b; /c", ("/a", "/b", "/c")),
        ("/a,b", ("/a,b",)),
        ("https://x.co/a https://x.co/b,https://x.co/c", ("/a", "/b", "/c")),
    ],
)
def test_cell_with_several_addresses_is_split(cell: str, addresses: tuple[str, ...]) -> None:
    assert parse_addresses(cell) == addresses


@pytest.mark.parametrize(
    "cell", ["Balero", "/a|Balero", "/", "|".join(f"/{n}" for n in range(MAX_ADDRESSES_PER_CELL + 1))]
)
def test_cell_with_a_text_that_is_no_address_is_refused(cell: str) -> None:
    with pytest.raises(CellError):
        parse_addresses(cell)


@given(st.text(max_size=30), st.text(max_size=30), st.binary(max_size=20))
def test_any_address_is_refused_or_unchanged_when_normalized_again(path: str, query: str, raw: bytes) -> None:
    parse_request_address(b"/" + raw, raw)
    try:
        address = parse_address(f"/{path}?{query}")
    except InvalidAddress:
        return
    assert parse_address(str(address)) == address
    encoded_path, _mark, encoded_query = str(address).partition("?")
    assert parse_request_address(encoded_path.encode(), encoded_query.encode()) == address
