"""Texts that were read in a wrong encoding and saved again are repaired, or marked as unreadable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.spreadsheet_reader.encodings import ENCODINGS, UNREADABLE
from backend.spreadsheet_reader.mojibake import repair_text

TITLES = [
    "Muñeca",
    "Balón nº 5",
    "Ñandú",
    "PINGÜINO",
    "Ábaco à la carte",
    "¿Café? ¡Sí!",
    "Tamaño: 3 ½ “chico”",
]


def misread(text: str, encoding: str) -> str:
    return "".join(
        bytes([byte]).decode(
            encoding if encoding != "cp1252" or byte not in b"\x81\x8d\x8f\x90\x9d" else "latin-1"
        )
        for byte in text.encode()
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("title", TITLES)
def test_misread_text_is_repaired(title: str, encoding: str) -> None:
    assert repair_text(misread(title, encoding)) == title


@pytest.mark.parametrize("title", [*TITLES, "São Paulo", "PÃO", "Â", "√ de 2", "Ñandú 🪆"])
def test_text_without_misread_letters_is_unchanged(title: str) -> None:
    assert repair_text(title) == title


def test_misread_letter_that_cannot_be_repaired_is_marked_as_unreadable() -> None:
    assert repair_text("MuÃ±eca 🪆") == f"Mu{UNREADABLE}eca 🪆"


@given(st.text("abcdeñáéíóúüÑÁÉÍÓÚÜ¿¡ºª°«»“”’–…€½ ", max_size=30))
def test_spanish_text_is_unchanged(text: str) -> None:
    assert repair_text(text) == text
