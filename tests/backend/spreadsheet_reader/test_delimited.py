"""The delimiter is the one under which a row has the most known headings; quotes have their own refusal."""

import csv
from io import BytesIO, StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.imports.spreadsheet_parsing import LIMITS
from backend.spreadsheet_reader.delimited import DELIMITERS, read_rows
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet

KNOWN = ("sku", "nombre", "precio", "unidades")
HEAD = ["SKU", "Nombre", "Precio", "Unidades"]


def read_texts(content: str | bytes, known_headings: tuple[str, ...] = KNOWN) -> list[list[str]]:
    limits = Limits(LIMITS.max_file_bytes, LIMITS.max_unpacked_bytes, known_headings=known_headings)
    raw = content.encode() if isinstance(content, str) else content
    return [row.texts for row in read_rows(BytesIO(raw), limits)]


@pytest.mark.parametrize(
    "title",
    ["", "Lista de precios, vigente, desde, noviembre, 2026\n", "Bogotá; sede norte; local 5; piso 2; centro\n",
     "a|b|c|d|e\n",
     "sep=;\n", "\n\n"],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_delimiter_is_found_from_the_rows_and_not_from_a_title_line(title: str, delimiter: str) -> None:
    rows = [HEAD, ["T-1", "Trompo", "89900", "3"]]
    found = read_texts(title + "".join(delimiter.join(row) + "\n" for row in rows))
    assert found[-2:] == rows


def test_delimiter_under_unknown_headings_is_the_one_that_gives_equally_long_rows() -> None:
    text = "Ítem;Detalle\n1;Trompo, rojo, azul\n2;Yoyo\n3;Balero, de madera\n"
    assert read_texts(text)[1] == ["1", "Trompo, rojo, azul"]


@given(
    st.sampled_from(DELIMITERS),
    st.lists(st.lists(st.text('ab1 ;,|\t"\n', max_size=8), min_size=4, max_size=4), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_rows_are_read_as_they_were_written(delimiter: str, rows: list[list[str]], end: str) -> None:
    target = StringIO()
    csv.writer(target, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [HEAD, *rows]
    )
    filled = [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]
    assert read_texts(target.getvalue()) == [HEAD, *filled]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('SKU,Nombre\nT-1,Trompo\nP-1,"Pantalla 12" azul"\nT-2,Yoyo\n', 3),
        ('SKU,Nombre\nT-1,"Trompo\nT-2,Yoyo\n', 2),
        ('SKU,Nombre\nT-1,"Trompo\nT-2,"Yoyo"\n', 2),
    ],
)
def test_stray_or_unclosed_quotation_mark_is_refused_and_its_line_reported(text: str, line: int) -> None:
    with pytest.raises(UnreadableSpreadsheet) as refused:
        read_texts(text)
    assert (refused.value.refusal, refused.value.line) == (Refusal.QUOTE, line)


def test_quotation_mark_in_a_cell_without_quotes_is_read() -> None:
    assert read_texts('SKU,Nombre\nP-1,Pantalla 12"\n')[1] == ["P-1", 'Pantalla 12"']


def test_code_that_is_written_as_a_formula_keeps_its_zeros() -> None:
    text = 'SKU,Nombre\n="0017",Trompo\n"=""0018""",Yoyo\n=A1&"x",Balero\n'
    assert read_texts(text)[1:] == [["0017", "Trompo"], ["0018", "Yoyo"], ['=A1&"x"', "Balero"]]
