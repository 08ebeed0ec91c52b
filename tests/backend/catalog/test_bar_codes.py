"""Bar code numbers."""

import pytest

from backend.catalog.bar_codes import equivalent_codes, is_bar_code


@pytest.mark.parametrize(
    "code", ["7701234567897", "4006381333931", "96385074", "036000291452", "00000000", "17701234567894"]
)
def test_valid_number_is_a_bar_code(code: str) -> None:
    assert is_bar_code(code)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "7701234567890",  # a wrong check digit
        "770123456789",
        "7701234567897 ",
        "77012345678970",  # a GTIN-14 with a wrong check digit
        "٧٧٠١٢٣٤٥٦٧٨٩٧",
        "1.234567",
        "SKU-0001",
    ],
)
def test_other_text_is_not_a_bar_code(code: str) -> None:
    assert not is_bar_code(code)


def test_upc_may_be_scanned_with_a_leading_zero() -> None:
    codes = {"036000291452", "0036000291452", "00036000291452"}
    for code in codes:
        assert equivalent_codes(code)[0] == code
        assert {*equivalent_codes(code)} == codes
    assert equivalent_codes("7701234567897") == ["7701234567897", "07701234567897"]
    assert equivalent_codes("17701234567894") == ["17701234567894"]
    assert equivalent_codes("96385074") == ["96385074"]
