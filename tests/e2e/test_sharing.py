"""Questions by WhatsApp and sharing of a product; a shop without a number shows no WhatsApp link."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import open_checkout, put_in_cart

PRODUCT_PATH = "/product/trompo-de-madera"
RECORD_SHARED = """
    window.shared = [];
    Object.defineProperty(navigator, "share", {value: async (what) => { window.shared.push(what); }});
"""
NO_SHARE_DIALOG = """
    window.written = [];
    Object.defineProperty(navigator, "share", {value: undefined});
    Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { window.written.push(text); }}});
"""


async def test_share_dialog_gets_the_page_address(page_320: Page, server: ShopServer) -> None:
    await page_320.add_init_script(RECORD_SHARED)
    await page_320.goto(f"{PRODUCT_PATH}?utm_source=x")
    await page_320.get_by_test_id("share").click()
    assert await page_320.evaluate("window.shared") == [
        {"title": "Trompo de madera", "url": f"{server.url}{PRODUCT_PATH}"}
    ]
    await expect(page_320.get_by_test_id("share")).to_have_text("Compartir")


async def test_page_address_is_copied_if_there_is_no_share_dialog(
    page_1280: Page, server: ShopServer
) -> None:
    await page_1280.add_init_script(NO_SHARE_DIALOG)
    await page_1280.goto(PRODUCT_PATH)
    await page_1280.get_by_test_id("share").click()
    await expect(page_1280.get_by_test_id("share")).to_have_text("Enlace copiado")
    assert await page_1280.evaluate("window.written") == [f"{server.url}{PRODUCT_PATH}"]
    await expect(page_1280.get_by_test_id("whatsapp")).to_have_count(0)  # the demo has no number


async def test_whatsapp_question_contains_the_page_address(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(STORE_WHATSAPP="300 123 4567")
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        await page.goto(PRODUCT_PATH)
        assert await read_whatsapp_link(page) == (
            "/573001234567",
            f"Hola, tengo una pregunta sobre Trompo de madera: {shop.url}{PRODUCT_PATH}",
        )
        await put_in_cart(page, "trompo-de-madera")
        await open_checkout(page)
        assert await read_whatsapp_link(page) == (
            "/573001234567",
            f"Hola, tengo una pregunta sobre mi compra: {shop.url}/checkout",
        )


async def read_whatsapp_link(page: Page) -> tuple[str, str]:
    """Return the recipient and the text of the page's WhatsApp link."""
    link = page.get_by_test_id("whatsapp")
    await expect(link).to_be_visible()
    url = urlsplit(await link.get_attribute("href") or "")
    assert url.netloc == "wa.me"
    return url.path, parse_qs(url.query)["text"][0]
