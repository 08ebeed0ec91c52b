"""A page that is left open over lunch still knows its shopper: its state is dropped after an hour, here a second."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from backend.core.db.database import Database
from tests.e2e.conftest import ShopServer, Watch
from tests.e2e.held import Slow
from tests.e2e.shopper import PATIENCE, be_ready_to_pay, expect_bank_within_reach, put_in_cart
from tests.e2e.test_live import STAMPED, Toy

LUNCH_MS = 2500
SETTLED_MS = 430
"""A quantity is told a little after the last press."""
FORGETFUL = {"REFLEX_REDIS_TOKEN_EXPIRATION": "1"}


@pytest.fixture(scope="module")
def shop(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    shop = ShopServer(tmp_path_factory.mktemp("shop"), FORGETFUL, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@asynccontextmanager
async def shopper(shop: ShopServer, browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    """A page of somebody new to this shop."""
    context = await browser.new_context(base_url=shop.url, viewport={"width": 320, "height": 640})
    page = await context.new_page()
    watch.over(page)
    yield page
    await context.close()
    assert watch.unexpected() == []


@pytest_asyncio.fixture(loop_scope="session")
async def page(shop: ShopServer, browser: Browser, watch: Watch) -> AsyncIterator[Page]:
    async with shopper(shop, browser, watch) as page:
        yield page


async def buy_before_lunch_and_after(page: Page) -> None:
    """The second toy lies in the cart beside the first."""
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/product/trompo-de-madera")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1", timeout=PATIENCE)
    await page.wait_for_timeout(LUNCH_MS)
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible(timeout=PATIENCE)
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-line")).to_have_count(2, timeout=PATIENCE)


async def test_another_toy_goes_into_the_same_cart(page: Page) -> None:
    await buy_before_lunch_and_after(page)


async def test_another_toy_goes_into_the_same_cart_when_redis_keeps_the_states(
    new_server: Callable[..., ShopServer], redis_url: str, browser: Browser, watch: Watch
) -> None:
    async with shopper(new_server(REDIS_URL=redis_url, **FORGETFUL), browser, watch) as page:
        await buy_before_lunch_and_after(page)


async def test_the_cart_changes_where_it_stands(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 16.900", timeout=PATIENCE)
    await page.wait_for_timeout(LUNCH_MS)
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 33.800", timeout=PATIENCE)


async def test_all_that_is_done_on_a_slow_line_is_done_in_its_order(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await Slow(0.25).stand_before(page)
    await page.goto("/cart")
    line, total = page.get_by_test_id("cart-line"), page.get_by_test_id("cart-total")
    await expect(total).to_have_text("$ 16.900", timeout=PATIENCE)
    await page.wait_for_timeout(LUNCH_MS)
    for quantity in ("2", "3", "4"):  # the second is told before the first has come back
        await line.get_by_role("button", name="Agregar una unidad").click()
        await expect(line.get_by_test_id("quantity")).to_have_value(quantity)
        await page.wait_for_timeout(SETTLED_MS)
    await expect(total).to_have_text("$ 67.600", timeout=PATIENCE)
    await page.reload()
    await expect(total).to_have_text("$ 67.600", timeout=PATIENCE)


async def test_the_purchase_goes_on(page: Page) -> None:
    await be_ready_to_pay(page, "yoyo-de-madera")
    await page.wait_for_timeout(LUNCH_MS)
    await page.get_by_test_id("place-order").click()
    await expect_bank_within_reach(page)


async def test_it_follows_what_changes_all_the_same(shop: ShopServer, page: Page) -> None:
    books = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    toy = Toy(books, "telar-de-mesa")
    await page.goto(toy.page)
    label = page.locator(".product .price__now")
    await expect(label).to_be_visible(timeout=PATIENCE)
    await page.evaluate("window.isTheSamePage = true")
    await page.wait_for_timeout(LUNCH_MS)
    await toy.cost(41_000)
    await expect(label).to_have_text("$ 41.000", timeout=PATIENCE)
    assert await page.evaluate(STAMPED)
    await books.close()
