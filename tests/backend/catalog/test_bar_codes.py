"""Numbers of bar codes."""

import pytest

from backend.catalog.bar_codes import as_scanned, is_bar_code


@pytest.mark.parametrize("code", ["7701234567897", "4006381333931", "96385074", "036000291452", "00000000"])
def test_a_number_whose_last_digit_is_right(code: str) -> None:
    assert is_bar_code(code)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "7701234567890",  # the wrong last digit
        "770123456789",
        "7701234567897 ",
        "77012345678970",  # GTIN-14: of a case, not of a toy
        "٧٧٠١٢٣٤٥٦٧٨٩٧",
        "1.234567",
        "SKU-0001",
    ],
)
def test_anything_else_is_none(code: str) -> None:
    assert not is_bar_code(code)


def test_a_upc_may_be_scanned_with_a_zero_before_it() -> None:
    assert as_scanned("036000291452") == ["036000291452", "0036000291452"]
    assert as_scanned("0036000291452") == ["0036000291452", "036000291452"]
    assert as_scanned("7701234567897") == ["7701234567897"]
