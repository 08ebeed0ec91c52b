"""The reports screen (Informes): the selected period, exports, and invalid input."""

from typing import Any

import pytest

from backend.app import Shop
from backend.exports.service import JOB
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.reports import ReportsState
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


async def open_report(browser_of: BrowserFactory, role: Role, query: str = "") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/informes{query}")).get_state(ReportsState)
    await send_event(screen, "load")
    return screen


async def test_url_parameters_select_the_days_of_the_report(browser_of: BrowserFactory) -> None:
    screen = await open_report(browser_of, Role.ACCOUNTANT, "?desde=2026-03-01&hasta=2026-03-31")
    assert (screen.content.since, screen.content.until) == ("2026-03-01", "2026-03-31")
    assert (await open_report(browser_of, Role.OWNER, "?desde=x")).content.name == "semana"
    assert (await open_report(browser_of, Role.STOCKROOM)).problem == "forbidden"


async def test_form_selects_the_days_of_the_report(browser_of: BrowserFactory) -> None:
    screen = await open_report(browser_of, Role.SHOP)
    await send_event(screen, "choose", {"desde": "2026-03-31", "hasta": "2026-03-01"})
    assert list(screen.problems) == ["hasta"]
    moved = await send_event(screen, "choose", {"desde": "2026-03-01", "hasta": "2026-03-31"})
    assert "/oficina/informes?desde=2026-03-01&hasta=2026-03-31" in str(moved)
    await send_event(screen, "load")
    assert screen.problems == {}


@pytest.mark.parametrize("nonsense", [None, {}, 7, {"desde": "x" * 9000}, {"desde": ["2026-03-01"]}])
async def test_invalid_days_in_the_report_form_do_not_redirect(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_report(browser_of, Role.OWNER)
    assert await send_event(screen, "choose", nonsense) is None


async def test_export_is_requested_and_shown(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_report(browser_of, Role.SHOP, "?periodo=mes")
    assert [item.name for item in screen.kinds] == [
        "lines", "invoice_lines", "products", "import", "shopify", "woocommerce", "movements",
    ]  # fmt: skip
    await send_event(screen, "prepare", {"kind": "orders", "format": "csv"})
    assert (screen.announcement.text, screen.exports) == ("Tu rol no permite hacer esto.", [])
    for nonsense in (None, {}, 7, {"kind": ["lines"], "format": "csv"}):
        await send_event(screen, "prepare", nonsense)
        assert screen.announcement.tone == "problem"
    await send_event(screen, "prepare", {"kind": "lines", "format": "xlsx"})
    (waiting,) = screen.exports
    assert (waiting.is_done, waiting.done, waiting.total, screen.announcement.tone) == (False, 0, 1, "news")
    await shop.worker.run_due(JOB)
    await update_state(screen)
    (done,) = screen.exports
    assert (done.id, done.is_done, done.href) == (waiting.id, True, f"/admin/exports/{waiting.id}")
