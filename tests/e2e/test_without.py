"""A browser without storage, and one that has lost its network."""

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import PageWatch
from tests.e2e.shopper import wait_until_hydrated

FORBIDDEN_STORAGE = """
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, {
        configurable: true,
        get() { throw new DOMException("The operation is insecure.", "SecurityError"); },
    });
"""
FULL_STORAGE = """
    Storage.prototype.setItem = () => { throw new DOMException("It is full.", "QuotaExceededError"); };
"""


@pytest.mark.parametrize("storage", [FORBIDDEN_STORAGE, FULL_STORAGE], ids=["forbidden", "full"])
async def test_shop_works_without_browser_storage(page_1280: Page, storage: str) -> None:
    page = page_1280
    await page.add_init_script(storage)
    await page.goto("/product/trompo-de-madera")
    await page.get_by_test_id("wishlist-toggle").first.click()
    await expect(page.get_by_test_id("wishlist-count")).to_have_text("1")
    await page.get_by_test_id("add-to-cart").click()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.get_by_role("link", name="Favoritos").first.click()
    await expect(page.get_by_test_id("product-card")).to_have_count(1)


async def test_action_clicked_while_offline_is_done_once_afterwards(page_320: Page, watch: PageWatch) -> None:
    watch.expect("ERR_INTERNET_DISCONNECTED")
    page = page_320
    await page.goto("/product/trompo-de-madera")
    await wait_until_hydrated(page)
    await page.wait_for_load_state("networkidle")
    await page.context.set_offline(True)
    await expect(page.locator(".connection")).to_be_visible()
    await page.get_by_role("link", name="Favoritos").first.click()
    await expect(page.get_by_test_id("lost-press")).to_be_visible()
    await page.get_by_test_id("add-to-cart").click()
    await page.context.set_offline(False)
    await expect(page.locator(".connection")).to_be_hidden()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await page.reload()
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await expect(page.locator("h1")).to_have_text("Trompo de madera")
