"""A press is done exactly once, whatever happens to its connection or its page.

| fault | outcome |
|---|---|
| a new browser's connection drops after the server acted, before its answer | the cart holds one unit, shown |
| the connection drops before the server has the press | it is sent again, the cart holds one unit |
| the shopper opens another address before the press has left | the next page sends it; its cart is shown |
| a tab is duplicated while the press waits | both tabs show one cart with one unit |
| a quantity is changed and another address opened at once | the next page shows the new quantity |
"""

import json

from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, ShopServer, Watch
from tests.e2e.held import Held, Swallowed
from tests.e2e.shopper import PATIENCE, carts_of, field, put_in_cart

ADD = "cart_state.add"
ANSWER = '"added_rx_state_":{"number":1'
"""The answer to `ADD`: until then the number is 0."""
PRESSES = "trompo_presses"


async def press_add(page: Page) -> None:
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()


async def expect_one_unit(page: Page) -> None:
    """The cart page, opened by its address, holds one line of one unit."""
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-line")).to_have_count(1, timeout=PATIENCE)
    await expect(page.get_by_test_id("quantity")).to_have_value("1")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")


@ON_A_PHONE
async def test_answer_lost_with_connection_keeps_the_first_cart(
    page: Page, watch: Watch, server: ShopServer
) -> None:
    watch.expect("WebSocket")
    answers = Swallowed(ANSWER, is_from_page=False)
    await answers.stand_before(page)
    before = carts_of(server)
    await page.goto("/product/trompo-de-madera")
    await press_add(page)
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    assert answers.count == 0
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect_one_unit(page)
    assert carts_of(server) == before + 1


@ON_A_PHONE
async def test_answer_lost_with_the_page_keeps_the_first_cart(page: Page, server: ShopServer) -> None:
    answers = Held(ANSWER, in_order=True)
    await answers.stand_before(page)
    answers.is_holding = True
    before = carts_of(server)
    await page.goto("/product/trompo-de-madera")
    await press_add(page)
    await answers.wait_for_one()
    answers.is_holding = False
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)
    await expect_one_unit(page)
    assert carts_of(server) == before + 1


@ON_A_PHONE
async def test_press_that_never_left_is_sent_by_the_next_page(page: Page, server: ShopServer) -> None:
    presses = Held(ADD, is_from_page=True)
    await presses.stand_before(page)
    await page.goto("/product/trompo-de-madera")
    presses.is_holding = True
    await press_add(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await presses.wait_for_one()
    presses.is_holding = False
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)
    await expect(page.get_by_test_id("empty-cart")).to_have_count(0)
    await expect_one_unit(page)
    assert await page.evaluate(f"sessionStorage.getItem('{PRESSES}')") in (None, "[]")


@ON_A_PHONE
async def test_checkout_opened_at_once_after_the_press_has_the_toy(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    await press_add(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)
    await expect_one_unit(page)


@ON_A_PHONE
async def test_press_is_sent_again_over_the_next_connection(page: Page, watch: Watch) -> None:
    watch.expect("WebSocket")
    presses = Swallowed(ADD)
    await presses.stand_before(page)
    await page.goto("/product/trompo-de-madera")
    await press_add(page)
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    assert presses.count == 0
    await expect_one_unit(page)


@ON_A_PHONE
async def test_duplicated_tab_shows_the_same_cart(page: Page, server: ShopServer) -> None:
    """The copy has the press too: whichever sends it first, the cart holds one unit in both tabs."""
    presses = Held(ADD, is_from_page=True)
    await presses.stand_before(page)
    before = carts_of(server)
    await page.goto("/product/trompo-de-madera")
    presses.is_holding = True
    await press_add(page)
    await presses.wait_for_one()
    kept = await page.evaluate("JSON.stringify({...sessionStorage})")
    copy = await page.context.new_page()
    await copy.add_init_script(
        f"if (!sessionStorage.length) Object.assign(sessionStorage, {json.dumps(json.loads(kept))})"
    )
    await copy.goto("/product/trompo-de-madera")
    await expect(copy.get_by_test_id("cart-count")).to_have_text("1")
    presses.release()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    for tab in (page, copy):
        await expect_one_unit(tab)
    assert carts_of(server) == before + 1


@ON_A_PHONE
async def test_quantity_changed_on_leaving_is_shown_by_the_next_page(page: Page) -> None:
    await put_in_cart(page, "trompo-de-madera")
    await page.goto("/cart")
    more = page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad")
    await expect(page.get_by_test_id("quantity")).to_have_value("1")
    await more.click()
    await page.goto("/")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")
