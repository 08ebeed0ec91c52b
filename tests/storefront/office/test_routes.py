"""The addresses of the office's screens."""

import pytest

from storefront.office.routes import OFFICE_PAGES, OfficePage, find_office_page
from storefront.pages.routes import sample_path


@pytest.mark.parametrize("page", OFFICE_PAGES, ids=lambda page: page.route)
def test_address_leads_to_its_own_screen(page: OfficePage) -> None:
    """A screen with a fixed address is not hidden by one with a variable part, such as that of an order."""
    assert find_office_page(tuple(sample_path(page).strip("/").split("/"))) is page
