"""Tests of the shop details that every page displays."""

import pytest
from pydantic import ValidationError

from backend.core.config.settings import Settings
from storefront.state.frame import shop_info


@pytest.mark.parametrize(
    ("number", "link"),
    [
        ("", ""),
        ("57 300 123 4567", "https://wa.me/573001234567"),
        ("+573001234567", "https://wa.me/573001234567"),
        ("300 123 4567", "https://wa.me/573001234567"),
        ("+1 415 555 0132", "https://wa.me/14155550132"),
    ],
)
def test_whatsapp_link_contains_the_country_code(settings: Settings, number: str, link: str) -> None:
    shop = settings.model_copy(update={"store_whatsapp": number})
    assert shop_info(shop).whatsapp_link == link


@pytest.mark.parametrize("number", ["1234567", "1" * 16, "+", "   ", "300-123-4567", "+57\x0a3001234567"])
def test_invalid_whatsapp_number_is_refused(number: str) -> None:
    with pytest.raises(ValidationError):
        Settings(store_whatsapp=number)
