"""The addresses of the office's screens."""

import pytest

from storefront.office.routes import OFFICE_PAGES, OfficePage, find_office_page
from storefront.pages.routes import sample_path


@pytest.mark.parametrize("page", OFFICE_PAGES, ids=lambda page: page.route)
def test_office_url_opens_its_own_screen_if_several_routes_match(page: OfficePage) -> None:
    """Check that a fixed address is preferred to one with a variable part that also matches, as an order's."""
    assert find_office_page(tuple(sample_path(page).strip("/").split("/"))) is page
