"""Links to the gift finder and to ages: in the bar, menu and footer of every page, and below the home page's banner."""

import pytest
from reflex.compiler.compiler import compile_memo_components
from reflex_base.components.memo import MEMOS

from storefront.components.footer import site_footer
from storefront.components.header import departments_strip, menu_sheet
from storefront.pages.home import entry_links


@pytest.mark.parametrize(
    ("name", "ages"), [("DepartmentsStrip", "/#"), ("MenuSheet", "/age/"), ("SiteFooter", "/age/")]
)
def test_departments_menu_and_footer_link_to_the_gift_finder_and_to_ages(name: str, ages: str) -> None:
    for build in (departments_strip, menu_sheet, site_footer):
        build()  # creates the memoized component
    ((_file, code),), _imports = compile_memo_components(
        [memo for (memo_name, _module), memo in MEMOS.items() if memo_name == name]
    )
    assert '"/gift"' in code
    assert ages in code


def test_links_below_the_banner_open_the_gift_finder_and_lists_by_age() -> None:
    links = str(entry_links().render())
    assert '"/gift"' in links
    assert "/age/" in links
