"""Reading of spreadsheets: sheets, rows, number formats and merged areas, as various programs write them."""

import zipfile
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import psutil
import pytest
import xlsxwriter

from backend.imports.spreadsheet_parsing import LIMITS
from backend.spreadsheet_reader.models import Area, ForeignFormat, Limits, Refusal, Row, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import open_spreadsheet
from tests.attacks.bombs import DOCUMENT, MAIN, pack, relations, xlsx, xlsx_parts


def read(content: bytes, limits: Limits = LIMITS) -> list[tuple[str, bool, list[Row], list[Area]]]:
    with TemporaryFile() as file:
        file.write(content)
        file.flush()
        with open_spreadsheet(file, limits) as sheets:
            return [(one.name, one.is_hidden, list(one.iter_rows()), one.areas) for one in sheets]


def read_texts(content: bytes) -> list[list[str]]:
    return [row.texts for row in read(content)[0][2]]


def write_workbook(fill: Any, options: dict[str, Any] | None = None) -> bytes:
    target = BytesIO()
    with xlsxwriter.Workbook(target, options) as book:
        fill(book)
    return target.getvalue()


@pytest.mark.usefixtures("reader_process")
def test_number_formats_hidden_rows_and_merged_areas_are_read() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("Precios")
        sheet.write_number(0, 0, 17, book.add_format({"num_format": "0000"}))
        sheet.write_number(0, 2, 0.19, book.add_format({"num_format": "0%"}))
        sheet.write_number(0, 3, 20_000)
        sheet.write_datetime(1, 0, date(2026, 5, 3), book.add_format({"num_format": "d-mmm"}))
        sheet.write_datetime(
            1,
            1,
            datetime(2026, 5, 3, 14, 30, tzinfo=UTC),
            book.add_format({"num_format": "yyyy-mm-dd hh:mm"}),
        )
        sheet.write_number(1, 2, 1.5, book.add_format({"num_format": "[h]:mm"}))
        sheet.write_boolean(1, 3, True)
        sheet.write_formula(1, 4, "=1/0", value="#DIV/0!")
        sheet.set_row(1, None, None, {"hidden": True})
        sheet.merge_range(2, 1, 4, 2, "Madera")

    ((name, is_hidden, rows, areas),) = read(write_workbook(fill, {"remove_timezone": True}))
    assert (name, is_hidden, areas) == ("Precios", False, [(3, 1, 5, 2)])
    assert rows == [
        Row(1, ["17", "", "0.19", "20000"], "ntnn", {0: "0000", 2: "0%"}, is_hidden=False),
        Row(
            2,
            ["2026-05-03", "2026-05-03T14:30:00", "1 day, 12:00:00", "1", "#DIV/0!"],
            "ddhbe",
            {0: "d-mmm", 1: "yyyy-mm-dd hh:mm", 2: "[h]:mm"},
            is_hidden=True,
        ),
        Row(3, ["", "Madera"], "tt", {}, is_hidden=False),
    ]


def test_dates_counted_from_1904_are_read_correctly() -> None:
    def fill(book: Any) -> None:
        book.add_worksheet().write_datetime(0, 0, date(2026, 5, 3), book.add_format({"num_format": "d-mmm"}))

    assert (
        read_texts(write_workbook(fill, {"date_1904": True}))
        == read_texts(write_workbook(fill))
        == [["2026-05-03"]]
    )


def test_visible_worksheets_are_read_before_hidden_ones() -> None:
    def fill(book: Any) -> None:
        for name in ("Oculta", "Primera", "Segunda"):
            book.add_worksheet(name).write_string(0, 0, name)
        book.worksheets()[0].hide()
        book.worksheets()[1].activate()

    assert [(name, hidden, rows[0].texts) for name, hidden, rows, _areas in read(write_workbook(fill))] == [
        ("Primera", False, ["Primera"]),
        ("Segunda", False, ["Segunda"]),
        ("Oculta", True, ["Oculta"]),
    ]


def test_worksheet_is_found_by_the_relations_in_the_workbook() -> None:
    parts = xlsx_parts(
        f'<worksheet xmlns="{MAIN}"><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>'.encode()
    )
    moved = {
        "_rels/.rels": relations(("b", "officeDocument", "/datos/libro.xml")),
        "datos/libro.xml": parts["xl/workbook.xml"],
        "datos/_rels/libro.xml.rels": relations(("s", "worksheet", "../hojas/Uno.XML")),
        "hojas/uno.xml": parts["xl/worksheets/sheet1.xml"].replace(b"1", b"2"),
    }
    assert read_texts(pack(parts)) == [["1"]]
    assert read_texts(pack({**parts, **moved})) == [["2"]]


def test_strict_open_xml_workbooks_are_read() -> None:
    def strict(content: bytes) -> bytes:
        return content.replace(MAIN.encode(), b"http://purl.oclc.org/ooxml/spreadsheetml/main").replace(
            DOCUMENT.encode(), b"http://purl.oclc.org/ooxml/officeDocument/relationships"
        )

    rows = f'<worksheet xmlns="{MAIN}"><sheetData><row><c t="d"><v>2026-05-03</v></c></row></sheetData></worksheet>'
    parts = {name: strict(content) for name, content in xlsx_parts(rows.encode()).items()}
    assert read_texts(pack(parts)) == [["2026-05-03"]]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c t="inlineStr"><is><r><t>Mu</t></r><r><t>ñeca</t></r><rPh><t>x</t></rPh></is></c>', "Muñeca"),
        ('<c t="s"><v>1</v></c>', "dos"),
        ('<c t="s"><v>7</v></c>', "7"),
        ('<c t="str"><v> a_x000D_ </v></c>', "a_x000D_"),
        ('<c t="b"><v>true</v></c>', "1"),
        ('<c s="99"><v>1e3</v></c>', "1000"),
        ("<c><v>123456789012345678</v></c>", "123456789012345680"),
        ("<c><v>zzz</v></c>", "zzz"),
        ("<c><f>1+1</f></c><c><v>5</v></c>", "#N/A|5"),
        ('<c t="str"><f>""</f><v></v></c><c><v>5</v></c>', "|5"),
        ('<c r="C1"><v>1</v></c><c><v>2</v></c>', "||1|2"),
    ],
)
def test_cell_of_each_kind_written_by_spreadsheet_programs_is_read(cell: str, text: str) -> None:
    shared = {
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"><si><t>uno</t></si><si><r><t>dos</t></r></si></sst>'.encode()
    }
    assert ["|".join(row) for row in read_texts(xlsx(f"<row>{cell}</row>".encode(), shared))] == [text]


@pytest.mark.parametrize(
    ("content", "format_"),
    [
        (
            pack({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<a/>"}),
            ForeignFormat.ODS,
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, ForeignFormat.XLS),
        (pack({"_rels/.rels": relations(("b", "officeDocument", "xl/workbook.bin"))}), ForeignFormat.XLSB),
        (pack({"Index/Document.iwa": b"x"}), ForeignFormat.NUMBERS),
        (b'\xef\xbb\xbf<?xml version="1.0"?><Workbook/>', ForeignFormat.WEB_PAGE),
        (b"<html><table><tr><td>SKU</td></tr></table></html>", ForeignFormat.WEB_PAGE),
    ],
)
def test_refusal_of_another_spreadsheet_format_contains_its_name(
    content: bytes, format_: ForeignFormat
) -> None:
    with pytest.raises(UnreadableSpreadsheet) as refused:
        read(content)
    assert (refused.value.refusal, refused.value.detail) == (Refusal.OTHER_FORMAT, format_)


@pytest.mark.parametrize(
    "content",
    [
        pack({"foto.jpg": b"x"}),
        pack({**xlsx_parts(b""), "xl/workbook.xml": b"<workbook/>"}),
        pack(xlsx_parts(b"<worksheet>")),
        xlsx(b'<row r="1048577"><c><v>1</v></c></row>'),
        xlsx(b"<row><c><v>1</v></c></row>")[:-30],
    ],
)
def test_damaged_file_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableSpreadsheet) as refused:
        read(content)
    assert refused.value.refusal is Refusal.DAMAGED


def find_reader_process() -> psutil.Process:
    running = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
    (found,) = [one for one in running if "spreadsheet_reader" in " ".join(one.cmdline())]
    return found


@pytest.mark.usefixtures("reader_process")
def test_reader_process_ends_when_reading_stops(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    file.write_text("title;price\n" + "Trompo;5\n" * 100_000)
    with file.open("rb") as opened, open_spreadsheet(opened, LIMITS) as sheets:
        rows = next(sheets).iter_rows()
        assert next(rows).texts == ["title", "price"]
        child = find_reader_process()
    assert not child.is_running()


@pytest.mark.usefixtures("reader_process")
def test_reader_process_has_no_secrets_in_its_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_KEY", "a secret of the shop")
    file = tmp_path / "many.csv"
    file.write_text("title;price\n" + "Trompo;5\n" * 100_000)
    with file.open("rb") as opened, open_spreadsheet(opened, LIMITS) as sheets:
        next(next(sheets).iter_rows())
        assert set(find_reader_process().environ()) <= {"PYTHONPATH", "PYTHONUTF8", "LC_CTYPE"}


@pytest.mark.usefixtures("reader_process")
def test_zip_file_that_is_no_workbook_is_refused_as_damaged() -> None:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr("_rels/.rels", relations(("b", "officeDocument", "../../etc/passwd")))
    with pytest.raises(UnreadableSpreadsheet) as refused:
        read(target.getvalue())
    assert refused.value.refusal is Refusal.DAMAGED
