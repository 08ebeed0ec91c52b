"""The list of known facts about a product."""

import pytest

from backend.catalog.models import Product
from backend.catalog.product_facts import product_facts


@pytest.mark.parametrize(
    ("known", "facts"),
    [
        ({}, []),
        ({"material": " Madera  de pino\n"}, [("Material", "Madera de pino")]),
        ({"length": 30, "width": 20.5, "height": 10}, [("Medidas", "30 × 20,5 × 10 cm")]),
        ({"length": 30, "width": 20}, []),
        ({"weight": 0.35}, [("Peso", "350 g")]),
        ({"weight": 1.25}, [("Peso", "1,25 kg")]),
        ({"weight": 0}, []),
        ({"origin_country": "co"}, [("Hecho en", "Colombia")]),
        ({"origin_country": "CO"}, [("Hecho en", "Colombia")]),
        ({"origin_country": "zz"}, []),
        (
            {
                "extra_metadata": {"contents": "1 trompo y 1 cuerda", "safety_mark": " NTC-EN 71-1\n"},
                "warnings": "Piezas pequeñas.",
            },
            [
                ("Contenido", "1 trompo y 1 cuerda"),
                ("Sello de seguridad", "NTC-EN 71-1"),
                ("Seguridad", "Piezas pequeñas."),
            ],
        ),
        ({"extra_metadata": {"contents": ["a"]}}, []),
        ({"extra_metadata": {"contents": "1 trompo\r\n1 cuerda\n"}}, [("Contenido", "1 trompo\n1 cuerda")]),
        ({"warnings": "<p>Uno.</p><p>Dos.</p>"}, [("Seguridad", "Uno.\n\nDos.")]),
        ({"extra_metadata": {"contents": "x" * 999}}, [("Contenido", "x" * 300)]),
    ],
)
def test_known_facts_about_a_product_are_listed(
    known: dict[str, object], facts: list[tuple[str, str]]
) -> None:
    product = Product(handle="trompo", title="Trompo", **known)  # type: ignore[arg-type]
    assert [(fact.term, fact.value) for fact in product_facts(product)] == facts


@pytest.mark.parametrize(
    ("warnings", "is_marked"),
    [
        ("No es para menores de 3 años: piezas pequeñas.", True),
        ("NO CONVIENE PARA NIÑOS MENORES DE TRES AÑOS", True),
        ("No apto para 0-3.", True),
        ("Not suitable for children under 36 months.", True),
        ("Úsalo con la vigilancia de un adulto.", False),
        ("Recomendado desde los 3 años.", False),
        ("", False),
    ],
)
def test_symbol_not_under_three_is_shown_only_if_a_warning_mentions_that_age(
    warnings: str, is_marked: bool
) -> None:
    product = Product(handle="trompo", title="Trompo", material="Madera", warnings=warnings)
    assert [fact.is_not_under_three for fact in product_facts(product)] == [
        False,
        *([is_marked] if warnings else []),
    ]
