"""A page that was left open works after the server has dropped its state: after an hour, here after a second."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from backend.core.db.database import Database
from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.held import SlowConnection
from tests.e2e.shopper import expect_bank_or_link, prepare_payment, put_in_cart
from tests.e2e.test_live import IS_SAME_PAGE, LiveProduct

IDLE_MS = 2500
QUANTITY_DELAY_MS = 430
"""A new quantity is sent this long after the final click."""
SHORT_STATE_LIFETIME = {"REFLEX_REDIS_TOKEN_EXPIRATION": "1"}


@pytest.fixture(scope="module")
def shop(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """Start a shop that drops the state of an idle page after a second."""
    shop = ShopServer(tmp_path_factory.mktemp("shop"), SHORT_STATE_LIFETIME, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@asynccontextmanager
async def open_shopper_page(shop: ShopServer, browser: Browser, watch: PageWatch) -> AsyncIterator[Page]:
    """Open a page of a new visitor of this shop."""
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        yield page


@pytest_asyncio.fixture(loop_scope="session")
async def page(shop: ShopServer, browser: Browser, watch: PageWatch) -> AsyncIterator[Page]:
    """Open a page of this shop on the smallest phone."""
    async with open_shopper_page(shop, browser, watch) as page:
        yield page


async def add_before_and_after_idling(page: Page) -> None:
    """Add a product, wait until the state is dropped, and add another: the cart must have both."""
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/product/trompo-de-madera")
    await expect(page.get_by_test_id("cart-count")).to_have_text("1")
    await page.wait_for_timeout(IDLE_MS)
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-line")).to_have_count(2)


async def test_product_is_added_to_the_same_cart_after_a_pause(page: Page) -> None:
    await add_before_and_after_idling(page)


async def test_product_is_added_to_the_same_cart_after_a_pause_with_redis(
    new_server: Callable[..., ShopServer], redis_url: str, browser: Browser, watch: PageWatch
) -> None:
    async with open_shopper_page(
        new_server(REDIS_URL=redis_url, **SHORT_STATE_LIFETIME), browser, watch
    ) as page:
        await add_before_and_after_idling(page)


async def test_quantity_changes_after_a_long_pause(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await page.goto("/cart")
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 16.900")
    await page.wait_for_timeout(IDLE_MS)
    await page.get_by_test_id("cart-line").get_by_role("button", name="Agregar una unidad").click()
    await expect(page.get_by_test_id("cart-total")).to_have_text("$ 33.800")


async def test_actions_on_a_slow_connection_are_done_in_the_sequence_of_clicks(page: Page) -> None:
    await put_in_cart(page, "yoyo-de-madera")
    await SlowConnection(0.25).intercept(page)
    await page.goto("/cart")
    line, total = page.get_by_test_id("cart-line"), page.get_by_test_id("cart-total")
    await expect(total).to_have_text("$ 16.900")
    await page.wait_for_timeout(IDLE_MS)
    for quantity in ("2", "3", "4"):  # the second is sent before the first is answered
        await line.get_by_role("button", name="Agregar una unidad").click()
        await expect(line.get_by_test_id("quantity")).to_have_value(quantity)
        await page.wait_for_timeout(QUANTITY_DELAY_MS)
    await expect(total).to_have_text("$ 67.600")
    await page.reload()
    await expect(total).to_have_text("$ 67.600")


async def test_purchase_continues_after_a_long_pause(page: Page) -> None:
    await prepare_payment(page, "yoyo-de-madera")
    await page.wait_for_timeout(IDLE_MS)
    await page.get_by_test_id("place-order").click()
    await expect_bank_or_link(page)


async def test_page_shows_product_changes_after_a_long_pause(shop: ShopServer, page: Page) -> None:
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    product = LiveProduct(database, "telar-de-mesa")
    await page.goto(product.page)
    label = page.locator(".product .price__now")
    await expect(label).to_be_visible()
    await page.evaluate("window.isTheSamePage = true")
    await page.wait_for_timeout(IDLE_MS)
    await product.set_price(41_000)
    await expect(label).to_have_text("$ 41.000")
    assert await page.evaluate(IS_SAME_PAGE)
    await database.close()
