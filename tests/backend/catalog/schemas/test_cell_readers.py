"""Parsers of cells: notations of people and programs, and the shop's own files."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.importer.columns import COLUMNS
from backend.catalog.schemas import cell_numbers, cell_words
from backend.catalog.schemas.cell_parsers import CellError, Noted
from backend.core.commands import UNCHANGED
from backend.core.money import format_cop
from backend.imports.rows.changes import format_cell


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("89900.00", 89_900),
        ("45000 COP", 45_000),
        ("COP 45.000", 45_000),
        ("$ 89.900,00", 89_900),
        ("89'900", 89_900),
        ("1'250.000", 1_250_000),
        ("89 900", 89_900),
        ("$ 1\u2009250\u2009000", 1_250_000),
        ("89.900.00", 89_900),
        ("COL$ 45,000", 45_000),
        ("45.000 pesos", 45_000),
        ("0", 0),
        ("$ 0,00", 0),
        ("$ -", 0),
        ("75546.218487", Noted(75_546, "rounded")),
        ("35000.5", Noted(35_001, "rounded")),
        ("840.336134", Noted(840, "rounded")),
    ],
)
def test_price_is_read(cell: str, value: object) -> None:
    assert cell_numbers.parse_price(cell) == value


def test_former_price_of_0_is_read_as_none() -> None:
    assert [cell_numbers.parse_former_price(cell) for cell in ("$ 0", "900")] == [None, 900]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("-", "cell"),
        ("89.9", "lost digits"),  # 89.900 in a spreadsheet that has a decimal point
        ("125,5", "lost digits"),
        ("20 USD", "currency"),
        ("US$ 20", "currency"),
        ("-5", "cell"),
        ("1.2.3", "cell"),
        ("12.34.567", "cell"),
        ("64,25000,10", "cell"),
        ("$", "cell"),
        ("1" * 61, "cell"),
        ("9.08E+01", "cell"),
    ],
)
def test_ambiguous_or_invalid_price_is_refused(cell: str, code: str) -> None:
    with pytest.raises(CellError) as refused:
        cell_numbers.parse_price(cell)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("12.00", 12),
        ("12 und", 12),
        ("12 Unidades.", 12),
        ("1200", 1_200),
        ("1.200", Noted(1_200, "thousands")),
        ("-2", Noted(0, "negative stock")),
        ("(3)", Noted(0, "negative stock")),
        ("Agotado", Noted(0, "sold out")),
        ("-0", 0),
    ],
)
def test_units_are_read(cell: str, value: object) -> None:
    assert cell_numbers.parse_units(cell) == value


@pytest.mark.parametrize("cell", ["1.5", "many", "12 cajas", "1000001", "--2"])
def test_invalid_number_of_units_is_refused(cell: str) -> None:
    with pytest.raises(CellError):
        cell_numbers.parse_units(cell)


@pytest.mark.parametrize(
    ("cell", "rate"),
    [
        ("19", 19), ("19%", 19), ("19,0 %", 19), ("19.00", 19), ("0.19", 19), ("0,05", 5), ("IVA 19%", 19),
        ("IVA (5%)", 5), ("Tarifa general 19 %", 19), ("0 %", 0), ("Exento", 0), ("Excluido", 0), ("Exento 0%", 0),
    ],
)  # fmt: skip
def test_tax_rate_is_read(cell: str, rate: int) -> None:
    assert cell_numbers.parse_tax_rate(cell) == rate


@pytest.mark.parametrize(
    ("cell", "is_excluded"),
    [
        ("Excluido", True),
        ("No gravado", True),
        ("Exento", False),
        ("19 %", False),
        ("5", False),
        ("0", None),
        ("Sin IVA", None),
    ],
)
def test_tax_exclusion_is_recognised_in_a_cell(cell: str, *, is_excluded: bool | None) -> None:
    assert cell_numbers.find_exclusion(cell) is is_excluded


@pytest.mark.parametrize("cell", ["16", "0.19%", "1", "19 5", "IVA", "sí"])
def test_unknown_tax_rate_is_refused(cell: str) -> None:
    with pytest.raises(CellError):
        cell_numbers.parse_tax_rate(cell)


@pytest.mark.parametrize(
    ("cell", "kilograms"),
    [
        ("350 g", 0.35),
        ("0,35 kg", 0.35),
        ("350gr.", 0.35),
        ("1.500 g", 1.5),
        ("1.500", 1.5),
        ("2 lb", 0.907185),
        ("80 kg", 80.0),
        ("80", Noted(80.0, "large measure")),
        ("0.000000", Noted(UNCHANGED, "no measure")),
    ],
)
def test_weight_is_read(cell: str, kilograms: object) -> None:
    assert cell_numbers.WEIGHT.read(cell) == kilograms


@pytest.mark.parametrize(
    ("cell", "code"),
    [("350", "unit"), ("1 libra", "cell"), ("101 kg", "cell"), ("-1", "cell"), ("kg", "cell")],
)
def test_implausible_weight_is_refused(cell: str, code: str) -> None:
    with pytest.raises(CellError) as refused:
        cell_numbers.WEIGHT.read(cell)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("cell", "centimetres"),
    [("24", 24.0), ("24 cm", 24.0), ("240 mm", 24.0), ("1,2 m", 120.0), ('10"', 25.4)],
)
def test_length_is_read(cell: str, centimetres: float) -> None:
    assert cell_numbers.LENGTH.read(cell) == centimetres


@pytest.mark.parametrize("cell", ["activo", "publish", "1", "sí", "SI", "x", "Verdadero", "TRUE"])
def test_word_for_yes_is_parsed_as_true_and_published(cell: str) -> None:
    assert cell_words.parse_yes_or_no(cell) is True
    assert cell_words.parse_status(cell) == "published"


@pytest.mark.parametrize("cell", ["inactivo", "draft", "0", "-1", "no", "Falso", "oculto"])
def test_word_for_no_is_parsed_as_false_and_draft(cell: str) -> None:
    assert cell_words.parse_yes_or_no(cell) is False
    assert cell_words.parse_status(cell) == "draft"


@pytest.mark.parametrize("cell", ["quizás", "2", "proposed?"])
def test_word_other_than_yes_or_no_is_refused(cell: str) -> None:
    for parse in (cell_words.parse_yes_or_no, cell_words.parse_status):
        with pytest.raises(CellError):
            parse(cell)


@pytest.mark.parametrize(
    ("cell", "age_range"),
    [
        ("3-5", "3-5"),
        ("3–5 años", "3-5"),
        ("12+", "12+"),
        ("3+", Noted("3-5", "age range")),
        ("+3", Noted("3-5", "age range")),
        ("3 a 8 años", Noted("3-5", "age range")),
        ("A partir de 6 años", Noted("6-8", "age range")),
        ("18 meses", Noted("0-2", "age range")),
        ("36 meses +", Noted("3-5", "age range")),
        ("6 a 12 meses", Noted("0-2", "age range")),
        ("12 a 99 años", Noted("12+", "age range")),
    ],
)
def test_age_range_is_parsed_from_a_cell(cell: str, age_range: object) -> None:
    assert cell_words.parse_age_range(cell) == age_range


@pytest.mark.parametrize("cell", ["adultos", "200 años", "2026-12-24", "pilas"])
def test_invalid_age_is_refused(cell: str) -> None:
    with pytest.raises(CellError):
        cell_words.parse_age_range(cell)


@pytest.mark.parametrize(
    ("cell", "code"),
    [("CO", "co"), ("Colombia", "co"), ("COL", "co"), ("EE. UU.", "us"), ("Alemania", "de"), ("Japan", "jp")],
)
def test_country_is_read(cell: str, code: str) -> None:
    assert cell_words.parse_country(cell) == code


@pytest.mark.parametrize("cell", ["'7701234567897", "770 1234 567897", "7701234567897.0", "’7701234-567897"])
def test_bar_code_is_read(cell: str) -> None:
    assert cell_words.parse_bar_code(cell) == "7701234567897"


@pytest.mark.parametrize("cell", ["0", "0.0", "0000000000000", "-", "N/A", "No aplica", "Sin código"])
def test_word_for_a_missing_bar_code_leaves_the_bar_code_unchanged(cell: str) -> None:
    assert cell_words.parse_bar_code(cell) == Noted(UNCHANGED, "no bar code")


@pytest.mark.parametrize(
    ("cell", "code"), [("7701234567890", "check digit"), ("770123", "cell"), ("EAN 7701234567897", "cell")]
)
def test_wrong_bar_code_is_refused(cell: str, code: str) -> None:
    with pytest.raises(CellError) as refused:
        cell_words.parse_bar_code(cell)
    assert refused.value.code == code


def test_bar_code_of_a_carton_with_14_digits_is_valid() -> None:
    assert cell_words.parse_bar_code("1 7701234 567894") == "17701234567894"


@pytest.mark.parametrize(
    ("parse", "cell", "parts"),
    [
        (cell_words.parse_list, "madera, niños", ("madera", "niños")),
        (cell_words.parse_list, "a|b, c", ("a", "b, c")),
        (cell_words.parse_list, "a; b, c", ("a", "b, c")),
        (cell_words.parse_list, r"a\, b, c", ("a, b", "c")),
        (cell_words.parse_list, "a, b|", ("a, b",)),
        (cell_words.parse_categories, "Juguetes > Madera, Bebés", ("Juguetes > Madera", "Bebés")),
        (cell_words.parse_categories, "Juguetes>Madera|juguetes", ("Juguetes > Madera", "juguetes")),
        (cell_words.parse_pictures, "https://a.co/1.jpg, https://a.co/2,x.jpg", ("https://a.co/1.jpg", "https://a.co/2,x.jpg")),
        (cell_words.parse_pictures, "https://a.co/1.jpg https://a.co/2.jpg", ("https://a.co/1.jpg", "https://a.co/2.jpg")),
        (cell_words.parse_pictures, "a.jpg, b.PNG", ("a.jpg", "b.PNG")),
        (cell_words.parse_pictures, "uno, dos.jpg", ("uno, dos.jpg",)),
        (cell_words.parse_pictures, "uno;dos, tres; 4.jpg\ncinco", ("uno", "dos, tres", "4.jpg", "cinco")),
        (cell_words.parse_pictures, "muñeca (1).jpg|b.jpg", ("muñeca (1).jpg", "b.jpg")),
    ],
)  # fmt: skip
def test_cell_with_a_list_is_split_into_its_parts(
    parse: Callable[[str], object], cell: str, parts: tuple[str, ...]
) -> None:
    assert parse(cell) == parts


AMOUNTS = st.integers(0, 1_000_000_000)
NOTATIONS: list[Callable[[int], str]] = [
    str,
    format_cop,
    lambda amount: f"{amount:,}",
    lambda amount: f"{amount:,}.00",
    lambda amount: f"{amount}.00",
    lambda amount: f"{amount:,}".replace(",", "."),
    lambda amount: f"$ {amount:,}".replace(",", ".") + ",00",
    lambda amount: f"{amount:,}".replace(",", "'"),
    lambda amount: f"{amount:,} COP".replace(",", " "),
]


@given(AMOUNTS, st.sampled_from(NOTATIONS))
def test_amount_is_the_same_in_every_notation(amount: int, write: Callable[[int], str]) -> None:
    assert cell_numbers.parse_price(write(amount)) == amount


@given(st.decimals(1000, 10**9, places=6), st.sampled_from(".,"))
def test_cents_are_rounded_to_the_nearest_peso(amount: Decimal, mark: str) -> None:
    read = cell_numbers.parse_price(f"{amount:f}".replace(".", mark))
    pesos = read.value if isinstance(read, Noted) else read
    assert abs(pesos - amount) <= Decimal("0.5")
    assert isinstance(read, Noted) == (pesos != amount)


TEXTS = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=40).map(str.strip).filter(bool)
WORDS = TEXTS.map(lambda text: text.replace("|", "/")).filter(bool)
STORED: dict[str, st.SearchStrategy[Any]] = {
    "price": AMOUNTS,
    "compare_at_price": AMOUNTS.filter(bool),
    "stock": st.integers(0, 1_000_000),
    "tax_rate": st.sampled_from([0, 5, 19]),
    "weight": st.integers(1, 100_000).map(lambda grams: grams / 1000),
    "length": st.integers(1, 5_000).map(lambda millimetres: millimetres / 10),
    "featured": st.booleans(),
    "is_free": st.booleans(),
    "status": st.sampled_from(["published", "draft"]),
    "age_range": st.sampled_from(cell_words.AGE_RANGES),
    "origin_country": st.sampled_from(["co", "us", "cn", "de", "jp"]),
    "title": TEXTS,
    "sku": TEXTS,
    "material": TEXTS,
    "tags": st.lists(WORDS, min_size=1, max_size=3, unique=True).map(tuple),
    "pictures": st.lists(WORDS, min_size=1, max_size=3, unique=True).map(tuple),
}
"""Values that the shop may store, by column."""


@given(st.data())
def test_exported_cell_is_read_back_as_the_stored_value(data: st.DataObject) -> None:
    column = data.draw(st.sampled_from(sorted(STORED)))
    value = data.draw(STORED[column])
    cell = str(format_cell(column, value))
    read = COLUMNS[column].read(cell.strip())
    assert (read.value if isinstance(read, Noted) else read) == value
