"""Exports contain every row, no cell is a formula, and the import restores every text.

| cell | outcome |
|---|---|
| begins like a formula, also after spaces, quotes or invisible characters | an apostrophe before it |
| contains one after `;`, `,`, tab or a line break | an apostrophe there |
| has such an apostrophe already | one more, so that the import restores the first one |
| number | stays a number |
"""

import csv
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import text
from openpyxl import load_workbook

from backend.core import spreadsheet
from backend.core.spreadsheet import (
    build_workbook,
    format_csv,
    format_csv_for_people,
    restore_cell,
    safe_cell,
)
from backend.imports.spreadsheet_parsing import read_product_file

ROOT = Path(__file__).parents[3]


def test_rows_beyond_the_limit_go_into_the_next_worksheet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spreadsheet, "MAX_SHEET_ROWS", 3)
    rows = [("Juguete", "Unidades"), *((f"Trompo {number}", number) for number in range(1, 6))]
    book = load_workbook(BytesIO(build_workbook(rows, [("Columna",)])))
    found = [[list(row) for row in sheet.values] for sheet in book]
    head = ["Juguete", "Unidades"]
    assert found == [
        [head, ["Trompo 1", 1], ["Trompo 2", 2]],
        [head, ["Trompo 3", 3], ["Trompo 4", 4]],
        [head, ["Trompo 5", 5]],
        [["Columna"]],
    ]


FORMULAS = (
    "=1+1",
    "+57 300 123 4567",
    "-5",
    "@SUM(A1)",
    "＝1+1",
    "\tx",
    "  =1+1",
    "\u00a0=1+1",
    '"=1+1',
    "Calle 9;=cmd|' /C calc'!A0;",
    "Calle 9, =HYPERLINK(A1)",
    "uno\n=1+1",
    "uno\r\n- dos\r\n- tres",
    "uno\t@x",
    'uno;"=1+1',
    "uno;;+1",
)
HARMLESS = (
    "",
    "Trompo",
    "Calle 9 # 12-34",
    "a=b",
    "x;y,z",
    "'tis",
    "1; 2",
    "correo@tienda.example",
    "uno\ndos",
)
QUOTED = ("'=1", "''=1", "a;'=1", "  '=1", "'\tx", "\n'=1", "a,' ''-1")


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("text", FORMULAS)
def test_exported_cell_is_no_formula_with_any_csv_delimiter(text: str, delimiter: str) -> None:
    written = format_csv([["Juan", text, "x"]])
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        for row in csv.reader(StringIO(written, newline=""), delimiter=delimiter, quoting=quoting):
            assert not [cell for cell in row if cell.strip(' "\u00a0').startswith(tuple("=+-@＝＋－＠"))]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_cells_are_exported_unchanged(text: str) -> None:
    assert safe_cell(text) == text


@pytest.mark.parametrize("number", [-5, -5.5, 0, 10**12])
def test_numbers_are_exported_unchanged(number: float) -> None:
    assert safe_cell(number) == str(number)


@given(text(alphabet="=+-@＝;,\t\r\n '\"aá\u00a0\u200b", max_size=20))
def test_exported_cell_is_restored_to_the_original_text(written: str) -> None:
    assert restore_cell(safe_cell(written)) == written
    assert safe_cell(restore_cell(safe_cell(written))) == safe_cell(written)


def test_import_restores_exported_cells() -> None:
    originals = [*FORMULAS, *HARMLESS[1:], *QUOTED]
    rows = [[original, f"T-{number}", number] for number, original in enumerate(originals, 1)]
    table: list[list[object]] = [["title", "sku", "price"], *rows]
    expected = [
        [original.strip(), f"T-{number}", f"{number}"] for number, original in enumerate(originals, 1)
    ]
    for content in (format_csv(table).encode(), build_workbook(table)):
        assert [row.texts for row in read_product_file(content).rows] == expected


def test_only_the_spreadsheet_module_writes_csv_files() -> None:
    written = [
        str(file.relative_to(ROOT))
        for package in ("backend", "storefront")
        for file in (ROOT / package).rglob("*.py")
        if "csv.writer" in (source := file.read_text("utf-8")) or "DictWriter" in source
    ]
    assert written == ["backend/core/spreadsheet.py"]


def test_csv_for_people_is_written_as_excel_in_colombia_reads_it() -> None:
    """Excel takes `;` and the decimal comma from the regional settings, and UTF-8 only with a byte order mark."""
    head = format_csv_for_people([["Nombre", "Peso (kg)", "Unidades"]], is_beginning=True)
    rows = [["Muñeca; «Lucero»", 0.35, 12], ["=1+1", 2.0, -3]]
    assert head == "\ufeffNombre;Peso (kg);Unidades\r\n"
    written = format_csv_for_people(rows, is_beginning=False)
    assert written.splitlines() == ['"Muñeca; «Lucero»";0,35;12', "'=1+1;2,0;-3"]


def test_csv_for_people_has_one_byte_order_mark_however_many_parts_it_has() -> None:
    parts = [format_csv_for_people([[number]], is_beginning=number == 0) for number in range(3)]
    assert "".join(parts) == "\ufeff0\r\n1\r\n2\r\n"
