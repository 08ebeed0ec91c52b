"""The wishlist lives in the browser, across reloads and tabs (spec: Storefront view rules 7)."""

import sqlite3
from contextlib import closing

from playwright.async_api import Page, expect

from tests.e2e.conftest import ON_A_PHONE, OpenPage, ShopServer
from tests.e2e.shopper import expect_no_overflow

TOY = "trompo-de-madera"


@ON_A_PHONE
async def test_a_heart_outlives_a_reload(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    heart = page.get_by_test_id("wishlist-toggle").first
    await expect(heart).to_have_attribute("aria-pressed", "false")
    await heart.click()
    await expect(heart).to_have_attribute("aria-pressed", "true")
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await page.reload()
    await expect(heart).to_have_attribute("aria-pressed", "true")
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")


async def test_the_page_shows_what_is_saved_and_lets_it_go(page: Page) -> None:
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    for place in (0, 1):
        await cards.nth(place).get_by_test_id("wishlist-toggle").click()
    wanted = [await cards.nth(place).locator("h3").inner_text() for place in (1, 0)]
    await page.goto("/wishlist")
    await expect(cards.locator("h3")).to_have_text(wanted)  # the latest first
    await cards.first.get_by_test_id("wishlist-toggle").click()
    await expect(cards.locator("h3")).to_have_text(wanted[1:])
    await cards.first.get_by_test_id("wishlist-toggle").click()
    await expect(page.get_by_role("heading", name="Todavía no guardas nada")).to_be_visible()
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("0")


async def test_letting_go_by_the_keyboard_goes_on_where_one_was(page: Page) -> None:
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    for place in (0, 1):
        await cards.nth(place).get_by_test_id("wishlist-toggle").click()
    await page.goto("/wishlist")
    hearts = cards.get_by_test_id("wishlist-toggle")
    await expect(hearts).to_have_count(2)
    await hearts.first.press("Enter")
    await expect(hearts).to_have_count(1)
    await expect(hearts).to_be_focused()
    await hearts.press("Enter")
    await expect(page.get_by_role("heading", name="Tus favoritos")).to_be_focused()


async def test_another_tab_sees_it_at_once(page_1280: Page) -> None:
    await page_1280.goto("/product/trompo-de-madera")
    other = await page_1280.context.new_page()
    await other.goto("/wishlist")
    await page_1280.get_by_test_id("wishlist-toggle").first.click()
    await expect(other.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect(other.get_by_test_id("product-card")).to_contain_text("Trompo de madera")


async def test_what_somebody_else_wrote_there_does_no_harm(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.evaluate("localStorage.setItem('trompo_wishlist', '{\"no\": [1, \"list\"')")
    await page_1280.goto("/wishlist")
    await expect(page_1280.get_by_role("heading", name="Todavía no guardas nada")).to_be_visible()
    await page_1280.goto("/product/trompo-de-madera")
    await page_1280.get_by_test_id("wishlist-toggle").first.click()
    await expect(page_1280.get_by_test_id("wishlist-count")).to_have_text("1")


@ON_A_PHONE
async def test_what_is_not_sold_any_more_is_said_and_let_go(page: Page) -> None:
    await page.goto("/")
    await page.evaluate("""localStorage.trompo_wishlist = '["no-hay", "trompo-de-madera", "constructor"]'""")
    await page.goto("/wishlist")
    gone = page.get_by_test_id("wishes-gone")
    await expect(gone).to_contain_text("2 de tus favoritos ya no se venden.")
    await expect(page.get_by_test_id("product-card")).to_have_count(1)
    await expect_no_overflow(page)
    await page.get_by_test_id("drop-gone").press("Enter")
    await expect(gone).to_have_count(0)
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect(page.get_by_test_id("product-card").get_by_test_id("wishlist-toggle")).to_be_focused()


async def test_when_nothing_saved_is_sold_any_more_the_page_is_not_blank(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.evaluate("""localStorage.trompo_wishlist = '["no-hay"]'""")
    await page_1280.goto("/wishlist")
    await expect(page_1280.get_by_test_id("wishes-gone")).to_contain_text(
        "1 de tus favoritos ya no se vende."
    )
    nothing = page_1280.get_by_role("heading", name="Todavía no guardas nada")
    catalog = page_1280.get_by_role("main").get_by_role("link", name="Ver el catálogo")
    await expect(catalog).to_be_visible()
    await expect(nothing).to_have_count(0)
    await page_1280.get_by_test_id("drop-gone").click()
    await expect(page_1280.get_by_test_id("wishlist-count")).to_have_text("0")
    await expect(nothing).to_be_visible()
    await expect(catalog).to_be_visible()


async def test_a_toy_of_another_address_by_now_stays_saved(page_1280: Page, server: ShopServer) -> None:
    books = sqlite3.connect(server.folder / "data" / "trompo.db")
    with closing(books), books:
        added = "INSERT INTO former_handle (handle, product_id, created_at, updated_at)"
        books.execute(
            f"{added} SELECT 'peonza', id, created_at, updated_at FROM product WHERE handle = ?", [TOY]
        )
    await page_1280.goto("/")
    await page_1280.evaluate("localStorage.trompo_wishlist = '[\"peonza\"]'")
    await page_1280.goto("/wishlist")
    await expect(page_1280.get_by_test_id("product-card")).to_contain_text("Trompo de madera")
    assert await page_1280.evaluate("localStorage.trompo_wishlist") == f'["{TOY}"]'


async def test_each_browser_has_its_own(open_page: OpenPage) -> None:
    async with open_page(1280, 800) as one, open_page(1280, 800) as other:
        await one.goto("/product/trompo-de-madera")
        await one.get_by_test_id("wishlist-toggle").first.click()
        await expect(one.get_by_test_id("wishlist-count")).to_have_text("1")
        await other.goto("/product/trompo-de-madera")
        await expect(other.get_by_test_id("wishlist-toggle").first).to_have_attribute("aria-pressed", "false")


@ON_A_PHONE
async def test_a_wish_goes_into_the_cart(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await page.goto("/wishlist")
    await page.get_by_test_id("wish-to-cart").click()
    await expect(page.get_by_test_id("wish-to-cart")).to_contain_text("Agregado")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect_no_overflow(page)
