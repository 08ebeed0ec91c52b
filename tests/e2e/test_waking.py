"""Actions on a page before its scripts have loaded are not lost, nor are actions that are lost on the connection."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page, Route, expect

from storefront.documents.markup import WAIT_FOR_FIRST_PICTURE
from tests.e2e.conftest import PHONE_ONLY, WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import HeldMessages, LostMessages
from tests.e2e.shopper import put_in_cart, wait_until_hydrated

SCRIPTS = re.compile(r"/assets/.*\.js$")
REQUESTED_STYLE_SHEETS = (
    'performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".css"))'
)


@asynccontextmanager
async def hold_scripts(
    server: ShopServer, page: Page, path: str, *, is_rendered: bool = True
) -> AsyncIterator[None]:
    """Open the page at `path` and hold back its scripts until the block ends."""
    if is_rendered:
        await server.fetch_rendered(path)
    may_load = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_load.wait()
        await route.continue_()

    await page.route(SCRIPTS, hold)
    await page.goto(path, wait_until="commit")
    try:
        yield
    finally:
        may_load.set()
        await page.unroute_all(behavior="wait")


@PHONE_ONLY
async def test_click_before_the_scripts_load_is_done_afterwards(server: ShopServer, page: Page) -> None:
    async with hold_scripts(server, page, "/product/trompo-de-madera"):
        await page.get_by_test_id("add-to-cart").first.click()
        await expect(page.get_by_test_id("cart-count")).to_have_text("0")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.get_by_test_id("added-notice")).to_be_visible()


@PHONE_ONLY
async def test_several_clicks_before_the_scripts_load_are_done_in_their_sequence(
    server: ShopServer, page: Page
) -> None:
    async with hold_scripts(server, page, "/product/trompo-de-madera"):
        for _unit in range(2):
            await page.get_by_role("button", name="Agregar una unidad").click()
        await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("3")


@PHONE_ONLY
async def test_click_before_the_scripts_load_on_a_button_replaced_later_is_done(
    server: ShopServer, page: Page
) -> None:
    async with hold_scripts(server, page, "/product/trompo-de-madera"):
        button = page.get_by_test_id("add-to-cart").first
        await button.click()
        await button.evaluate("button => button.replaceWith(button.cloneNode(true))")
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")


@PHONE_ONLY
async def test_click_before_the_scripts_load_on_a_button_removed_later_shows_a_message(
    server: ShopServer, page: Page
) -> None:
    async with hold_scripts(server, page, "/product/trompo-de-madera"):
        await page.locator("h1").evaluate(
            "heading => heading.insertAdjacentHTML('afterbegin', '<button>Ya</button>')"
        )
        await page.get_by_role("button", name="Ya", exact=True).click()
        await page.evaluate("document.querySelector('h1 button').remove()")
    lost = page.get_by_test_id("lost-press")
    await expect(lost).to_contain_text("inténtalo otra vez")
    await lost.get_by_role("button", name="Cerrar").click()
    await expect(lost).to_have_count(0)


@PHONE_ONLY
async def test_answer_to_an_earlier_click_does_not_confirm_a_new_click(
    server: ShopServer, page: Page
) -> None:
    """Hold back a new action in another document, to which the server repeats the answer to the first one."""
    adding = HeldMessages("cart_state.add", is_from_page=True)
    await adding.intercept(page)
    await put_in_cart(page, "trompo-de-madera")
    adding.is_holding = True
    await page.goto("/product/lazo-para-saltar")
    await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("cart-count")).to_have_text(
        "2"
    )  # one is in the cart, one was just added
    await expect(page.get_by_test_id("added-notice")).to_have_count(0)
    adding.release()
    await expect(page.get_by_test_id("added-notice")).to_contain_text("Lazo")
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@PHONE_ONLY
async def test_cart_click_lost_with_its_connection_is_sent_again(page: Page, watch: PageWatch) -> None:
    watch.expect("WebSocket")
    lost = LostMessages("cart_state.add")
    lost.count = 0
    await lost.intercept(page)
    await put_in_cart(page, "trompo-de-madera")
    lost.count = 1
    await page.goto("/product/lazo-para-saltar")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("added-notice")).to_contain_text("Lazo")
    assert lost.count == 0
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect(page.get_by_test_id("cart-count")).to_have_text("2")


@PHONE_ONLY
async def test_quantity_change_lost_with_its_connection_is_sent_again(page: Page, watch: PageWatch) -> None:
    watch.expect("WebSocket")
    lost = LostMessages("cart_state.set_quantity")
    await lost.intercept(page)
    await put_in_cart(page, "trompo-de-madera")
    await page.goto("/cart")
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 37.800")
    assert lost.count == 0
    await expect(page.get_by_test_id("lost-press")).to_have_count(0)
    await expect(page.get_by_test_id("quantity")).to_have_value("2")


async def test_filter_chosen_before_the_scripts_load_is_applied_afterwards(
    server: ShopServer, page_1280: Page
) -> None:
    async with hold_scripts(server, page_1280, "/catalog"):
        await page_1280.get_by_test_id("filter-sale").first.click()
    await expect(page_1280.get_by_test_id("filter-sale").first).to_be_checked()
    await expect(
        page_1280.get_by_test_id("product-card").first.get_by_test_id("discount-badge")
    ).to_be_visible()
    await expect(page_1280.get_by_test_id("clear-filters")).to_be_visible()


async def test_sorting_and_prices_chosen_before_the_scripts_load_are_applied_afterwards(
    server: ShopServer, page_1280: Page
) -> None:
    async with hold_scripts(server, page_1280, "/catalog"):
        await page_1280.get_by_test_id("filter-lowest").fill("20000")
        await page_1280.get_by_test_id("sort").select_option("price_asc")
        await page_1280.get_by_test_id("filter-highest").fill("30000")
        await page_1280.get_by_test_id("filter-highest").press("Enter")
    await expect(page_1280.locator(".chip").first).to_have_text(re.compile(r"^De \$\s20\.000 a \$\s30\.000$"))
    await expect(page_1280.get_by_test_id("sort")).to_have_value("price_asc")


@PHONE_ONLY
async def test_quantity_typed_before_the_scripts_load_is_added(server: ShopServer, page: Page) -> None:
    async with hold_scripts(server, page, "/product/trompo-de-madera"):
        await page.get_by_test_id("quantity").fill("3")
        await page.get_by_test_id("add-to-cart").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await expect(page.get_by_test_id("cart-count")).to_have_text("3")


@PHONE_ONLY
async def test_scripts_load_after_the_first_picture_and_styles_are_inlined(
    server: ShopServer, page: Page
) -> None:
    for path in ("/", "/catalog", "/product/trompo-de-madera", "/gift"):
        assert WAIT_FOR_FIRST_PICTURE in await server.fetch_rendered(path)
        await page.goto(path)
        await wait_until_hydrated(page)
        assert await page.evaluate(REQUESTED_STYLE_SHEETS) == []
        assert await page.locator("link[rel=modulepreload][media]").count() == 0


@PHONE_ONLY
async def test_search_text_typed_before_the_scripts_load_gets_suggestions(
    server: ShopServer, page: Page
) -> None:
    async with hold_scripts(server, page, "/"):
        await page.get_by_test_id("search-input").fill("madera")
    await expect(page.get_by_test_id("search-result").first).to_be_visible()
    await expect(page.get_by_test_id("search-input")).to_have_value("madera")


@PHONE_ONLY
async def test_search_form_works_without_scripts(server: ShopServer, page: Page) -> None:
    await server.fetch_rendered("/catalog?q=oso")
    async with hold_scripts(server, page, "/"):
        await page.get_by_test_id("search-input").fill("oso")
        await page.get_by_test_id("search-input").press("Enter")
        await page.wait_for_url(re.compile(r"/catalog\?q=oso$"), wait_until="commit")
        await expect(page.get_by_test_id("search-input")).to_have_value("oso")
        await expect(page.get_by_test_id("catalog-title")).to_have_text("Resultados para «oso»")


@PHONE_ONLY
async def test_form_submitted_before_the_scripts_load_is_sent_afterwards(
    server: ShopServer, page: Page, watch: PageWatch
) -> None:
    watch.expect("401")
    async with hold_scripts(server, page, "/account/login"):
        await page.get_by_label("Correo").fill("nadie@trompo.example")
        await page.get_by_label("Contraseña", exact=True).fill("no es la clave")
        await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(has_text="El correo o la contraseña no")).to_be_visible()
    assert "clave" not in page.url


async def test_text_typed_on_the_plain_page_is_kept_when_the_rendered_page_replaces_it(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    """Type while the scripts load: the rendered page has new elements in place of the plain page's fields."""
    shop = new_server(RENDERERS="0")
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        text = page.get_by_label("Cuéntanos")
        async with hold_scripts(shop, page, "/pqrs", is_rendered=False):
            await expect(page.locator(".plain")).to_be_visible()
            await page.get_by_label("¿Qué es?").select_option("reclamo")
            await page.get_by_label("Nombre").fill("Ana Gómez")
            await page.get_by_label("Correo electrónico").fill("pronto@example.com")
            await text.fill("Sin cuerda")
        await expect(page.locator(".plain")).to_have_count(0)
        await expect(text).to_be_focused()
        await page.keyboard.type(" ni caja.")
        await expect(text).to_have_value("Sin cuerda ni caja.")
        await expect(page.get_by_label("Nombre")).to_have_value("Ana Gómez")
        await page.get_by_test_id("pqrs-send").click()
        await expect(page.get_by_text("Sin cuerda ni caja.")).to_be_visible()
        async with hold_scripts(shop, page, "/", is_rendered=False):
            await page.locator("[name=q]").fill("madera")
        await expect(page.get_by_test_id("search-result").first).to_be_visible()
        await expect(page.get_by_test_id("search-input")).to_have_value("madera")
