"""Tests of the shop details that every page displays."""

import pytest
from pydantic import ValidationError

from backend.content.areas import BrandBody
from backend.content.brand import resolve_brand
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
    assert shop_info(shop, resolve_brand(BrandBody(), shop)).whatsapp_link == link


def test_whatsapp_number_of_the_brand_replaces_that_of_the_settings(settings: Settings) -> None:
    shop = settings.model_copy(update={"store_whatsapp": "300 123 4567"})
    brand = resolve_brand(BrandBody(whatsapp="57 310 765 4321"), shop)
    assert shop_info(shop, brand).whatsapp_link == "https://wa.me/573107654321"


def test_demo_text_about_the_shop_is_only_shown_in_the_demo(settings: Settings) -> None:
    other = settings.model_copy(update={"store_name": "Macondo"})
    texts = [shop_info(shop, resolve_brand(BrandBody(), shop)).about for shop in (settings, other)]
    assert (texts[0].startswith("Juguetes"), texts[1]) == (True, "")


@pytest.mark.parametrize("number", ["1234567", "1" * 16, "+", "   ", "300-123-4567", "+57\x0a3001234567"])
def test_invalid_whatsapp_number_is_refused(number: str) -> None:
    with pytest.raises(ValidationError):
        Settings(store_whatsapp=number)
