import pytest

from backend.catalog.models import ONLY_VARIANT_TITLE, variant_name


@pytest.mark.parametrize(
    "title", [ONLY_VARIANT_TITLE, "Default", "Default Title", "Default variant", "default option value"]
)
def test_title_of_an_only_variant_is_not_displayed(title: str) -> None:
    assert variant_name(title) == ""


def test_title_of_one_of_several_variants_is_displayed() -> None:
    assert variant_name("Azul") == "Azul"
