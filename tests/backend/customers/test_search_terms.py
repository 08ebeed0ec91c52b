"""What an order is found by, and what somebody means who looks for it."""

import pytest

from backend.customers.search_terms import buyer_terms, wanted_terms

ANA = {"first_name": "Ana María", "last_name": "Gómez Peña", "phone": "+57 300 123 4567", "company": None}
PAYER = {"doc_type": "CC", "doc_number": "1.020.304-050", "email": "Pagos@Ejemplo.co"}


def test_an_order_is_found_by_its_buyer() -> None:
    terms = buyer_terms("Ana.Gomez@Ejemplo.co", [ANA, ANA], PAYER)
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


def test_what_is_no_text_is_left_out_and_there_is_never_too_much() -> None:
    assert buyer_terms("", [{"first_name": 3, "phone": None}], None) == []
    assert len(buyer_terms("a@b.co", [{"first_name": " ".join(map(str, range(1000)))}], None)) == 40
    assert max(map(len, buyer_terms("a" * 300 + "@b.co", [], None))) == 80


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
def test_what_is_meant(text: str, terms: list[str]) -> None:
    assert wanted_terms(text) == terms
