"""Bar code numbers."""

import pytest

from backend.catalog.bar_codes import equivalent_codes, is_bar_code


@pytest.mark.parametrize("code", ["7701234567897", "4006381333931", "96385074", "036000291452", "00000000"])
def test_valid_number_is_a_bar_code(code: str) -> None:
    assert is_bar_code(code)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "7701234567890",  # a wrong check digit
        "770123456789",
        "7701234567897 ",
        "77012345678970",  # GTIN-14 is for a case of products
        "٧٧٠١٢٣٤٥٦٧٨٩٧",
        "1.234567",
        "SKU-0001",
    ],
)
def test_other_text_is_not_a_bar_code(code: str) -> None:
    assert not is_bar_code(code)


def test_upc_may_be_scanned_with_a_leading_zero() -> None:
    assert equivalent_codes("036000291452") == ["036000291452", "0036000291452"]
    assert equivalent_codes("0036000291452") == ["0036000291452", "036000291452"]
    assert equivalent_codes("7701234567897") == ["7701234567897"]
