from typing import Any

import pytest

from backend.shipping.providers.carrier.answers import problem_in


def told(error: object, *, older: bool = False) -> dict[str, Any]:
    message = {"error": error}
    return {"status": "NOT OK", "status_codes": [422], "status_messages": message if older else [message]}


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (["Unauthorized.", "API Key inválido o inactivo."], "Unauthorized. API Key inválido o inactivo."),
        ("No se pudo generar la guía", "No se pudo generar la guía"),
        (
            ["Unprocessed Entity.", "No tiene suficiente crédito disponible en su cuenta."],
            "Unprocessed Entity. No tiene suficiente crédito disponible en su cuenta.",
        ),
        (
            ["Unprocessed Entity.", {"pickupDate": ["el campo debe ser de tipo fecha AAAA-MM-DD"]}],
            "Unprocessed Entity. pickupDate: el campo debe ser de tipo fecha AAAA-MM-DD",
        ),
        ({"email": "Dato inválido"}, "email: Dato inválido"),
    ],
)
def test_every_shape_becomes_one_sentence(error: object, text: str, older: bool) -> None:
    assert str(problem_in(told(error, older=older))) == text


def test_fields_are_named_with_dots_however_deep_they_are() -> None:
    problem = problem_in(
        told(
            [
                "Unprocessed Entity.",
                {
                    "destination": {
                        "firstName": ["El campo debe tener entre 2 y 14 caracteres.", "Otro."],
                        "email": "Malo.",
                    }
                },
            ]
        )
    )
    assert problem.sentences == ("Unprocessed Entity.",)
    assert problem.fields == {
        "destination.firstName": "El campo debe tener entre 2 y 14 caracteres. Otro.",
        "destination.email": "Malo.",
    }


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        5,
        {},
        {"status_messages": None},
        {"status_messages": [None, 5, {"x": 1}]},
        told(None),
        told(5),
    ],
)
def test_what_says_nothing_is_an_empty_problem(body: object) -> None:
    problem = problem_in(body)
    assert str(problem) == ""
    assert problem.fields == {}
