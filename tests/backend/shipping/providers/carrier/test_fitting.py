import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.shipping.providers.carrier.messages import fit, fit_address, fit_phone, fit_reference


@pytest.mark.parametrize(
    ("text", "most", "fitted"),
    [
        ("Peña", 14, "Peña"),
        ("María Fernanda de los Ángeles", 14, "María Fernanda"),
        ("  Luz \n Marina ", 14, "Luz Marina"),
        ("Supercalifragilístico", 14, "Supercalifragi"),
        ("A Supercalifragilístico", 14, "A Supercalifra"),
        ("Torre 5, apartamento 301, timbre", 25, "Torre 5, apartamento 301"),
        ("Luz\x00\x07Marina", 14, "Luz Marina"),
    ],
)
def test_a_long_text_is_shortened_at_a_word(text: str, most: int, fitted: str) -> None:
    assert fit(text, most) == fitted


@pytest.mark.parametrize("text", ["", " ", "A", "\n"])
def test_a_text_too_short_is_the_fallback(text: str) -> None:
    assert fit(text, 14, fallback="Sin nombre") == "Sin nombre"


@pytest.mark.parametrize(
    ("address", "fitted"),
    [
        ("Carrera 43A # 1-50, apartamento 301", "Carrera 43A # 1-50, apartamento 301"),
        (
            "Carrera 43A # 1-50, Torre 2, apartamento 301, El Poblado",
            "Cra 43A # 1-50, To 2, Apto 301, El Poblado",
        ),
        (
            "Avenida Calle 80 # 68-20 Conjunto Residencial Los Cerezos Torre 5",
            "Av Cl 80 # 68-20 Conj Resid Los Cerezos To 5",
        ),
    ],
)
def test_an_address_is_abbreviated_as_colombians_do_only_when_it_must(address: str, fitted: str) -> None:
    assert fit_address(address, 50) == fitted


@pytest.mark.parametrize(
    ("typed", "digits"),
    [
        ("3001234567", "3001234567"),
        ("+57 300 123 4567", "3001234567"),
        ("573001234567", "3001234567"),
        ("(601) 555-0123", "6015550123"),
        ("5701234567", "5701234567"),
        ("300 123", "300123"),
        ("no tengo", ""),
    ],
)
def test_a_phone_is_its_ten_digits(typed: str, digits: str) -> None:
    assert fit_phone(typed) == digits


def test_a_reference_keeps_the_end_that_tells_it_apart() -> None:
    assert fit_reference("ful_01K8ZQJ6W5T4S3R2Q1P0N9M8L7", 28) == "l_01K8ZQJ6W5T4S3R2Q1P0N9M8L7"
    assert fit_reference("1042-1", 28) == "1042-1"


@given(st.text(max_size=200), st.integers(2, 60))
def test_nothing_is_ever_longer_than_it_may_be(text: str, most: int) -> None:
    for fitted in (fit(text, most), fit_address(text, most), fit_reference(text, most)):
        assert len(fitted) <= most
        assert "\n" not in fitted
        assert fitted == fitted.strip()
