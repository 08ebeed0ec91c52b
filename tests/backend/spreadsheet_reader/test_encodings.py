"""Texts are decoded by lines, and no letter is guessed.

| lines | outcome |
|---|---|
| valid UTF-8 | UTF-8, also next to lines in an older encoding |
| the other lines | one of cp1252, Mac Roman and cp850, by the letters of all of them |
| letters that are not plausible in it, or that fit two encodings | replaced, so that the row is refused |
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.spreadsheet_reader.encodings import ENCODINGS, UNREADABLE, decode_lines

WORDS = (
    "Muñeca", "Balón", "María", "Ábaco", "Útil", "índice", "BEBÉ", "CAMIÓN", "JUGUETERÍA", "ÚNICO", "MUÑECA",
    "Pingüino",
    "¿Qué?", "¡Hola!", "¡hola!", "él", "época", "ñandú", "Ñandú", "árbol",
    "«clásico»", "“oso”", "–", "LEGO®", "Nº 3", "3°",
    "Barbie’s", "Crêpe", "Façade", "Müller", "SEÑOR", "AÑO", "Peluche", "TROMPO", "café", "Bogotá", "$\xa045.000",
    "oso\xa0azul", "9½", "oso…", "Perú", "bebés", "éxito", "€5", "12", "niño",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_older_encoding_is_recognised(encoding: str, end: str) -> None:
    text = end.join(
        ["Nombre;Precio", "Muñeca;1", "Balón;2", "CAMIÓN PEQUEÑO;3", "¿Quién es?;4", "Ábaco;5", ""]
    )
    assert decode_lines(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_utf8_lines_next_to_a_line_in_another_encoding_are_decoded_as_utf8(encoding: str) -> None:
    content = "\ufeffMuñeca\n".encode() + "Balón\n".encode(encoding) + "Título\n".encode()
    assert decode_lines(content) == "Muñeca\nBalón\nTítulo\n"


@pytest.mark.parametrize(
    "content",
    [
        "Muñeca\nBalón\n".encode("cp1252") + "Muñeca\n".encode("mac_roman"),
        "Muñeca\nBalón\n".encode("cp1252") + "Muñeca\n".encode("cp850"),
        "Muñeca\nBalón\n".encode("cp1252") + "Muñeca ".encode() + "Balón\n".encode("cp1252"),
        "Muñeca\nBalón\n".encode("mac_roman") + "Balón\n".encode("cp1252"),
        "Muñeca\nBalón\n".encode("cp850") + b"\xd5\n",
    ],
)
def test_line_in_a_different_encoding_than_the_others_has_letters_marked_unreadable(content: bytes) -> None:
    *read, last, end = decode_lines(content).split("\n")
    assert (read, end) == (["Muñeca", "Balón"], "")
    assert UNREADABLE in last


@pytest.mark.parametrize(
    "content",
    [
        "Ábaco".encode("mac_roman"),
        "¡hola!".encode("mac_roman"),
        "¡HOLA".encode("mac_roman"),
        "¡hola".encode("cp1252"),
        "oso\xa0lila".encode("cp1252"),
        "índice".encode("cp850"),
    ],
)
def test_letters_that_fit_two_encodings_are_unreadable(content: bytes) -> None:
    assert UNREADABLE in decode_lines(content)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("word", ["Ábaco", "Árbol", "Águila", "Época", "Índice", "Óvalo", "Útil", "Ñandú"])
def test_file_with_one_accented_letter_is_read_as_cp1252(word: str, end: str) -> None:
    text = end.join(["Nombre;SKU;Precio", f"{word};T-1;1000", "Trompo;T-2;2000", ""])
    assert decode_lines(text.encode("cp1252")) == text


SPANISH_WORDS = (
    "Ábaco", "Águila", "Ángel", "Área", "Ático", "ÁLBUM", "Época", "ÉXITO", "Índice", "Óvalo", "Única", "Ñame",
    "ábaco", "época", "índice", "óvalo", "único", "ñame", "Balón", "Lápiz", "Bebé", "Maíz", "Útil", "Muñeca",
    "AJÍ", "CAFÉ", "NIÑO", "PIÑATA", "Pingüino", "Perú", "Sofá", "Colibrí", "Tótem", "Búho", "León", "JÚPITER",
)  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("word", SPANISH_WORDS)
def test_single_accented_letter_is_read_as_written_or_refused(word: str, encoding: str) -> None:
    """Check that a word with an accented letter is never read as another word."""
    content = f"Nombre;Precio\nTrompo;1000\n{word};2000\n".encode(encoding)
    found = decode_lines(content).split("\n")[2]
    assert found in (f"{word};2000", f"{word};2000".encode(encoding).decode("ascii", "replace"))


def can_encode(text: str, encoding: str) -> bool:
    """Return True if the encoding has all letters of the text."""
    return text.encode(encoding, "replace").decode(encoding) == text


@given(st.lists(st.tuples(TEXTS, st.booleans()), min_size=1, max_size=6), st.sampled_from(ENCODINGS))
def test_no_letter_is_replaced_by_another_one(lines: list[tuple[str, bool]], encoding: str) -> None:
    """Check that each letter of a line is read as it was written, or as the sign for an unreadable letter."""
    written = [
        (text, text.encode("utf-8" if is_utf8 or not can_encode(text, encoding) else encoding))
        for text, is_utf8 in lines
    ]
    found = decode_lines(b"\n".join(raw for _text, raw in written)).split("\n")
    for (text, raw), line in zip(written, found, strict=True):
        assert line in (text, raw.decode("ascii", "replace"))
