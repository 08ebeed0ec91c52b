"""The cart in the browser: updated immediately, after a reload and in every tab, and visible to one shopper only."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, OpenPage
from tests.e2e.held import HeldMessages
from tests.e2e.scenes import visit
from tests.e2e.test_presses import RECORD_STEPS

TROMPO = "/product/trompo-de-madera"  # $ 18.900
LAST_ONE = "/product/yipao-cafetero"  # one is left


async def _add_to_cart(page: Page, path: str = TROMPO) -> None:
    await page.goto(path)
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()


async def test_product_is_added_to_the_cart(page: Page) -> None:
    await _add_to_cart(page)
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.get_by_test_id("added-notice").get_by_role("link", name="Ver carrito").click()
    line = page.get_by_test_id("cart-line")
    await expect(line).to_have_count(1)
    await expect(line).to_contain_text("Trompo de madera")
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 18.900")


async def test_cart_count_changes_before_the_server_answers(page_1280: Page) -> None:
    await visit(page_1280, TROMPO)
    count = page_1280.get_by_test_id("cart-count")
    await expect(count).to_have_text("0")
    shown = await page_1280.evaluate(
        """() => {
            document.querySelector("[data-testid=add-to-cart]").click();
            return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(
                () => resolve(document.querySelector("[data-testid=cart-count]").textContent))));
        }"""
    )
    assert shown == "1"
    await expect(page_1280.get_by_test_id("added-notice")).to_be_visible()
    await expect(count).to_have_text("1")


async def test_added_product_is_not_counted_twice(page_1280: Page) -> None:
    await visit(page_1280, TROMPO)
    count = page_1280.get_by_test_id("cart-count")
    await expect(count).to_have_text("0")
    await page_1280.evaluate(
        """() => {
            window.counts = new Set();
            const note = () => window.counts.add(document.querySelector("[data-testid=cart-count]").textContent);
            const changes = { childList: true, subtree: true, characterData: true };
            new MutationObserver(note).observe(document.querySelector("header"), changes);
        }"""
    )
    await page_1280.get_by_test_id("add-to-cart").locator("visible=true").first.click()
    await expect(page_1280.get_by_test_id("added-notice")).to_be_visible()
    await expect(count).to_have_text("1")
    assert await page_1280.evaluate("[...window.counts]") == ["1"]


@PHONE_ONLY
async def test_several_units_are_added_with_one_click(page: Page) -> None:
    await page.goto(TROMPO)
    await page.get_by_role("button", name="Agregar una unidad").click()
    await page.get_by_role("button", name="Agregar una unidad").click()
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("cart-count")).to_have_text("3")


async def test_optimistic_count_is_reverted_after_a_refusal(page_1280: Page) -> None:
    await _add_to_cart(page_1280, LAST_ONE)
    await page_1280.reload()
    # the first message to the page is not an answer to the click
    await expect(page_1280.get_by_test_id("cart-count")).to_have_text("1")
    button = page_1280.get_by_test_id("add-to-cart")
    await button.evaluate(RECORD_STEPS)
    await button.click()
    await expect(page_1280.get_by_test_id("notice")).to_contain_text("No nos quedan tantas unidades")
    await expect(button).to_have_attribute("data-step", "ready")
    assert await page_1280.evaluate("window.steps") == ["adding", "ready"]  # and not "added"
    await expect(page_1280.get_by_test_id("cart-count")).to_have_text("1")


@PHONE_ONLY
async def test_reload_restores_the_cart_without_repeating_the_notice(page: Page) -> None:
    await _add_to_cart(page)
    await page.reload()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("added-notice")).to_have_count(0)


@PHONE_ONLY
async def test_quantities_can_be_changed_on_the_cart_page(page: Page) -> None:
    await _add_to_cart(page)
    await page.goto("/cart")
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 37.800")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")
    quantity = page.get_by_test_id("cart-line").get_by_test_id("quantity")
    await quantity.fill("5")
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 94.500")
    await page.get_by_test_id("remove-line").click()
    await expect(page.get_by_test_id("empty-cart")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("0")


@PHONE_ONLY
async def test_answer_to_an_earlier_change_does_not_undo_a_later_one(page: Page) -> None:
    changes = HeldMessages("cart_state.set_quantity", is_from_page=True)
    await changes.intercept(page)
    await _add_to_cart(page)
    await page.goto("/cart")
    line, total = page.get_by_test_id("cart-line"), page.get_by_test_id("cart-total")
    more, quantity = line.get_by_role("button", name="Agregar una unidad"), line.get_by_test_id("quantity")
    changes.is_holding = True
    await more.click()
    await changes.wait_until_held()
    await more.click()
    await expect(quantity).to_have_value("3")
    changes.release_first()
    await expect(total).to_have_text("$ 37.800")
    await more.click()
    await expect(quantity).to_have_value("4")
    changes.release()
    await expect(total).to_have_text("$ 75.600")
    await expect(quantity).to_have_value("4")


@PHONE_ONLY
async def test_empty_cart_links_to_the_catalogue(page: Page) -> None:
    await page.goto("/cart")
    empty = page.get_by_test_id("empty-cart")
    await expect(empty).to_contain_text("Tu carrito está vacío")
    await empty.get_by_role("link", name="Ver el catálogo").click()
    await expect(page).to_have_url(re.compile("/catalog$"))


async def test_cart_drawer_shows_the_cart_and_returns_the_focus(page: Page) -> None:
    await _add_to_cart(page)
    opener = page.locator("a[href='/cart'].icon-button")
    await opener.click()
    drawer = page.get_by_role("dialog", name="Tu carrito")
    await expect(drawer.get_by_test_id("cart-line")).to_have_count(1)
    await expect(drawer.get_by_test_id("drawer-total")).to_have_text("$ 18.900")
    await page.keyboard.press("Escape")
    await expect(drawer).not_to_be_visible()
    await expect(opener).to_be_focused()
    await expect(page.get_by_test_id("cart-line")).to_have_count(0)


async def test_remove_buttons_of_all_lines_are_aligned(page: Page) -> None:
    await _add_to_cart(page)
    await _add_to_cart(page, "/product/arcoiris-de-madera")
    await page.locator("a[href='/cart'].icon-button").click()
    buttons = page.get_by_role("dialog", name="Tu carrito").get_by_test_id("remove-line")
    await expect(buttons).to_have_count(2)
    edges = await buttons.evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    assert edges[0] == edges[1]


@PHONE_ONLY
async def test_removing_lines_by_keyboard_keeps_the_position(page: Page) -> None:
    for path in (TROMPO, "/product/arcoiris-de-madera", "/product/lazo-para-saltar"):
        await _add_to_cart(page, path)
    await page.locator("a[href='/cart'].icon-button").click()
    drawer = page.get_by_role("dialog", name="Tu carrito")
    buttons = drawer.get_by_test_id("remove-line")
    await buttons.nth(2).press("Enter")
    await expect(buttons).to_have_count(2)
    await expect(buttons.nth(1)).to_be_focused()  # none came after it
    await page.goto("/cart")
    buttons = page.get_by_test_id("remove-line")
    name = await buttons.nth(1).get_attribute("aria-label")
    await buttons.first.press("Enter")
    await expect(buttons).to_have_count(1)
    await expect(buttons).to_have_accessible_name(str(name))
    await expect(buttons).to_be_focused()
    await buttons.press("Enter")
    await expect(page.get_by_role("heading", name="Tu carrito está vacío")).to_be_focused()


async def test_product_can_be_added_after_the_cart_was_deleted(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.evaluate("localStorage.setItem('trompo_cart', 'cart_that_never_was')")
    await page_1280.goto("/cart")
    await expect(page_1280.get_by_test_id("empty-cart")).to_be_visible()
    await _add_to_cart(page_1280)
    await page_1280.goto("/cart")
    await expect(page_1280.get_by_test_id("cart-line")).to_have_count(1)


async def test_two_shoppers_have_separate_carts(open_page: OpenPage) -> None:
    async with open_page(1280, 800) as first, open_page(1280, 800) as other:
        await _add_to_cart(first)
        await other.goto("/cart")
        await expect(other.get_by_test_id("empty-cart")).to_be_visible()
        await _add_to_cart(other, "/product/lazo-para-saltar")
        await first.goto("/cart")
        await expect(first.get_by_test_id("cart-line")).to_have_count(1)
        await expect(first.get_by_test_id("cart-line")).to_contain_text("Trompo de madera")


async def test_two_tabs_show_the_same_cart(page_1280: Page) -> None:
    await _add_to_cart(page_1280)
    other = await page_1280.context.new_page()
    await other.goto("/cart")
    await expect(other.get_by_test_id("cart-count")).to_have_text("1")
    await page_1280.get_by_test_id("add-to-cart").click()
    await expect(other.get_by_test_id("cart-count")).to_have_text("2")
    await expect(other.get_by_test_id("cart-total")).to_have_text("$ 37.800")


async def test_tab_opened_before_the_cart_existed_shows_the_cart(open_page: OpenPage) -> None:
    for _ in range(6):  # the messages about the new cart's id and its content may arrive in any order
        async with open_page(1280, 800) as page:
            await visit(page, "/wishlist")
            other = await page.context.new_page()
            await visit(other, TROMPO)
            await other.get_by_test_id("add-to-cart").click()
            await expect(page.get_by_test_id("cart-count")).to_have_text("1")


@PHONE_ONLY
async def test_quantity_is_saved_when_the_shopper_leaves_immediately(page: Page) -> None:
    await _add_to_cart(page)
    await page.goto("/cart")
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await page.get_by_test_id("go-to-checkout").locator("visible=true").first.click()
    await expect(page).to_have_url(re.compile("/checkout$"))
    await expect(page.get_by_test_id("checkout-line")).to_contain_text("$ 37.800")


@PHONE_ONLY
async def test_quantity_is_saved_when_the_drawer_closes(page: Page) -> None:
    await _add_to_cart(page)
    await page.locator("a[href='/cart'].icon-button").click()
    drawer = page.get_by_role("dialog", name="Tu carrito")
    await drawer.get_by_role("button", name="Agregar una unidad").click()
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@PHONE_ONLY
async def test_quantity_of_a_cart_line_can_be_typed(page: Page) -> None:
    await page.goto(TROMPO)
    quantity = page.get_by_test_id("quantity").locator("visible=true").first
    await quantity.press("End")
    await quantity.press("Backspace")
    await expect(quantity).to_have_value("")
    await quantity.press("3")
    await expect(quantity).to_have_value("3")
    await quantity.press("Backspace")
    await quantity.blur()
    await expect(quantity).to_have_value("3")  # no other number was typed
    await quantity.fill("999")
    await expect(page.locator(".quantity__limit")).to_have_text(re.compile(r"^No hay más de \d\d\.$"))
    await quantity.fill("3")
    await expect(page.locator(".quantity__limit")).to_have_text("")
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("cart-count")).to_have_text("3")
