"""Cells are read as a person sees them: zeros in front of numbers, percent signs, letters of a number format."""

import pytest

from backend.catalog.importer.cell_texts import cell_texts, restore_age_range
from backend.spreadsheet_reader.models import Row


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        ("17", "0000", "0017"),
        ("123456", "0000", "123456"),
        ("17", '"TRO-"000', "TRO-017"),
        ("17", "00\\-0", "01-7"),
        ("130517", "000-00", "1305-17"),
        ("1305", "0000\\-00", "0013-05"),
        ("17", "00000;-00000;@", "00017"),
        ("17.5", "0000", "17.5"),
        ("-2", "0000", "-2"),
        ("0.19", "0%", "19%"),
        ("0.19", "0.00%", "19%"),
        ("0.055", "0.0%", "5.5%"),
        ("1", "0%", "100%"),
        ("35000.5", "$ #,##0.00", "35000.5"),
        ("89900", '_-"$"* #,##0_-;-"$"* #,##0_-', "89900"),
        ("89900", "[$COP] #,##0", "89900"),
        ("89900", '"COP "#,##0', "89900"),
        ("350", '0" g"', "350 g"),
        ("0.35", '0.00" kg"', "0.35 kg"),
        ("12", "0 \\u\\n\\d", "12 und"),
        ("89900", '#,##0,"k"', "89900"),
        ("89900", "[Red]0", "89900"),
        ("0.5", "# ?/?", "0.5"),
        ("5", '"',  "5"),
    ],
)  # fmt: skip
def test_number_cell_is_read_as_its_number_format_displays_it(number: str, code: str, text: str) -> None:
    assert cell_texts(Row(1, [number], "n", {0: code}, is_hidden=False)) == [text]


def test_cells_without_a_number_format_are_read_by_their_type() -> None:
    row = Row(2, ["Trompo", "0.19", "1", "0", "#N/A", "2026-05-03"], "tnbbed", {5: "d-mmm"}, is_hidden=False)
    assert cell_texts(row) == ["Trompo", "0.19", "sí", "no", "#REF!", "2026-05-03"]


@pytest.mark.parametrize(
    ("text", "age_range"),
    [
        ("2026-05-03", "3-5"),
        ("2026-08-06T00:00:00", "6-8"),
        ("2026-12-09", "9-12"),
        ("2026-05-30", "2026-05-30"),
        ("3 a 5 años", "3 a 5 años"),
    ],
)
def test_age_range_that_excel_changed_to_a_date_is_restored(text: str, age_range: str) -> None:
    assert restore_age_range(text) == age_range
