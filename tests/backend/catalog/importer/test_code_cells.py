"""Codes that a spreadsheet turned into dates or numbers are refused; codes that only look similar are not."""

import pytest

from backend.catalog.importer.code_cells import find_code_fault


@pytest.mark.parametrize(
    ("text", "kind", "is_text_file", "fault"),
    [
        ("2026-03-03", "d", False, "code is date"),
        ("1:30:00", "h", False, "code is date"),
        ("7701230000000", "x", False, "code is exponent"),
        ("7.70123E+12", "t", True, "code is exponent"),
        ("7,70123E+12", "t", True, "code is exponent"),
        ("9.08E+01", "t", False, "code is exponent"),
        ("123456789012345680", "n", False, "code is rounded"),
        ("3/03/2026", "t", True, "code is date"),
        ("03-mar", "t", True, "code is date"),
        ("3-Mar", "t", True, "code is date"),
        ("mar-26", "t", True, "code is date"),
        ("12-sep-2026", "t", True, "code is date"),
        ("2026-03-03", "t", True, "code is date"),
        ("03/03/26", "t", True, "code is date"),
        ("7701234567897", "n", False, ""),
        ("17701234567894", "n", False, ""),
        ("7701234567897", "t", True, ""),
        ("MAR-26", "t", True, ""),
        ("mar-26", "t", False, ""),
        ("3-3", "t", True, ""),
        ("5E10", "t", True, ""),
        ("TR-2026-03", "t", True, ""),
        ("0017", "n", False, ""),
    ],
)
def test_damage_of_a_code_cell_is_recognised(text: str, kind: str, is_text_file: bool, fault: str) -> None:
    assert find_code_fault(text, kind, is_text_file=is_text_file) == fault
