"""Parsing of files that people send, and refusals before a file uses much memory."""

import zipfile
from datetime import date
from io import BytesIO
from pathlib import Path

import pytest
import xlsxwriter

from backend.catalog.importer.source_rows import parse_typed_row
from backend.core.spreadsheet import build_workbook
from backend.imports import spreadsheet_parsing
from backend.imports.spreadsheet_parsing import Fault, UnreadableProductFile, read_product_file

HEAD = ["Nombre", "SKU", "Precio", "Edad"]


def find_fault(content: bytes) -> Fault:
    with pytest.raises(UnreadableProductFile) as refused:
        read_product_file(content)
    return refused.value.fault


@pytest.mark.parametrize(
    "content",
    [
        "Nombre;SKU;Precio;Edad\nMuñeca ñandú;M-1;20.000;3-5\n".encode(),
        "\ufeffNombre,SKU,Precio,Edad\r\nMuñeca ñandú,M-1,20000,3-5\r\n".encode(),
        "Nombre;SKU;Precio;Edad\nMuñeca ñandú;M-1;$ 20.000;3-5\n".encode("cp1252"),
        "TITLE\tsku\tPRICE\tage range\nMuñeca ñandú\tM-1\t20,000\t3–5 años\n".encode("utf-16"),
        "Nombre;REF;precio;EDAD\n;;;\nMuñeca ñandú;M-1;20.000,00;3-5\n;;;\n".encode(),
        build_workbook([HEAD, ["Muñeca ñandú", "M-1", 20000, "3-5"]]),
        build_workbook([["Lista de precios"], [], HEAD, ["", ""], ["Muñeca ñandú", "M-1", "20.000", "3-5"]]),
    ],
)
def test_spreadsheet_files_of_several_programs_are_read(content: bytes) -> None:
    sheet = read_product_file(content)
    (source,) = sheet.rows
    row = parse_typed_row(sheet.columns, source.line, source.texts)
    assert not row.problems
    assert [row.get(name) for name in ("title", "sku", "price", "age_range")] == [
        "Muñeca ñandú", "M-1", 20_000, "3-5",
    ]  # fmt: skip


def test_cells_are_read_as_displayed(tmp_path: Path) -> None:
    file = tmp_path / "toys.xlsx"
    with xlsxwriter.Workbook(str(file)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["handle", "price", "weight", "ean", "age_range", "featured", "description"])
        sheet.write_formula(1, 0, '="trompo"', value="trompo")
        sheet.write_number(1, 1, 20_000)
        sheet.write_number(1, 2, 0.1 + 0.2)
        sheet.write_number(1, 3, 7701234567897)
        sheet.write_datetime(1, 4, date(2026, 5, 3), book.add_format({"num_format": "d-mmm"}))
        sheet.write_boolean(1, 5, True)
        sheet.write_string(1, 6, "one\r\ntwo")
        sheet.write_formula(2, 1, "=1/0", value="#DIV/0!")
        sheet.merge_range(2, 2, 2, 3, "")
        sheet.write_string(2, 0, "yoyo")
    found = read_product_file(file.read_bytes())
    row, broken = (parse_typed_row(found.columns, one.line, one.texts) for one in found.rows)
    assert dict(row.values) == {
        "handle": "trompo", "price": 20_000, "weight": 0.3, "ean": "7701234567897", "age_range": "3-5",
        "featured": True, "description": "one\r\ntwo",
    }  # fmt: skip
    assert [(one.line, one.column, one.code) for one in broken.problems] == [(3, "price", "formula")]


def test_escaped_formula_is_read_as_text() -> None:
    sheet = read_product_file(b"title,sku\n'=1+1,'-5\n'tis,x\n")
    assert [row.texts for row in sheet.rows] == [["=1+1", "-5"], ["'tis", "x"]]


def test_unknown_columns_are_reported_and_ignored() -> None:
    sheet = read_product_file(b"title,Proveedor,price,problema\nTrompo,Juan,5,x\n")
    assert (sheet.columns, sheet.ignored) == (["title", "price"], ["Proveedor"])


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", Fault.NO_HEAD),
        (b"color,talla\nrojo,5\n", Fault.NO_HEAD),
        (b"title,price\n,\n", Fault.EMPTY),
        (b'title,price\n"x,5\n', Fault.QUOTE),
        (b"\x00\x01\x02title,price", Fault.NO_SHEET),
        (b"PK\x03\x04 no zip", Fault.NO_SHEET),
        (b"title,price\n" + b"x,5\n" * (spreadsheet_parsing.MAX_ROWS + 1), Fault.TOO_MANY_ROWS),
        (b"x" * (spreadsheet_parsing.MAX_FILE_BYTES + 1), Fault.TOO_LARGE),
    ],
)
def test_invalid_or_too_large_spreadsheet_is_refused(content: bytes, fault: Fault) -> None:
    assert find_fault(content) is fault


def test_workbook_with_a_hundred_thousand_rows_is_refused() -> None:
    assert (
        find_fault(build_workbook([HEAD, *([f"Toy {n}", f"S-{n}", 1, ""] for n in range(100_000))]))
        is Fault.TOO_MANY_ROWS
    )


def test_small_file_that_unpacks_to_a_large_one_is_refused() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", b" " * (spreadsheet_parsing.MAX_UNPACKED_BYTES + 1))
    assert len(packed.getvalue()) < 200_000
    assert find_fault(packed.getvalue()) is Fault.TOO_LARGE


def test_workbook_with_a_very_distant_cell_is_refused() -> None:
    content = build_workbook([HEAD, ["Trompo", "T-1", 5, ""]])
    packed = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as book, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as far:
        for name in book.namelist():
            far.writestr(name, book.read(name).replace(b'r="D1"', b"r = 'XFD1048576'"))
    assert find_fault(packed.getvalue()) is Fault.TOO_MANY_ROWS


def test_truncated_workbook_or_another_zip_is_refused() -> None:
    content = build_workbook([HEAD, ["Trompo", "T-1", 5, ""]])
    assert find_fault(content[: len(content) // 2]) is Fault.NO_SHEET
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as other:
        other.writestr("foto.jpg", b"x")
    assert find_fault(packed.getvalue()) is Fault.NO_SHEET
