"""Search terms of orders, and terms of a search text."""

import pytest

from backend.customers.search_terms import customer_terms, parse_search_terms

ANA = {"first_name": "Ana María", "last_name": "Gómez Peña", "phone": "+57 300 123 4567", "company": None}
PAYER = {"doc_type": "CC", "doc_number": "1.020.304-050", "email": "Pagos@Ejemplo.co"}


def test_search_terms_contain_the_data_of_the_customer() -> None:
    terms = customer_terms("Ana.Gomez@Ejemplo.co", [ANA, ANA], PAYER)
    assert sorted(terms) == sorted(
        {
            "ana.gomez@ejemplo.co",
            "ana",
            "gomez",
            "maria",
            "pena",
            "3001234567",
            "pagos@ejemplo.co",
            "1020304050",
        }
    )


def test_search_terms_ignore_non_text_values_and_are_limited() -> None:
    assert customer_terms("", [{"first_name": 3, "phone": None}], None) == []
    assert len(customer_terms("a@b.co", [{"first_name": " ".join(map(str, range(1000)))}], None)) == 40
    assert max(map(len, customer_terms("a" * 300 + "@b.co", [], None))) == 80


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("  %_'; ", []),
        ("Gómez  ANA", ["gomez", "ana"]),
        ("300 123-45", ["30012345"]),
        ("(+57) 300 1234567", ["3001234567"]),
        ("#1024", ["1024"]),
        ("1.020.304.050", ["1020304050"]),
        ("ana.gomez@ej", ["ana.gomez@ej"]),
        ("calle 7", ["calle", "7"]),
    ],
)
def test_search_text_is_split_into_terms(text: str, terms: list[str]) -> None:
    assert parse_search_terms(text) == terms
