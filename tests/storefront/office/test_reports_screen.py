"""Informes from a browser: which period it shows, and what is refused."""

from typing import Any

import pytest

from backend.app import Shop
from backend.exports.service import JOB
from backend.staff.rights import Role
from storefront.office.reports import ReportsState
from tests.storefront.office.conftest import At
from tests.storefront.office.test_pqrs_screen import sent


async def opened(browser_of: At, role: Role, query: str = "") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/informes{query}")).get_state(ReportsState)
    await sent(screen, "load")
    return screen


async def test_the_address_says_which_days(browser_of: At) -> None:
    screen = await opened(browser_of, Role.ACCOUNTANT, "?desde=2026-03-01&hasta=2026-03-31")
    assert (screen.content.since, screen.content.until) == ("2026-03-01", "2026-03-31")
    assert (await opened(browser_of, Role.OWNER, "?desde=x")).content.name == "semana"
    assert (await opened(browser_of, Role.STOCKROOM)).problem == "forbidden"


async def test_days_are_chosen_by_a_form(browser_of: At) -> None:
    screen = await opened(browser_of, Role.SHOP)
    await sent(screen, "choose", {"desde": "2026-03-31", "hasta": "2026-03-01"})
    assert list(screen.problems) == ["hasta"]
    moved = await sent(screen, "choose", {"desde": "2026-03-01", "hasta": "2026-03-31"})
    assert "/oficina/informes?desde=2026-03-01&hasta=2026-03-31" in str(moved)
    await sent(screen, "load")
    assert screen.problems == {}


@pytest.mark.parametrize("nonsense", [None, {}, 7, {"desde": "x" * 9000}, {"desde": ["2026-03-01"]}])
async def test_nonsense_leads_nowhere(browser_of: At, nonsense: Any) -> None:
    screen = await opened(browser_of, Role.OWNER)
    assert await sent(screen, "choose", nonsense) is None


async def test_a_file_is_asked_for_and_shown(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of, Role.SHOP, "?periodo=mes")
    assert [one.name for one in screen.kinds] == [
        "lines", "invoice_lines", "products", "import", "movements",
    ]  # fmt: skip
    await sent(screen, "prepare", {"kind": "orders", "format": "csv"})
    assert (screen.told.text, screen.exports) == ("Tu rol no permite hacer esto.", [])
    for nonsense in (None, {}, 7, {"kind": ["lines"], "format": "csv"}):
        await sent(screen, "prepare", nonsense)
        assert screen.told.tone == "problem"
    await sent(screen, "prepare", {"kind": "lines", "format": "xlsx"})
    (waiting,) = screen.exports
    assert (waiting.is_done, waiting.done, waiting.total, screen.told.tone) == (False, 0, 1, "news")
    await shop.worker.run_due(JOB)
    await screen._update()
    (done,) = screen.exports
    assert (done.id, done.is_done, done.href) == (waiting.id, True, f"/admin/exports/{waiting.id}")
