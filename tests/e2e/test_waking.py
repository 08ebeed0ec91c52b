"""What is done on a page before its scripts have arrived is not lost, nor what is lost on its way."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page, Route, expect

from tests.e2e.conftest import ON_A_PHONE, ShopServer, Watch
from tests.e2e.held import Held, Swallowed
from tests.e2e.shopper import put_in_cart

SCRIPTS = re.compile(r"/assets/.*\.js$")


@asynccontextmanager
async def asleep(server: ShopServer, page: Page, path: str) -> AsyncIterator[None]:
    """The page at `path`, whose scripts are on their way until the block ends."""
    await server.rendered(path)
    may_come = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    await page.route(SCRIPTS, hold)
    await page.goto(path, wait_until="commit")
    try:
        yield
    finally:
        may_come.set()
        await page.unroute_all(behavior="wait")


@ON_A_PHONE
async def test_a_pressed_button_is_pressed_when_the_page_wakes(server: ShopServer, page: Page) -> None:
    async with asleep(server, page, "/product/trompo-de-madera"):
        await page.get_by_test_id("add-to-cart").first.click()
        await expect(page.get_by_test_id("cart-count")).to_have_text("0")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("added-notice")).to_be_visible()


@ON_A_PHONE
async def test_several_presses_are_done_one_after_the_other(server: ShopServer, page: Page) -> None:
    async with asleep(server, page, "/product/trompo-de-madera"):
        for _unit in range(2):
            await page.get_by_role("button", name="Agregar una unidad").click()
        await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("3")


@ON_A_PHONE
async def test_a_pressed_button_that_was_made_anew_is_pressed(server: ShopServer, page: Page) -> None:
    async with asleep(server, page, "/product/trompo-de-madera"):
        button = page.get_by_test_id("add-to-cart").first
        await button.click()
        await button.evaluate("button => button.replaceWith(button.cloneNode(true))")
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")


@ON_A_PHONE
async def test_a_press_on_what_is_no_more_there_says_that_it_was_lost(server: ShopServer, page: Page) -> None:
    async with asleep(server, page, "/product/trompo-de-madera"):
        await page.locator("h1").evaluate(
            "heading => heading.insertAdjacentHTML('afterbegin', '<button>Ya</button>')"
        )
        await page.get_by_role("button", name="Ya", exact=True).click()
        await page.evaluate("document.querySelector('h1 button').remove()")
    lost = page.get_by_test_id("lost-press")
    await expect(lost).to_contain_text("inténtalo otra vez")
    await lost.get_by_role("button", name="Cerrar").click()
    await expect(lost).to_have_count(0)


@ON_A_PHONE
async def test_what_was_answered_before_is_no_answer(server: ShopServer, page: Page) -> None:
    """The server still knows the page of the toy before: what it says of that first is no news."""
    adding = Held("cart_state.add", is_from_page=True)
    await adding.stand_before(page)
    await put_in_cart(page, "trompo-de-madera")
    adding.is_holding = True
    await page.goto("/product/lazo-para-saltar")
    await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("cart-count")).to_have_text(
        "2"
    )  # one is in the cart, one was just asked for
    await expect(page.get_by_test_id("added-notice")).to_have_count(0)
    adding.release()
    await expect(page.get_by_test_id("added-notice")).to_contain_text("Lazo")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@ON_A_PHONE
async def test_a_press_that_dies_with_its_connection_is_sent_again(page: Page, watch: Watch) -> None:
    watch.expect("WebSocket")
    lost = Swallowed("cart_state.add")
    lost.count = 0
    await lost.stand_before(page)
    await put_in_cart(page, "trompo-de-madera")
    lost.count = 1
    await page.goto("/product/lazo-para-saltar")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("added-notice")).to_contain_text("Lazo")
    assert lost.count == 0
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@ON_A_PHONE
async def test_a_quantity_that_dies_with_its_connection_is_sent_again(page: Page, watch: Watch) -> None:
    watch.expect("WebSocket")
    lost = Swallowed("cart_state.set_quantity")
    await lost.stand_before(page)
    await put_in_cart(page, "trompo-de-madera")
    await page.goto("/cart")
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 37.800")
    assert lost.count == 0
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect(page.get_by_test_id("quantity")).to_have_value("2")


async def test_a_filter_that_was_ticked_narrows_when_the_page_wakes(
    server: ShopServer, page_1280: Page
) -> None:
    async with asleep(server, page_1280, "/catalog"):
        await page_1280.get_by_test_id("filter-sale").first.click()
    await expect(page_1280.get_by_test_id("filter-sale").first).to_be_checked()
    await expect(
        page_1280.get_by_test_id("product-card").first.get_by_test_id("discount-badge")
    ).to_be_visible()
    await expect(page_1280.get_by_test_id("clear-filters")).to_be_visible()


@ON_A_PHONE
async def test_what_was_typed_into_the_search_stays_and_is_suggested_for(
    server: ShopServer, page: Page
) -> None:
    async with asleep(server, page, "/"):
        await page.get_by_test_id("search-input").fill("madera")
    await expect(page.get_by_test_id("search-result").first).to_be_visible()
    await expect(page.get_by_test_id("search-input")).to_have_value("madera")


@ON_A_PHONE
async def test_a_search_needs_no_scripts_to_be_sent(server: ShopServer, page: Page) -> None:
    async with asleep(server, page, "/"):
        await page.get_by_test_id("search-input").fill("oso")
        await page.get_by_test_id("search-input").press("Enter")
        await page.wait_for_url(re.compile(r"/catalog\?q=oso$"), wait_until="commit")
        await expect(page.get_by_test_id("search-input")).to_have_value("oso")
        await expect(page.get_by_test_id("catalog-title")).to_have_text("Resultados para «oso»")


@ON_A_PHONE
async def test_a_form_that_was_sent_goes_out_when_the_page_wakes(
    server: ShopServer, page: Page, watch: Watch
) -> None:
    watch.expect("401")
    async with asleep(server, page, "/account/login"):
        await page.get_by_label("Correo").fill("nadie@trompo.example")
        await page.get_by_label("Contraseña", exact=True).fill("no es la clave")
        await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(has_text="El correo o la contraseña no")).to_be_visible()
    assert "clave" not in page.url
