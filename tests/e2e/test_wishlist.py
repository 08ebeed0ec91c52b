"""The wishlist is stored in the browser, across reloads and tabs (spec: Storefront view rules 7)."""

import sqlite3
from contextlib import closing

from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, OpenPage, ShopServer
from tests.e2e.shopper import TIMEOUT_MS, expect_no_overflow
from tests.e2e.test_presses import RECORD_STEPS

PRODUCT = "trompo-de-madera"


@PHONE_ONLY
async def test_wish_is_kept_after_a_reload(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    heart = page.get_by_test_id("wishlist-toggle").first
    await expect(heart).to_have_attribute("aria-pressed", "false")
    await heart.click()
    await expect(heart).to_have_attribute("aria-pressed", "true")
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await page.reload()
    await expect(heart).to_have_attribute("aria-pressed", "true")
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")


async def test_wishlist_page_shows_and_removes_saved_products(page: Page) -> None:
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    for position in (0, 1):
        await cards.nth(position).get_by_test_id("wishlist-toggle").click()
    titles = [await cards.nth(position).locator("h3").inner_text() for position in (1, 0)]
    await page.goto("/wishlist")
    await expect(cards.locator("h3")).to_have_text(titles)  # the latest first
    await cards.first.get_by_test_id("wishlist-toggle").click()
    await expect(cards.locator("h3")).to_have_text(titles[1:])
    await cards.first.get_by_test_id("wishlist-toggle").click()
    await expect(page.get_by_role("heading", name="Todavía no guardas nada")).to_be_visible()
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("0")


async def test_removing_wishes_by_keyboard_keeps_the_position(page: Page) -> None:
    await page.goto("/catalog")
    cards = page.get_by_test_id("product-card")
    for position in (0, 1):
        await cards.nth(position).get_by_test_id("wishlist-toggle").click()
    await page.goto("/wishlist")
    hearts = cards.get_by_test_id("wishlist-toggle")
    await expect(hearts).to_have_count(2)
    await hearts.first.press("Enter")
    await expect(hearts).to_have_count(1)
    await expect(hearts).to_be_focused()
    await hearts.press("Enter")
    await expect(page.get_by_role("heading", name="Tus favoritos")).to_be_focused()


async def test_another_tab_shows_the_wish_immediately(page_1280: Page) -> None:
    await page_1280.goto("/product/trompo-de-madera")
    other = await page_1280.context.new_page()
    await other.goto("/wishlist")
    await page_1280.get_by_test_id("wishlist-toggle").first.click()
    await expect(other.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect(other.get_by_test_id("product-card")).to_contain_text("Trompo de madera")


async def test_invalid_stored_wishlist_is_ignored(page_1280: Page) -> None:
    await page_1280.goto("/")
    await page_1280.evaluate("localStorage.setItem('trompo_wishlist', '{\"no\": [1, \"list\"')")
    await page_1280.goto("/wishlist")
    await expect(page_1280.get_by_role("heading", name="Todavía no guardas nada")).to_be_visible()
    await page_1280.goto("/product/trompo-de-madera")
    await page_1280.get_by_test_id("wishlist-toggle").first.click()
    await expect(page_1280.get_by_test_id("wishlist-count")).to_have_text("1")


@PHONE_ONLY
async def test_wishlist_reports_and_removes_discontinued_products(page: Page) -> None:
    await page.goto("/")
    await page.evaluate("""localStorage.trompo_wishlist = '["no-hay", "trompo-de-madera", "constructor"]'""")
    await page.goto("/wishlist")
    unavailable = page.get_by_test_id("wishes-gone")
    await expect(unavailable).to_contain_text("2 de tus favoritos ya no se venden.")
    await expect(page.get_by_test_id("product-card")).to_have_count(1)
    await expect_no_overflow(page)
    await page.get_by_test_id("drop-gone").press("Enter")
    await expect(unavailable).to_have_count(0)
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await expect(page.get_by_test_id("product-card").get_by_test_id("wishlist-toggle")).to_be_focused()


async def test_wishlist_of_discontinued_products_is_not_blank(page_1280: Page) -> None:
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


async def test_renamed_product_stays_in_the_wishlist(page_1280: Page, server: ShopServer) -> None:
    connection = sqlite3.connect(server.folder / "data" / "trompo.db", timeout=TIMEOUT_MS / 1000)
    with closing(connection), connection:
        added = "INSERT INTO former_handle (handle, product_id, created_at, updated_at)"
        connection.execute(
            f"{added} SELECT 'peonza', id, created_at, updated_at FROM product WHERE handle = ?", [PRODUCT]
        )
    await page_1280.goto("/")
    await page_1280.evaluate("localStorage.trompo_wishlist = '[\"peonza\"]'")
    await page_1280.goto("/wishlist")
    await expect(page_1280.get_by_test_id("product-card")).to_contain_text("Trompo de madera")
    assert await page_1280.evaluate("localStorage.trompo_wishlist") == f'["{PRODUCT}"]'


async def test_each_browser_has_its_own_wishlist(open_page: OpenPage) -> None:
    async with open_page(1280, 800) as first, open_page(1280, 800) as other:
        await first.goto("/product/trompo-de-madera")
        await first.get_by_test_id("wishlist-toggle").first.click()
        await expect(first.get_by_test_id("wishlist-count")).to_have_text("1")
        await other.goto("/product/trompo-de-madera")
        await expect(other.get_by_test_id("wishlist-toggle").first).to_have_attribute("aria-pressed", "false")


@PHONE_ONLY
async def test_wish_is_added_to_the_cart(page: Page) -> None:
    await page.goto("/product/trompo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await page.goto("/wishlist")
    button = page.get_by_test_id("wish-to-cart")
    await button.evaluate(RECORD_STEPS)
    await button.click()
    await page.wait_for_function("() => window.steps.includes('added')")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect_no_overflow(page)
