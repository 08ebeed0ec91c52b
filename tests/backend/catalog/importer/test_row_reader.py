"""The reader of the import file: rows, and problems by line and column."""

from dataclasses import replace
from pathlib import Path

import pytest

from backend.catalog.importer import row_reader
from backend.catalog.importer.row_reader import Note, Row, UnreadableFile, read_batches
from backend.core.spreadsheet import build_workbook
from tests.attacks.bombs import pack


def read_rows(tmp_path: Path, text: str | bytes, size: int = 500) -> list[Row]:
    file = tmp_path / "toys.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return [row for batch in read_batches(file, size) for row in batch]


def read_problems(tmp_path: Path, text: str) -> list[str]:
    return [str(problem) for row in read_rows(tmp_path, text) for problem in row.problems]


def test_row_has_values_only_for_the_columns_of_the_file(tmp_path: Path) -> None:
    (row,) = read_rows(tmp_path, "handle,price,categories,featured\ntrompo,18900, a | b |a ,sí\n")
    assert row.line == 2
    assert row.values == {"handle": "trompo", "price": 18_900, "categories": ("a", "b"), "featured": True}


def test_note_is_added_for_each_value_that_differs_from_its_cell(tmp_path: Path) -> None:
    (row,) = read_rows(tmp_path, "handle,price,stock,weight,title\na,35000.5,-2,0,x\n")
    assert row.values == {"handle": "a", "price": 35_001, "stock": 0, "title": "x"}
    assert row.notes == (
        Note("price", "rounded", "35000.5"), Note("stock", "negative stock", "-2"), Note("weight", "no measure", "0")
    )  # fmt: skip


def test_tax_rate_may_have_a_percent_sign(tmp_path: Path) -> None:
    found = read_rows(tmp_path, "handle,tax_rate\na,19\nb,5%\nc,0 %\nd,\n")
    assert [row.get("tax_rate") for row in found] == [19, 5, 0, None]


def test_empty_cell_clears_optional_values_only(tmp_path: Path) -> None:
    head = "handle,title,brand,compare_at_price,stock,price,collection,pictures,featured"
    (row,) = read_rows(tmp_path, f"{head}\ntrompo,,,,,,,,\n")
    assert row.values == {
        "handle": "trompo", "brand": "", "compare_at_price": None, "collection": None, "pictures": (),
        "featured": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "handle,title\ntrompo,Trompo",
        "\ufeffhandle,title\r\ntrompo,Trompo\r\n",
        "handle;title\ntrompo;Trompo\n",
        ' Handle ,"title"\n\n,\ntrompo,"Trompo"\n',
    ],
)
def test_csv_formats_of_other_programs_are_parsed(tmp_path: Path, text: str) -> None:
    assert [dict(row.values) for row in read_rows(tmp_path, text)] == [
        {"handle": "trompo", "title": "Trompo"}
    ]


def test_reported_line_numbers_are_those_of_a_text_editor(tmp_path: Path) -> None:
    text = 'handle,description\na,"one\ntwo\nthree"\n\nb,x\nc,y\n'
    assert [row.line for row in read_rows(tmp_path, text)] == [2, 6, 7]


def test_rows_are_read_in_batches_of_at_most_the_given_size(tmp_path: Path) -> None:
    file = tmp_path / "toys.csv"
    file.write_text("handle\n" + "".join(f"toy-{number}\n" for number in range(7)))
    assert [len(batch) for batch in read_batches(file, 3)] == [3, 3, 1]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("handle", "Trompo", "must be lower-case letters"),
        ("handle", "a--b", "must be lower-case letters"),
        ("price", "89.90", "may have lost digits"),
        ("price", "1.2.3", "must be an amount of pesos"),
        ("price", "-5", "must be an amount of pesos"),
        ("price", "1000000001", "must be an amount of pesos, such as 89900, and at most 1000000000"),
        ("price", "٣", "must be an amount of pesos"),
        ("stock", "many", "must be a whole number"),
        ("stock", "1.5", "must be a whole number"),
        ("featured", "maybe", "must be yes or no"),
        ("tax_rate", "16", "must be one of 0, 5, 19, the IVA in percent"),
        ("age_range", "adultos", "must be one of 0-2, 3-5, 6-8, 9-12, 12+"),
        ("status", "gone", "must be one of published, draft"),
        ("sku", "x" * 65, "must not be longer than 64"),
        ("title", "a\x00b", "must not hold control characters"),
        ("collection", "x" * 256, "must not be longer than 255"),
    ],
)
def test_invalid_cell_is_reported_by_line_and_column(
    tmp_path: Path, column: str, cell: str, message: str
) -> None:
    names = ["sku", column] if column == "handle" else ["handle", column]
    (found,) = read_problems(tmp_path, f"{','.join(names)}\na,x\n".replace("x\n", f'"{cell}"\n'))
    assert found.startswith(f"line 2, {column}: {message}"), found


@pytest.mark.parametrize(
    "cell", ["20000", "20.000", "20,000", "$ 20.000", "20.000,00", "20000,0", "20,000.00"]
)
def test_common_price_formats_are_parsed(tmp_path: Path, cell: str) -> None:
    (row,) = read_rows(tmp_path, f'handle,price\na,"{cell}"\n')
    assert row.get("price") == 20_000


def test_all_problems_of_a_line_are_reported(tmp_path: Path) -> None:
    found = read_problems(tmp_path, "handle,price,stock\nok,1,1\nNo,x,y\n")
    assert [one.partition(":")[0] for one in found] == ["line 3, handle", "line 3, price", "line 3, stock"]


def test_compare_at_price_that_is_not_above_the_price_is_refused(tmp_path: Path) -> None:
    found = read_problems(tmp_path, "handle,price,compare_at_price\na,100,100\nb,100,101\n")
    assert found == ["line 2, compare_at_price: must be more than the price, 100 (it is 100)"]


def test_line_that_identifies_no_product_is_refused(tmp_path: Path) -> None:
    assert read_problems(tmp_path, "handle,price\n,5\n") == [
        "line 2, handle: is needed to identify the product"
    ]


def test_line_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    assert read_problems(tmp_path, "handle,price\na,5,6\n") == ["line 2: has 3 cells, and the head has 2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there must be a column handle or a column sku"),
        ("title\nx\n", "line 1: there must be a column handle or a column sku"),
        ("handle,colour\n", "line 1: unknown columns"),
        ("handle,price,price\n", "line 1: repeated columns: price"),
        ('handle\na\n"b', "line 3: this is no CSV"),
    ],
)
def test_unreadable_file_is_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UnreadableFile, match=message):
        read_rows(tmp_path, text)


def test_file_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="save it as CSV UTF-8"):
        read_rows(tmp_path, "handle,title\na,ñandú\n".encode("cp1252"))


def test_workbook_is_read_like_a_csv(tmp_path: Path) -> None:
    content = build_workbook(
        [["handle", "price", "brand"], ["trompo", 18_900, ""], [], ["yoyo", "9.900", "Dos"]]
    )
    found = read_rows(tmp_path, content)
    assert [(row.line, row.values) for row in found] == [
        (2, {"handle": "trompo", "price": 18_900, "brand": ""}),
        (4, {"handle": "yoyo", "price": 9_900, "brand": "Dos"}),
    ]


def test_other_spreadsheet_formats_are_refused_with_advice_how_to_save(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"\(ods\): save it as \.xlsx, in LibreOffice .* in Numbers "):
        read_rows(tmp_path, pack({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}))


def test_file_beyond_the_limits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_reader, "LIMITS", replace(row_reader.LIMITS, max_cells=3))
    with pytest.raises(UnreadableFile, match="more than"):
        read_rows(tmp_path, "handle,price\na,5\n")


def test_decimals_of_a_number_cell_are_not_read_as_thousands(tmp_path: Path) -> None:
    content = build_workbook([["handle", "price", "stock"], ["a", 546.218, 3], ["b", "546.218", "1.200"]])
    number, text = read_rows(tmp_path, content)
    assert (number.values["price"], number.notes) == (546, (Note("price", "rounded", "546.2180"),))
    assert (text.values["price"], text.values["stock"]) == (546_218, 1_200)
