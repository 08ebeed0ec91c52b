"""Messages of empty lists in the office: one says how to begin, the other that the filters match nothing."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.app import Shop, set_current_shop
from backend.core.config.settings import Settings
from backend.staff.rights import Role
from storefront.office.components.feedback import INVITATION, NO_MATCHES
from storefront.office.list_state import OfficeList
from storefront.office.routes import OFFICE_PAGES, OfficePage
from tests.storefront.components_tree import find_by_test_id, list_links
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import open_screen

LISTS = [page for page in OFFICE_PAGES if issubclass(page.state, OfficeList)]


@pytest.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Open an empty shop on each kind of database and make it the current one."""
    shop = Shop(Settings(data_dir=tmp_path / "data", database_url=database_url))
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@pytest.mark.parametrize("page", LISTS, ids=lambda page: page.route)
async def test_empty_list_mentions_filters_only_if_they_are_set(
    shop: Shop, browser_of: BrowserFactory, page: OfficePage
) -> None:
    """Check the links in both messages of the list, and the filters by which the list chooses its message.

    | shop | address | message |
    |---|---|---|
    | empty | without filters | an invitation with a link |
    | any | with a filter that matches nothing | no match, with a link to the whole list |
    """
    component = page.component()
    invitations, filtered = find_by_test_id(component, INVITATION), find_by_test_id(component, NO_MATCHES)
    assert invitations != []
    assert all(list_links(message) for message in invitations)
    screen = await open_screen(browser_of, Role.OWNER, page.route, page.state)
    filters = screen.content.filters
    assert (screen.content.rows, "".join(filters.values())) == ([], "")
    assert len(filtered) == bool(filters)
    for message in filtered:
        assert list_links(message) == [page.route]
    for name in list(filters)[:1]:
        screen = await open_screen(browser_of, Role.OWNER, f"{page.route}?{name}=zzz", page.state)
        assert (screen.content.rows, "".join(screen.content.filters.values())) == ([], "zzz")
