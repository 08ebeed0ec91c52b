"""Files as people send them are read completely, or refused where they are wrong; no value is misread."""

from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from backend.imports.messages import format_file_problem
from backend.imports.spreadsheet_parsing import Fault, UnreadableProductFile, read_product_file
from tests.backend.catalog.importer.formats.tables import CASES


def read_cells(content: bytes | str) -> list[dict[str, str | None]]:
    """Return the cells of each row by column."""
    raw = content.encode() if isinstance(content, str) else content
    found = read_product_file(raw)
    return [dict(zip(found.columns, row.texts, strict=True)) for row in found.rows]


def list_problems(content: bytes | str) -> list[tuple[int, str, str]]:
    """Return line, column and code of each problem."""
    raw = content.encode() if isinstance(content, str) else content
    return [(one.line, one.column, one.code) for row in read_product_file(raw).rows for one in row.problems]


def write_workbook(path: Path, rows: Any, formats: dict[int, str]) -> bytes:
    """Write a workbook and return its content. `formats` has the number format of columns by their index."""
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Lista")
        styles = {place: book.add_format({"num_format": code}) for place, code in formats.items()}
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                is_number = isinstance(cell, int | float)
                sheet.write(number, place, cell, styles.get(place) if is_number else None)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("12-mixed.csv", ["Muñeca", "Balón"]),
        ("13-macroman.csv", ["Muñeca", "Balón"]),
        ("25-title.csv", ["Trompo"]),
        ("s7-cover.xlsx", ["Trompo portada"]),
        ("s11-hidden-row.xlsx", ["Fila vista"]),
        (
            "s3-clean-but-total.xlsx",
            ["TROMPO DE MADERA GDE a3", "YOYO PROFESIONAL a3", "LIBRO PARA COLOREAR a3"],
        ),
    ],
)
def test_product_titles_of_a_sample_file_are_read(name: str, titles: list[str]) -> None:
    assert [cells["title"] for cells in read_cells((CASES / name).read_bytes())] == titles


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("14-date.xlsx", [(2, "sku", "code is date")]),
        ("14-exp.csv", [(2, "sku", "code is exponent"), (3, "sku", "code is exponent")]),
        ("14-zeros-handle.xlsx", []),
        ("n14b.csv", [(2, "", "extra cells")]),
        ("n18.csv", []),
    ],
)
def test_expected_problems_of_each_sample_file_are_found(
    name: str, problems: list[tuple[int, str, str]]
) -> None:
    assert list_problems((CASES / name).read_bytes()) == problems


@pytest.mark.parametrize(
    ("name", "set_aside"),
    [
        ("s3-clean-but-total.xlsx", [(9, "total")]),
        ("m-siigo-one-code.xlsx", [(9, "total")]),
        ("s11-hidden-row.xlsx", [(3, "hidden row")]),
    ],
)
def test_expected_rows_of_a_sample_file_are_set_aside(name: str, set_aside: list[tuple[int, str]]) -> None:
    found = read_product_file((CASES / name).read_bytes())
    assert [(row.line, row.reason.value) for row in found.set_aside] == set_aside


def test_merged_category_cell_is_read_for_each_of_its_rows() -> None:
    cells = read_cells((CASES / "09-merged-b.xlsx").read_bytes())
    assert [row["categories"] for row in cells] == ["Muñecas y muñecos"] * 2


def test_zeros_percent_and_units_are_read_from_number_formats(tmp_path: Path) -> None:
    rows = [["SKU", "Nombre", "Precio", "IVA", "Peso"], [17, "Trompo", 35000.5, 0.19, 350]]
    content = write_workbook(tmp_path / "x.xlsx", rows, {0: "0000", 2: "$ #,##0", 3: "0%", 4: '0" g"'})
    (cells,) = read_cells(content)
    assert (cells["sku"], cells["price"], cells["tax_rate"], cells["weight"]) == (
        "0017",
        "35000.5",
        "19%",
        "350 g",
    )


def test_damaged_codes_of_a_workbook_are_refused_with_their_cell(tmp_path: Path) -> None:
    rows = [["SKU", "Nombre", "Precio"], [7701230000000, "Trompo", 5], [1234567890123456789, "Yoyo", 5]]
    scientific = write_workbook(tmp_path / "x.xlsx", rows[:2], {0: "0.00E+00"})
    (problem,) = read_product_file(scientific).rows[0].problems
    assert (problem.code, problem.detail) == ("code is exponent", "A2: 7701230000000")
    general = write_workbook(tmp_path / "y.xlsx", rows, {})
    assert list_problems(general) == [(3, "sku", "code is rounded")]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("SKU,Nombre,Unidades,Precio\nT-1,Trompo,5\nY-1,Yoyo,5,900\n", [(2, "price", "short row")]),
        ("SKU,Precio,Nombre\nT-1,900\nY-1,900,Yoyo\n", [(2, "title", "short row")]),
        ("SKU,Nombre,Precio,Marca,Color\nT-1,Trompo,900\nY-1,Yoyo,900,Uno,Rojo\n", []),
    ],
)
def test_short_row_is_refused_if_price_or_name_is_missing(
    text: str, problems: list[tuple[int, str, str]]
) -> None:
    rows = read_product_file(text.encode()).rows
    assert [(one.line, one.column, one.code) for row in rows for one in row.problems] == problems
    assert [[one.code for one in row.notes] for row in rows] == [["short row"], []]


def test_variations_of_a_parent_with_extra_cells_are_refused() -> None:
    lines = (CASES / "m-woo-es.csv").read_text("utf-8-sig").splitlines()
    (parent,) = [number for number, line in enumerate(lines, start=1) if ",variable," in line]
    lines[parent - 1] += ",sobra"
    assert list_problems("\n".join(lines)) == [(parent + 1, "", "extra cells")]


def test_row_with_unreadable_letters_is_refused() -> None:
    content = "SKU;Nombre;Precio\nM-1;Muñeca;5\nB-1;Balón;5\n".encode("cp1252") + "O-1;Muñeco;5\n".encode(
        "mac_roman"
    )
    assert list_problems(content) == [(4, "title", "encoding")]


@pytest.mark.parametrize(
    ("content", "fault", "words"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, Fault.OTHER_FORMAT, "Excel antigua (.xls)"),
        (b"<html><table><tr><td>SKU</td></tr></table></html>", Fault.OTHER_FORMAT, "página web"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            Fault.PASSWORD,
            "tiene clave",
        ),
        (b'SKU,Nombre,Precio\nP-1,"Mesa 12" azul",5\n', Fault.QUOTE, "fila 2"),
        (b"PK\x03\x04 no zip", Fault.NO_SHEET, "dañada"),
        (
            "SKU;Nombre;Precio;Descripción\n".encode("cp1252") + "B-1;Muñeca;5;x\n".encode("mac_roman") * 2,
            Fault.ENCODING,
            "fila 1",
        ),
    ],
)
def test_unreadable_file_has_its_own_sentence(content: bytes, fault: Fault, words: str) -> None:
    with pytest.raises(UnreadableProductFile) as refused:
        read_product_file(content)
    assert refused.value.fault is fault
    assert words in format_file_problem(refused.value)


def test_invisible_characters_of_a_list_are_left_out() -> None:
    text = "Nombre;SKU;Precio\nMuñeca\u00a0de\u200b trapo;T\u200b-1\u00a0;$\u00a089\u2009900\n"
    assert read_cells(text) == [{"title": "Muñeca de trapo", "sku": "T-1", "price": "$ 89 900"}]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('"$"\\ #,##0', "45000"), ("[$$-240A] #,##0.00", "45000"), ("[$$-409]#,##0", "45000"), ('#,##0 "COP"', "45000"),
        ("[$COP] #,##0", "45000"), ('"US$" #,##0', "US$ 45000"), ("[$US$-409]#,##0.00", "US$ 45000"),
        ("[$USD] #,##0", "USD 45000"), ("#,##0 [$€-C0A]", "€ 45000"), ("€ #,##0", "€ 45000"),
    ],
)  # fmt: skip
def test_price_in_a_foreign_currency_is_not_read_as_pesos(tmp_path: Path, code: str, text: str) -> None:
    """Check that no price is read. `test_ambiguous_or_invalid_price_is_refused` checks that the cell is refused."""
    rows = [["Nombre", "SKU", "Precio"], ["Trompo", "T-1", 45_000]]
    (cells,) = read_cells(write_workbook(tmp_path / "a.xlsx", rows, {2: code}))
    assert cells["price"] == text


def test_letters_that_excel_read_in_a_wrong_encoding_are_repaired() -> None:
    text = "Nombre;SKU;Precio;Categorías\nMuñeca;T-1;1000;Bebés\n"
    misread = text.encode().decode("cp1252").encode("utf-8-sig")
    assert read_cells(misread) == read_cells(text)
    assert list_problems("Nombre;SKU;Precio\nMuÃ±eca 🪆;T-1;1000\n") == [(2, "title", "encoding")]
