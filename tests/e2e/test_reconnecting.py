"""A page whose connection is closed asks again for what it has yet to show.

| connection closed | outcome |
|---|---|
| before it is made, during its handshake | the page connects again at once and shows its content |
| with a question on its way to the shop | the question is asked again, and its answer shown |
| with the answer on its way to the page | the same |
"""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, Watch
from tests.e2e.held import Swallowed
from tests.e2e.scenes import visit
from tests.e2e.shopper import MEDELLIN, PATIENCE, field, open_checkout, pick_town, put_in_cart

HANDSHAKE = '"pingInterval"'
"""In the first that a shop says over a connection."""
SHORTER_THAN_TIMEOUT = 15_000
"""Milliseconds. Socket.IO would notice a lost handshake after 20 seconds."""
Ask = Callable[[Page, Swallowed], Awaitable[None]]


@ON_A_PHONE
async def test_connection_closed_during_handshake_is_made_again_at_once(page: Page, watch: Watch) -> None:
    watch.expect("WebSocket")
    await put_in_cart(page, "trompo-de-madera")
    handshakes = Swallowed(HANDSHAKE, is_from_page=False)
    handshakes.count = 2
    await handshakes.stand_before(page)
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible(timeout=SHORTER_THAN_TIMEOUT)
    assert handshakes.count == 0


async def follow_link(page: Page, lost: Swallowed) -> None:
    await visit(page, "/")
    lost.count = 1
    await page.get_by_test_id("product-card").locator("a").first.click()
    await expect(page.get_by_test_id("add-to-cart").first).to_be_visible(timeout=PATIENCE)


async def search(page: Page, lost: Swallowed) -> None:
    await page.goto("/")
    lost.count = 1
    await page.get_by_test_id("search-input").press_sequentially("madera")
    await expect(page.get_by_test_id("search-result").first).to_be_visible(timeout=PATIENCE)


async def search_town(page: Page, lost: Swallowed) -> None:
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    lost.count = 1
    await field(page, "town").fill("medel")
    await expect(page.get_by_test_id("town-option").first).to_be_visible(timeout=PATIENCE)


async def choose_pickup(page: Page, lost: Swallowed) -> None:
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    await pick_town(page, MEDELLIN)
    pay = page.get_by_test_id("place-order")
    await expect(pay).to_contain_text("Pagar $", timeout=PATIENCE)
    lost.count = 1
    await page.get_by_test_id("shipping-option").filter(has_text="Recoger").click()
    await expect(pay).to_contain_text("Pagar $ 18.900", timeout=PATIENCE)


async def estimate_shipping(page: Page, lost: Swallowed) -> None:
    await page.goto("/product/trompo-de-madera")
    box = page.get_by_test_id("shipping-estimate")
    await box.get_by_role("combobox", name="Municipio").press_sequentially("medel")
    option = box.get_by_test_id("town-option").first
    await expect(option).to_be_visible(timeout=PATIENCE)
    lost.count = 1
    await option.click()
    await expect(box.get_by_test_id("estimate-way")).to_have_count(2, timeout=PATIENCE)


async def narrow_catalog(page: Page, lost: Swallowed) -> None:
    await page.goto("/catalog")
    whole = await page.get_by_test_id("result-count").inner_text()
    lost.count = 1
    await page.get_by_test_id("filter-sale").first.click()
    await expect(page.get_by_test_id("result-count")).not_to_have_text(whole, timeout=PATIENCE)


QUESTIONS: dict[str, tuple[Ask, str, str]] = {
    "page": (follow_link, "on_load_internal", '"is_hydrated_rx_state_":true'),
    "search": (search, "search_state.suggest", '"answered_rx_state_":"madera"'),
    "town": (search_town, "checkout_state.find_town", '"towns_for_rx_state_":"medel"'),
    "shipping option": (choose_pickup, "checkout_state.ship", '"status":"ready"'),
    "shipping estimate": (estimate_shipping, "estimate_state.ask", '"status":"ready"'),
    "catalog filter": (narrow_catalog, "catalog_state.browse", '"is_custom":true'),
}
"""By name: a function that asks and expects the answer, a part of the question, and a part of the answer."""


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("is_from_page", [True, False], ids=["question", "answer"])
async def test_question_lost_with_connection_is_asked_again(
    page_1280: Page, watch: Watch, name: str, is_from_page: bool
) -> None:
    watch.expect("WebSocket")
    ask, question, answer = QUESTIONS[name]
    lost = Swallowed(question if is_from_page else answer, is_from_page=is_from_page)
    lost.count = 0
    await lost.stand_before(page_1280)
    await ask(page_1280, lost)
    assert lost.count == 0
