"""A workbook holds every row, however many there are."""

from io import BytesIO

import pytest
from python_calamine import CalamineWorkbook

from backend import spreadsheet
from backend.spreadsheet import workbook


def test_rows_that_a_sheet_does_not_hold_stand_in_the_next_below_the_same_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_LINES", 3)
    rows = [("Juguete", "Unidades"), *((f"Trompo {number}", number) for number in range(1, 6))]
    with CalamineWorkbook.from_filelike(BytesIO(workbook(rows, [("Columna",)]))) as book:
        found = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    head = ["Juguete", "Unidades"]
    assert found == [
        [head, ["Trompo 1", 1], ["Trompo 2", 2]],
        [head, ["Trompo 3", 3], ["Trompo 4", 4]],
        [head, ["Trompo 5", 5]],
        [["Columna"]],
    ]
