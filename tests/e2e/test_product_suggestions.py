"""Additional products on a page: the recently viewed ones, and suggestions on an empty page. They shift no layout."""

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import PHONE_ONLY, PageWatch
from tests.e2e.shopper import expect_no_overflow
from tests.e2e.test_without import FORBIDDEN_STORAGE

RECORD_SHIFTS = """
    window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries()))
        .observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("storage", ["", FORBIDDEN_STORAGE], ids=["allowed", "forbidden"])
async def test_recently_viewed_products_are_shown_and_can_be_cleared(page_1280: Page, storage: str) -> None:
    page = page_1280
    await page.add_init_script(storage)
    viewed = page.get_by_test_id("viewed")
    await page.goto("/product/trompo-de-madera")
    await expect(page.get_by_test_id("add-to-cart")).to_be_enabled()
    await expect(viewed).to_have_count(0)
    title = page.locator("h1")
    viewed_titles = [await title.inner_text()]
    for _toy in range(2):
        others = page.locator(".section .card__link")
        for name in viewed_titles:
            others = others.filter(has_not_text=name)
        await others.first.click()
        await expect(title).not_to_have_text(viewed_titles[0])
        await expect(viewed.locator("h3")).to_have_text(viewed_titles)
        viewed_titles.insert(0, await title.inner_text())
    await expect_no_overflow(page)
    await page.goto("/")
    if storage:  # without storage, only the pages of one document have a list
        return
    await expect(viewed.locator("h3")).to_have_text(viewed_titles)
    await expect_no_overflow(page)
    await page.get_by_test_id("forget-viewed").click()
    await expect(viewed).to_have_count(0)
    await page.reload()
    await expect(page.get_by_test_id("banner-slide").first).to_be_visible()
    await expect(viewed).to_have_count(0)


@PHONE_ONLY
async def test_first_product_viewed_in_another_tab_is_shown_on_the_open_home_page(page: Page) -> None:
    await page.goto("/")
    await expect(page.get_by_test_id("cart-count")).to_have_text("0")
    other = await page.context.new_page()
    await other.goto("/product/trompo-de-madera")
    await expect(other.get_by_test_id("add-to-cart")).to_be_enabled()
    await expect(page.get_by_test_id("viewed").locator("h3")).to_have_text(["Trompo de madera"])
    await page.get_by_test_id("forget-viewed").click()
    await expect(page.get_by_test_id("viewed")).to_have_count(0)
    await other.goto("/product/yoyo-de-madera")
    await expect(page.get_by_test_id("viewed").locator("h3")).to_have_text(["Yoyo de madera"])


@PHONE_ONLY
@pytest.mark.parametrize(
    ("path", "status"), [("/cart", 200), ("/wishlist", 200), ("/naves", 404), ("/product/nada", 404)]
)
async def test_empty_pages_suggest_products(page: Page, watch: PageWatch, path: str, status: int) -> None:
    watch.expect("404")
    await page.add_init_script(RECORD_SHIFTS)
    answer = await page.goto(path)
    assert answer is not None
    assert answer.status == status
    await expect(page.get_by_test_id("product-card")).to_have_count(4)
    await expect_no_overflow(page)
    assert await page.evaluate("window.shifts.reduce((sum, one) => sum + one.value, 0)") < 0.005
    await page.get_by_test_id("product-card").first.get_by_role("link").click()
    await expect(page.get_by_test_id("add-to-cart")).to_be_visible()
