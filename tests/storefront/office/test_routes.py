"""The addresses of the office's screens."""

import pytest

from storefront.office.routes import OFFICE_PAGES, OfficePage, find_office_page
from storefront.pages.routes import sample_path


@pytest.mark.parametrize("page", OFFICE_PAGES, ids=lambda page: page.route)
def test_address_leads_to_its_own_screen(page: OfficePage) -> None:
    """Find a screen with a fixed address, although one with a variable part, such as an order's, also matches."""
    assert find_office_page(tuple(sample_path(page).strip("/").split("/"))) is page
