"""A page whose connection is closed repeats its open requests.

| connection closed | outcome |
|---|---|
| before it is made, during its handshake | the page connects again immediately and shows its content |
| while a request is on its way to the shop | the request is repeated, and its answer shown |
| while the answer is on its way to the page | the same |
"""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, PageWatch
from tests.e2e.held import LostMessages
from tests.e2e.scenes import visit
from tests.e2e.shopper import MEDELLIN, field, open_checkout, open_estimate, pick_town, put_in_cart

HANDSHAKE = '"pingInterval"'
"""A part of the first message of the server on a connection."""
RECORD_TIMEOUTS = """
    window.timeouts = [];  // "set" or "over" for each of the 20 seconds after which Socket.IO gives up a connection
    const wait = window.setTimeout;
    window.setTimeout = (call, ms, ...values) => {
        if (ms !== 20_000) return wait(call, ms, ...values);
        window.timeouts.push("set");
        return wait(() => { window.timeouts.push("over"); call(...values); }, ms);
    };
"""
Ask = Callable[[Page, LostMessages], Awaitable[None]]


@PHONE_ONLY
async def test_connection_closed_during_handshake_is_reopened_immediately(
    page: Page, watch: PageWatch
) -> None:
    watch.expect("WebSocket")
    await put_in_cart(page, "trompo-de-madera")
    handshakes = LostMessages(HANDSHAKE, is_from_page=False)
    handshakes.count = 2
    await handshakes.intercept(page)
    await page.add_init_script(RECORD_TIMEOUTS)
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible()
    assert handshakes.count == 0
    assert set(await page.evaluate("window.timeouts")) == {"set"}


async def follow_link(page: Page, lost: LostMessages) -> None:
    """Follow a link to a product while the connection is lost."""
    await visit(page, "/")
    lost.count = 1
    await page.get_by_test_id("product-card").locator("a").first.click()
    await lost.wait_until_lost()
    await expect(page.get_by_test_id("add-to-cart").first).to_be_visible()


async def search(page: Page, lost: LostMessages) -> None:
    """Type into the search while the connection is lost."""
    await page.goto("/")
    lost.count = 1
    await page.get_by_test_id("search-input").fill("madera")
    await lost.wait_until_lost()
    await expect(page.get_by_test_id("search-result").first).to_be_visible()


async def search_town(page: Page, lost: LostMessages) -> None:
    """Search a municipality at the checkout while the connection is lost."""
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    lost.count = 1
    await field(page, "town").fill("medel")
    await lost.wait_until_lost()
    await expect(page.get_by_test_id("town-option").first).to_be_visible()


async def choose_pickup(page: Page, lost: LostMessages) -> None:
    """Choose pickup at the checkout while the connection is lost."""
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    await pick_town(page, MEDELLIN)
    pay = page.get_by_test_id("place-order")
    await expect(pay).to_contain_text("Pagar $")
    lost.count = 1
    await page.get_by_test_id("shipping-option").filter(has_text="Recoger").click()
    await lost.wait_until_lost()
    await expect(pay).to_contain_text("Pagar $ 18.900")


async def estimate_shipping(page: Page, lost: LostMessages) -> None:
    """Estimate shipping on a product's page while the connection is lost."""
    await page.goto("/product/trompo-de-madera")
    box = await open_estimate(page)
    await box.get_by_role("combobox", name="Municipio").press_sequentially("medel")
    option = box.get_by_test_id("town-option").first
    await expect(option).to_be_visible()
    lost.count = 1
    await option.click()
    await lost.wait_until_lost()
    await expect(box.get_by_test_id("estimate-way")).to_have_count(2)


async def narrow_catalog(page: Page, lost: LostMessages) -> None:
    """Filter the catalogue while the connection is lost."""
    await page.goto("/catalog")
    whole = await page.get_by_test_id("result-count").inner_text()
    lost.count = 1
    await page.get_by_test_id("filter-sale").first.click()
    await lost.wait_until_lost()
    await expect(page.get_by_test_id("result-count")).not_to_have_text(whole)


QUESTIONS: dict[str, tuple[Ask, str, str]] = {
    "page": (follow_link, "on_load_internal", '"is_hydrated_rx_state_":true'),
    "search": (search, "search_state.suggest", '"answered_text_rx_state_":"madera"'),
    "town": (search_town, "checkout_state.find_town", '"towns_for_rx_state_":"medel"'),
    "shipping option": (choose_pickup, "checkout_state.price_shipping", '"status":"ready"'),
    "shipping estimate": (estimate_shipping, "estimate_state.estimate_shipping", '"status":"ready"'),
    "catalog filter": (narrow_catalog, "catalog_state.browse", '"is_custom":true'),
}
"""By name: a function that sends a request and expects the answer, a part of the request, and a part of the answer."""


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("is_from_page", [True, False], ids=["question", "answer"])
async def test_request_lost_with_its_connection_is_repeated(
    page_1280: Page, watch: PageWatch, name: str, is_from_page: bool
) -> None:
    watch.expect("WebSocket")
    ask, question, answer = QUESTIONS[name]
    lost = LostMessages(question if is_from_page else answer, is_from_page=is_from_page)
    lost.count = 0
    await lost.intercept(page_1280)
    await ask(page_1280, lost)
