"""Each action of a page is performed exactly once, even if its connection or its page is lost.

| fault | outcome |
|---|---|
| a new browser's connection drops after the server acted, before its answer | the page shows a cart with one unit |
| the connection drops before the server has the action | it is sent again, the cart has one unit |
| the shopper opens another address before the action was sent | the next page sends it and shows its cart |
| a tab is duplicated while the action waits | both tabs show one cart with one unit |
| a quantity is changed and another address opened immediately | the next page shows the new quantity |
| the previous product's press is answered while this product's waits | this product's button is not ticked |
"""

import json

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, PageWatch, ShopServer
from tests.e2e.held import HeldMessages, LostMessages
from tests.e2e.shopper import count_carts, field, put_in_cart

ADD = "cart_state.add"
ANSWER = '"last_added_rx_state_":{"number":1'
"""A part of the answer to `ADD`: before it, the number is 0."""
PRESSES = "trompo_presses"
RECORD_STEPS = """button => {
    window.steps = [];
    new MutationObserver(() => window.steps.push(button.dataset.step))
        .observe(button, { attributes: true, attributeFilter: ["data-step"] });
}"""
"""Record every later step of the add button in `window.steps`."""


async def click_add(page: Page) -> None:
    """Click the button that adds the product to the cart."""
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()


async def expect_one_unit(page: Page) -> None:
    """Open the cart page and check that it has one line of one unit."""
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-line")).to_have_count(1)
    await expect(page.get_by_test_id("quantity")).to_have_value("1")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")


@PHONE_ONLY
async def test_second_cart_is_not_created_if_the_answer_is_lost_with_the_connection(
    page: Page, watch: PageWatch, server: ShopServer
) -> None:
    watch.expect("WebSocket")
    answers = LostMessages(ANSWER, is_from_page=False)
    await answers.intercept(page)
    before = count_carts(server)
    await page.goto("/product/trompo-de-madera")
    await click_add(page)
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    assert answers.count == 0
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect_one_unit(page)
    assert count_carts(server) == before + 1


@PHONE_ONLY
async def test_second_cart_is_not_created_if_the_page_is_left_before_the_answer(
    page: Page, server: ShopServer
) -> None:
    answers = HeldMessages(ANSWER, in_order=True)
    await answers.intercept(page)
    answers.is_holding = True
    before = count_carts(server)
    await page.goto("/product/trompo-de-madera")
    await click_add(page)
    await answers.wait_until_held()
    answers.is_holding = False
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible()
    await expect_one_unit(page)
    assert count_carts(server) == before + 1


@PHONE_ONLY
async def test_click_that_was_not_sent_is_sent_by_the_next_page(page: Page, server: ShopServer) -> None:
    presses = HeldMessages(ADD, is_from_page=True)
    await presses.intercept(page)
    await page.goto("/product/trompo-de-madera")
    presses.is_holding = True
    await click_add(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await presses.wait_until_held()
    presses.is_holding = False
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible()
    await expect(page.get_by_test_id("empty-cart")).to_have_count(0)
    await expect_one_unit(page)
    await page.wait_for_function(f"() => !sessionStorage.getItem('{PRESSES}')")


@PHONE_ONLY
async def test_checkout_opened_right_after_adding_a_product_contains_it(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    await click_add(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible()
    await expect_one_unit(page)


@PHONE_ONLY
async def test_click_lost_with_its_connection_is_sent_over_the_next_one(page: Page, watch: PageWatch) -> None:
    watch.expect("WebSocket")
    presses = LostMessages(ADD)
    await presses.intercept(page)
    await page.goto("/product/trompo-de-madera")
    await click_add(page)
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    assert presses.count == 0
    await expect_one_unit(page)


@PHONE_ONLY
async def test_duplicated_tab_does_not_repeat_a_click_that_waits_to_be_sent(
    page: Page, server: ShopServer
) -> None:
    """Duplicate the tab with its waiting action: whichever tab sends it first, the cart has one unit in both tabs."""
    presses = HeldMessages(ADD, is_from_page=True)
    await presses.intercept(page)
    before = count_carts(server)
    await page.goto("/product/trompo-de-madera")
    presses.is_holding = True
    await click_add(page)
    await presses.wait_until_held()
    stored = await page.evaluate("JSON.stringify({...sessionStorage})")
    duplicate = await page.context.new_page()
    await duplicate.add_init_script(
        f"if (!sessionStorage.length) Object.assign(sessionStorage, {json.dumps(json.loads(stored))})"
    )
    await duplicate.goto("/product/trompo-de-madera")
    await expect(duplicate.get_by_test_id("cart-count")).to_have_text("1")
    presses.release()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    for tab in (page, duplicate):
        await expect_one_unit(tab)
    assert count_carts(server) == before + 1


@PHONE_ONLY
async def test_quantity_changed_just_before_leaving_is_shown_on_the_next_page(page: Page) -> None:
    await put_in_cart(page, "trompo-de-madera")
    await page.goto("/cart")
    more = page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad")
    await expect(page.get_by_test_id("quantity")).to_have_value("1")
    await more.click()
    await page.goto("/")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@PHONE_ONLY
async def test_answer_for_the_previous_product_does_not_mark_the_button_as_done(page: Page) -> None:
    presses = HeldMessages(ADD, is_from_page=True)
    await presses.intercept(page)
    await page.goto("/product/trompo-de-madera")
    presses.is_holding = True
    await click_add(page)
    await presses.wait_until_held()
    presses.discard()  # they were lost with the first page
    await page.goto("/product/lazo-para-saltar")
    await presses.wait_until_held()
    button, notice = page.get_by_test_id("add-to-cart").first, page.get_by_test_id("added-notice")
    await button.evaluate(RECORD_STEPS)
    await click_add(page)
    presses.release_first()
    await expect(notice).to_contain_text("Trompo")
    await presses.wait_until_held()  # this product's press follows once the first one is answered
    assert "added" not in await page.evaluate("window.steps")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")
    presses.release()
    await expect(notice).to_contain_text("Lazo")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")
    await expect(button).to_have_attribute("data-step", "ready")
