"""A shop in English says nothing in Spanish: names of towns, banks and toys, and the shop's own texts aside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spanish import bare_spanish, spanish_in

ENGLISH = Path(__file__).parent / "english"


@pytest.mark.timeout(900)  # a whole run of tests
def test_nothing_is_said_in_spanish() -> None:
    """The language is the process's, so the tests in `tests/english` run in one of their own."""
    files = [ENGLISH / name for name in ("pages.py", "mails.py", "errors.py")]
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", *files],
        env={**inherited, "STORE_LOCALE": "en"},
        cwd=ENGLISH.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    "text", ["Agregar al carrito", "Ver mi pedido", "¡Gracias!", "Pay con PSE", "<p>Tu banco</p>"]
)
def test_spanish_is_found(text: str) -> None:
    assert spanish_in(text) != []


@pytest.mark.parametrize(
    "text", ["Add to cart", "Medellín, Antioquia: BANCO DE BOGOTA", "/order/por-pagar?que=1", ""]
)
def test_english_and_names_are_none(text: str) -> None:
    assert spanish_in(text) == []


def test_a_text_outside_the_catalogue_is_found() -> None:
    source = 'TITLE = _("Tu pedido")\nOTHER = "Tu pedido"\nlog.info("the carrier said «no hay cobertura»")'
    assert list(bare_spanish(source)) == ["line 2: 'Tu pedido'"]
