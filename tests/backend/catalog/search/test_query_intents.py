"""Interpretation of a shopper's search: prices, order, ages, gifts, questions, and the words that remain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.search.query_intents import MAX_PRICE, HelpTopic, ShopperSearch, parse_search
from backend.catalog.search.query_words import search_words

WORDS = search_words()


def _parse(text: str) -> ShopperSearch:
    return parse_search(text, WORDS)


def _words(text: str) -> list[str]:
    return [term.word for term in _parse(text).query.query_terms if term.word]


@pytest.mark.parametrize(
    ("text", "lowest", "highest"),
    [
        ("menos de 50000", None, 50_000),
        ("hasta 60 mil", None, 60_000),
        ("hasta 60", None, 60_000),
        ("máximo $50.000", None, 50_000),
        ("que no pasen de 50 mil pesos", None, 50_000),
        ("que no cueste más de 40k", None, 40_000),
        ("no más de 40 lucas", None, 40_000),
        ("30 lucas o menos", None, 30_000),
        ("por debajo de cincuenta mil", None, 50_000),
        ("de 20 mil pesos", None, 20_000),
        ("$ 20.000", None, 20_000),
        ("de 1 millón", None, 1_000_000),
        ("de 50.000", None, 50_000),
        ("por 120000", None, 120_000),
        ("más de 200 mil", 200_000, None),
        ("desde 100.000", 100_000, None),
        ("100 mil o más", 100_000, None),
        ("entre 20 y 40", 20_000, 40_000),
        ("entre 3 y 5", 3_000, 5_000),
        ("entre 50 y 100 mil", 50_000, 100_000),
        ("entre 50 mil y 100", 50_000, 100_000),
        ("entre 40.000 y 20.000", 20_000, 40_000),
        ("de 30000 a 40000", 30_000, 40_000),
        ("20 - 40 mil", 20_000, 40_000),
        ("de 20 a 40", 20_000, 40_000),
        ("más de 20 mil y menos de 50 mil", 20_000, 50_000),
        ("menos de 9999999999", None, MAX_PRICE),
    ],
)
def test_prices_in_words_become_the_price_range(text: str, lowest: int | None, highest: int | None) -> None:
    for search in (_parse(f"{text}"), _parse(f"carros {text}"), _parse(f"Carros {text} para niña")):
        assert (search.min_price, search.max_price) == (lowest, highest)
    assert _words(f"carros {text}") == ["carros"]
    assert _parse(text).query.is_anything


@pytest.mark.parametrize("text", ["carros 50.000", "carros 50000", "50000"])
def test_number_of_thousands_at_the_end_becomes_the_maximum_price(text: str) -> None:
    assert (_parse(text).min_price, _parse(text).max_price) == (None, 50_000)


@pytest.mark.parametrize("text", ["9581234567", "3001234567000", "carros 3101234000"])
def test_long_numbers_are_codes_and_no_prices(text: str) -> None:
    assert (_parse(text).min_price, _parse(text).max_price) == (None, None)
    assert _words(text) == text.split()


@pytest.mark.parametrize(
    "text",
    [
        "entre 3 y 5 años",
        "niños entre 3 y 5",
        "de 6 a 8 años",
        "de 6 a 8",
        "hasta 5 años",
        "más de 3 años",
        "mayores de 12",
        "menos de 18 meses",
        "rompecabezas de más de 100 piezas",
        "rompecabezas 1.000 piezas",
        "menos de 1.000 fichas",
        "entre 20 y 40 fichas",
        "20 mil leguas",
        "20.000 leguas",
        "tren 10001",
        "niño de 7",
        "tren 3000",
        "TRO-TRA-001",
        "2x1",
    ],
)
def test_numbers_that_are_not_amounts_of_money_do_not_limit_the_price(text: str) -> None:
    search = _parse(text)
    assert (search.min_price, search.max_price) == (None, None)


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("entre 3 y 5 años", ("3-5",)),
        ("niños entre 3 y 5", ("3-5",)),
        ("mayores de 12", ("12+",)),
        ("más de 8 años", ("9-12", "12+")),
        ("9 años en adelante", ("9-12", "12+")),
        ("desde los 9 años", ("9-12", "12+")),
        ("menores de 3", ("0-2",)),
        ("hasta 5 años", ("0-2", "3-5")),
        ("menos de 18 meses", ("0-2",)),
        ("primera infancia", ("0-2", "3-5")),
        ("para bebé de 6 meses", ("0-2",)),
        ("baby shower", ("0-2",)),
        ("niño de 7", ("6-8",)),
        ("mi sobrinita de 4", ("3-5",)),
        ("hija 10 ", ("9-12",)),
        ("de 3 a 5", ("3-5",)),
        ("9-12", ("9-12", "12+")),
        ("bebé de año y medio", ("0-2",)),
        ("niña de 8 años y medio", ("6-8",)),
        ("primer añito", ("0-2",)),
    ],
)
def test_search_for_an_age_in_words_has_only_an_age_term(text: str, ages: tuple[str, ...]) -> None:
    assert [(term.word, term.ages) for term in _parse(text).query.query_terms] == [("", ages)]


def test_ages_of_two_children_are_both_read() -> None:
    terms = _parse("hijo de 5 hija de 7").query.query_terms
    assert [(term.word, term.ages) for term in terms] == [("", ("3-5",)), ("", ("6-8",))]


@pytest.mark.parametrize("text", ["memoria de 2 a 4 jugadores", "niño 3 piezas", "de 10 a 20 cm", "TRO-6-8"])
def test_numbers_of_things_are_not_read_as_ages(text: str) -> None:
    assert [term.ages for term in _parse(text).query.query_terms if not term.word] == []


@pytest.mark.parametrize(
    "text", ["los mejores juguetes", "juguetes nuevos", "lo más vendido", "para mi hijito"]
)
def test_words_of_every_product_do_not_narrow_a_search(text: str) -> None:
    assert _parse(text).query.is_anything


def test_cheap_words_sort_by_price_and_are_not_searched() -> None:
    search = _parse("peluches más baratos")
    assert (search.sort, _words("peluches más baratos")) == ("price_asc", ["peluches"])
    assert (_parse("baratos").sort, _parse("baratos").query.is_anything) == ("price_asc", True)
    assert not _parse("peluches").sort


def test_gift_words_narrow_only_a_search_for_gifts_alone() -> None:
    alone, other, priced = _parse("regalos para niñas"), _parse("tren de regalo"), _parse("regalo de 20 mil")
    assert _parse("ideas de regalo de grado") == _parse("regalo")
    assert (alone.is_gift, [term.word for term in alone.query.query_terms]) == (True, ["regalos"])
    assert (other.is_gift, [term.word for term in other.query.query_terms]) == (False, ["tren"])
    assert [term.word for term in other.query.bonus_terms] == ["regalo"]
    assert priced.query.is_anything
    assert {search.topics for search in (alone, other, priced)} == {(HelpTopic.GIFT_FINDER,)}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("envío", HelpTopic.SHIPPING),
        ("envi", HelpTopic.SHIPPING),
        ("¿cuándo llega?", HelpTopic.SHIPPING),
        ("garantía", HelpTopic.WARRANTY),
        ("cambios", HelpTopic.RETURNS),
        ("mi pedido", HelpTopic.ORDER_LOOKUP),
        ("número de guía", HelpTopic.ORDER_LOOKUP),
        ("ofertas", HelpTopic.OFFERS),
        ("descuento", HelpTopic.OFFERS),
        ("poner una queja", HelpTopic.CLAIMS),
        ("formas de pago", HelpTopic.TERMS),
        ("reciben tarjeta de crédito", HelpTopic.TERMS),
        ("no ha llegado mi paquete", HelpTopic.ORDER_LOOKUP),
    ],
)
def test_help_words_lead_to_their_page(text: str, topic: HelpTopic) -> None:
    assert _parse(text).topics == (topic,)


@pytest.mark.parametrize("text", ["trompo", "número", "env", "cometa", "carro de bomberos", ""])
def test_other_words_lead_to_no_page(text: str) -> None:
    assert _parse(text).topics == ()


def test_search_without_batteries_excludes_battery_words_and_requires_none() -> None:
    search = _parse("trenes sin pilas")
    assert {"pila", "pilas", "bateria"} <= search.excluded
    assert _words("trenes sin pilas") == ["trenes"]
    assert _parse("sin pilas").query.is_anything


_PIECES = (
    *(
        "entre",
        "y",
        "de",
        "a",
        "menos",
        "más",
        "hasta",
        "mayores",
        "desde",
        "máximo",
        "20",
        "40",
        "5",
        "0",
        "$50.000",
    ),
    *(
        "mil",
        "lucas",
        "k",
        "pesos",
        "años",
        "piezas",
        "carro",
        "regalo",
        "baratos",
        "sin",
        "pilas",
        "envío",
        "-",
        "1.0",
    ),
)


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join)))
def test_any_text_is_parsed_to_a_valid_search(text: str) -> None:
    search = _parse(text)
    prices = [price for price in (search.min_price, search.max_price) if price is not None]
    assert prices == sorted(prices)
    assert all(0 <= price <= MAX_PRICE for price in prices)
    assert search.sort in {"", "price_asc"}
    assert len(set(search.topics)) == len(search.topics)
    assert all(term.word or term.ages for term in (*search.query.query_terms, *search.query.bonus_terms))
    assert not (search.is_gift and search.query.bonus_terms)


@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from(["mil", "lucas", "k"]))
def test_range_of_two_numbers_of_thousands_becomes_the_price_range(one: int, other: int, unit: str) -> None:
    expected = tuple(sorted((one * 1000, other * 1000)))
    for text in (
        f"entre {one} y {other}",
        f"entre {one} {unit} y {other} {unit}",
        f"entre {one} y {other} {unit}",
    ):
        search = _parse(f"carros {text}")
        assert (search.min_price, search.max_price) == expected
