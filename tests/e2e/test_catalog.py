"""The catalogue's filters are stored in the browser and survive the way back (spec: Storefront view rules 6)."""

import re
from collections.abc import Callable

from playwright.async_api import Browser, Page, expect
from sqlalchemy import select

from backend.core.db.database import Database
from backend.shipping.models import StockLocation
from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import PHONE_ONLY, PageWatch, ShopServer, build_page_opener
from tests.store_defaults import Defaults, add_product


async def test_filters_narrow_the_list_without_changing_the_address(page_1280: Page) -> None:
    await page_1280.goto("/catalog?category=peluches")
    cards, total = page_1280.get_by_test_id("product-card"), page_1280.get_by_test_id("result-count")
    await expect(total).to_have_text("6 juguetes")
    chosen = page_1280.get_by_test_id("filter-category").get_by_role("checkbox", checked=True)
    await expect(chosen).to_have_attribute("value", "peluches")
    await page_1280.get_by_test_id("filter-age").get_by_label("0-2").check()
    await expect(total).to_have_text("3 juguetes")
    await expect(cards).to_have_count(3)
    await page_1280.get_by_test_id("filter-age").get_by_label("3-5").check()
    await expect(total).to_have_text("6 juguetes")  # values of one kind are alternatives
    await page_1280.get_by_test_id("filter-brand").get_by_label("Nido Andino").check()
    await expect(page_1280.locator(".chip")).to_have_count(5)  # four filters, and a chip that clears them all
    await expect(page_1280).to_have_url(re.compile(r"/catalog/?\?category=peluches$"))
    await page_1280.get_by_test_id("clear-filters").click()
    await expect(total).to_have_text("58 juguetes")
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Todos los juguetes")


async def test_filter_counts_match_their_results(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    musica = page_1280.get_by_test_id("filter-category").locator("label", has_text="Música")
    count = await musica.locator(".check__count").inner_text()
    await musica.click()
    await expect(page_1280.get_by_test_id("result-count")).to_have_text(f"{count} juguetes")


async def test_click_on_a_filter_chip_removes_its_filter(page_1280: Page) -> None:
    await page_1280.goto("/catalog?category=titeres")
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("2 juguetes")
    await page_1280.get_by_role("button", name="Quitar el filtro Títeres").click()
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("58 juguetes")


async def test_removing_chips_by_keyboard_keeps_the_position(page_1280: Page) -> None:
    await page_1280.goto("/catalog?category=titeres")
    await page_1280.get_by_test_id("filter-sale").check()
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("1 juguete")
    await page_1280.get_by_role("button", name="Quitar el filtro Títeres").press("Enter")
    sale = page_1280.get_by_role("button", name="Quitar el filtro Con descuento")
    await expect(sale).to_be_focused()
    await sale.press("Enter")
    await expect(page_1280.locator(".chip")).to_have_count(0)
    await expect(page_1280.get_by_test_id("catalog-title")).to_be_focused()


@PHONE_ONLY
async def test_show_more_by_keyboard_focuses_the_first_new_product(page: Page) -> None:
    await page.goto("/catalog")
    cards, more = page.get_by_test_id("product-card"), page.get_by_test_id("show-more")
    await expect(cards).to_have_count(24)
    await more.press("Enter")
    await expect(cards).to_have_count(48)
    await expect(cards.nth(24).get_by_role("link")).to_be_focused()
    await expect(cards.nth(24).get_by_role("link")).to_be_in_viewport()
    await more.press("Enter")
    await expect(more).to_have_count(0)  # there are no more
    await expect(cards.nth(48).get_by_role("link")).to_be_focused()


async def test_show_more_by_mouse_does_not_scroll(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    cards, more = page_1280.get_by_test_id("product-card"), page_1280.get_by_test_id("show-more")
    await expect(cards).to_have_count(24)
    await more.scroll_into_view_if_needed()
    scroll_position = await page_1280.evaluate("window.scrollY")
    await more.click()
    await expect(cards.nth(24).get_by_role("link")).to_be_focused()
    assert await page_1280.evaluate("window.scrollY") == scroll_position


async def test_list_of_hundreds_of_products_can_be_shown_to_its_end(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server()
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    async with database.transaction() as session:
        defaults = Defaults((await session.execute(select(StockLocation.id))).scalar_one(), "")
        for number in range(150):
            await add_product(session, defaults, f"canica-{number}")
    await database.close()
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await page.goto("/catalog")
        cards, more = page.get_by_test_id("product-card"), page.get_by_test_id("show-more")
        for shown in range(24, 192, 24):
            await expect(cards).to_have_count(shown)
            await more.click()
        await expect(cards).to_have_count(192)
        last = await cards.last.locator("h3").inner_text()
        await more.press("Enter")
        await expect(page.get_by_test_id("shown-count")).to_have_text("Viste 208 de 208")
        await expect(cards).to_have_count(16)
        await expect(more).to_have_count(0)
        await expect(cards.first.get_by_role("link")).to_be_focused()
        await page.reload()
        await expect(cards).to_have_count(16)
        await page.get_by_test_id("show-earlier").click()
        await expect(cards).to_have_count(192)
        await expect(cards.last.locator("h3")).to_have_text(last)


async def test_pages_of_the_list_are_reached_by_links_without_scripts(
    server: ShopServer, browser: Browser
) -> None:
    await server.fetch_rendered("/catalog")
    context = await browser.new_context(base_url=server.url, java_script_enabled=False)
    page = await context.new_page()
    cards, titles = page.get_by_test_id("product-card"), []
    await page.goto("/catalog")
    for number, count in ((2, 24), (3, 24), (0, 10)):
        await expect(cards).to_have_count(count)
        titles += await cards.locator("h3").all_inner_texts()
        if number:
            await server.fetch_rendered(f"/catalog?page={number}")
            await page.get_by_test_id("show-more").click()
            await expect(page).to_have_url(f"{server.url}/catalog?page={number}")
    await expect(page.get_by_test_id("show-more")).to_have_count(0)
    assert len(set(titles)) == 58
    await expect(page).to_have_title(re.compile("^Todos los juguetes, página 3 · "))
    neighbour = page.locator('link[rel="prev"]')
    await expect(neighbour).to_have_attribute("href", f"{server.url}/catalog?page=2")
    await page.get_by_test_id("show-earlier").click()
    await expect(page).to_have_url(f"{server.url}/catalog?page=2")
    await close_within_limit(context)


async def test_show_more_on_a_later_page_appends_the_next_products(page_1280: Page) -> None:
    await page_1280.goto("/catalog?page=2")
    cards = page_1280.get_by_test_id("product-card")
    await expect(cards).to_have_count(24)
    first = await cards.first.locator("h3").inner_text()
    await page_1280.get_by_test_id("show-more").click()
    await expect(cards).to_have_count(34)
    await expect(cards.first.locator("h3")).to_have_text(first)
    await expect(page_1280.get_by_test_id("shown-count")).to_have_text("Viste 58 de 58")
    await page_1280.get_by_test_id("filter-sale").check()  # from the first again
    await expect(page_1280.get_by_test_id("show-earlier")).to_have_count(0)
    await expect(page_1280).to_have_url(re.compile(r"page=2$"))


async def test_catalogue_is_sorted_by_the_chosen_order(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    first = page_1280.get_by_test_id("product-card").first
    await page_1280.get_by_test_id("sort").select_option("price_asc")
    await expect(first).to_contain_text("$ 12.900")
    await page_1280.get_by_test_id("sort").select_option("price_desc")
    await expect(first).to_contain_text("$ 389.900")
    await page_1280.get_by_test_id("filter-sale").check()
    await expect(first.get_by_test_id("discount-badge")).to_be_visible()


async def test_second_picture_is_loaded_on_hover(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    card = page_1280.get_by_test_id("product-card").first
    first, second = card.locator(".card__image").first, card.locator(".card__image--second")
    await expect(first).to_have_js_property("complete", True)
    await page_1280.wait_for_load_state("networkidle")
    await expect(second).to_have_js_property("currentSrc", "")
    await card.hover()
    await expect(second).to_have_css("opacity", "1")
    await expect(second).to_have_js_property("complete", True)
    assert await second.evaluate("picture => picture.naturalWidth") > 0


async def test_back_button_restores_filters_number_of_products_and_scroll_position(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    cards = page_1280.get_by_test_id("product-card")
    await expect(cards).to_have_count(24)
    await page_1280.get_by_test_id("sort").select_option("price_asc")
    await expect(cards.first).to_contain_text("$ 12.900")
    await page_1280.get_by_test_id("show-more").click()
    await expect(cards).to_have_count(48)
    card = cards.nth(40)
    await card.scroll_into_view_if_needed()
    title = await card.locator("h3").inner_text()
    await card.locator("a").click()
    await expect(page_1280.get_by_role("heading", level=1)).to_have_text(title)
    await page_1280.go_back()
    await expect(cards).to_have_count(48)
    await expect(page_1280.get_by_test_id("sort")).to_have_value("price_asc")
    await expect(cards.nth(40)).to_be_in_viewport()
    await expect(cards.nth(40).locator("h3")).to_have_text(title)


async def test_reload_keeps_filters_and_new_visit_resets_them(page_1280: Page) -> None:
    await page_1280.goto("/catalog")
    total = page_1280.get_by_test_id("result-count")
    brand = page_1280.get_by_test_id("filter-brand").get_by_label("Mesa Redonda")
    await brand.check()
    await expect(total).to_have_text("7 juguetes")
    await page_1280.reload()
    await expect(total).to_have_text("7 juguetes")
    await expect(brand).to_be_checked()
    await page_1280.get_by_role("navigation", name="Departamentos").get_by_role("link", name="Todos").click()
    await expect(total).to_have_text("58 juguetes")
    await expect(brand).not_to_be_checked()


async def test_price_filter_accepts_swapped_limits(page_1280: Page) -> None:
    page = page_1280
    await page.goto("/catalog")
    lowest, highest = page.get_by_test_id("filter-lowest"), page.get_by_test_id("filter-highest")
    await lowest.fill("$ 90.000")
    await lowest.press("Enter")
    await expect(lowest).to_have_value("90000")
    await expect(lowest).to_be_focused()
    await highest.fill("60000")
    await highest.blur()
    chip = page.locator(".chip").first
    await expect(chip).to_have_text(re.compile(r"^De \$\s60\.000 a \$\s90\.000$"))
    await expect(lowest).to_have_value("60000")
    await page.get_by_test_id("sort").select_option("price_asc")
    await expect(page.locator(".results .price__now").first).to_have_text(re.compile(r"^\$\s6\d\.\d00$"))
    await expect(page).to_have_url(re.compile(r"/catalog$"))
    await page.reload()
    await expect(highest).to_have_value("90000")
    await chip.click()
    await expect(page.get_by_test_id("result-count")).to_have_text("58 juguetes")
    await expect(lowest).to_have_value("")


async def test_ages_and_brands_have_their_own_pages(page_1280: Page) -> None:
    page = page_1280
    await page.goto("/")
    await page.locator(".ages a").last.click()
    await expect(page).to_have_url(re.compile(r"/age/12\+$"))
    title, total = page.get_by_test_id("catalog-title"), page.get_by_test_id("result-count")
    await expect(title).to_have_text("Juguetes desde los 12 años")
    await expect(total).to_have_text("3 juguetes")
    await page.reload()
    await expect(title).to_have_text("Juguetes desde los 12 años")
    await page.get_by_role("button", name="Quitar el filtro 12+").click()
    await expect(total).to_have_text("58 juguetes")
    await page.goto("/catalog?age=12%2B")
    await expect(page).to_have_url(re.compile(r"/age/12\+$"))
    await page.get_by_test_id("search-input").fill("nido andino")
    await page.get_by_test_id("search-place").filter(has_text="Marca").click()
    await expect(page).to_have_url(re.compile(r"/brand/nido-andino$"))
    await expect(title).to_have_text("Nido Andino")
    await expect(page.locator(".results")).to_have_attribute("aria-busy", "false")
    await expect(page.locator(".chip").first).to_have_text("Nido Andino")


async def test_filters_without_results_can_be_cleared(page_1280: Page) -> None:
    await page_1280.goto("/catalog?category=titeres")
    await page_1280.get_by_test_id("filter-sale").check()
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("1 juguete")
    await page_1280.goto("/catalog?q=trompo&category=titeres")
    nothing = page_1280.get_by_test_id("no-results")
    await nothing.get_by_role("button", name="Quitar los filtros").click()
    await expect(page_1280.get_by_test_id("product-card").first).to_contain_text("Trompo de madera")


async def test_phone_shows_filters_in_a_dialog(page_320: Page) -> None:
    await page_320.goto("/catalog")
    await expect(page_320.get_by_test_id("product-card").first).to_be_visible()
    await page_320.get_by_test_id("open-filters").click()
    sheet = page_320.get_by_role("dialog", name="Filtrar")
    await sheet.get_by_test_id("filter-age").get_by_label("12+").check()
    await sheet.get_by_role("button", name="Ver 3 juguetes").click()
    await expect(sheet).not_to_be_visible()
    await expect(page_320.get_by_test_id("product-card")).to_have_count(3)


async def test_filters_chosen_in_one_category_do_not_apply_to_another(page_1280: Page) -> None:
    await page_1280.goto("/catalog?category=musica")
    departments = page_1280.get_by_role("navigation", name="Departamentos")
    await page_1280.get_by_test_id("filter-sale").check()
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("1 juguete")
    await departments.get_by_role("link", name="Ciencia y arte").click()
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Ciencia y arte")
    await expect(page_1280.get_by_test_id("filter-sale")).not_to_be_checked()
    await page_1280.go_back()
    await expect(page_1280.get_by_test_id("catalog-title")).to_have_text("Música")
    await expect(page_1280.get_by_test_id("result-count")).to_have_text("1 juguete")
