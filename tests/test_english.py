"""Check that a shop in English shows no Spanish, except names of towns, banks and products and the shop's own texts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spanish import find_spanish, find_untranslated_spanish

ENGLISH = Path(__file__).parent / "english"


@pytest.mark.timeout(900)  # a whole run of tests
def test_shop_in_english_shows_no_spanish_text() -> None:
    """Run the tests in `tests/english` in a separate process, because the language is set per process."""
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
def test_spanish_text_is_found(text: str) -> None:
    assert find_spanish(text) != []


@pytest.mark.parametrize(
    "text", ["Add to cart", "Medellín, Antioquia: BANCO DE BOGOTA", "/order/por-pagar?que=1", ""]
)
def test_english_texts_and_names_are_not_reported_as_spanish(text: str) -> None:
    assert find_spanish(text) == []


def test_untranslated_spanish_literal_is_found() -> None:
    source = 'TITLE = _("Tu pedido")\nOTHER = "Tu pedido"\nlog.info("the carrier said «no hay cobertura»")'
    assert list(find_untranslated_spanish(source)) == ["line 2: 'Tu pedido'"]
