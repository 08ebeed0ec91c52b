"""A product is asked about by WhatsApp and shared; a shop without a number shows no WhatsApp."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import WIDTHS, ShopServer, Watch, pages_of
from tests.e2e.shopper import PATIENCE, open_checkout, put_in_cart

TOY = "/product/trompo-de-madera"
SHARED = """
    window.shared = [];
    Object.defineProperty(navigator, "share", {value: async (what) => { window.shared.push(what); }});
"""
NO_SHEET = """
    window.written = [];
    Object.defineProperty(navigator, "share", {value: undefined});
    Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { window.written.push(text); }}});
"""


async def test_the_systems_sheet_gets_the_pages_address(page_320: Page, server: ShopServer) -> None:
    await page_320.add_init_script(SHARED)
    await page_320.goto(f"{TOY}?utm_source=x")
    await page_320.get_by_test_id("share").click()
    assert await page_320.evaluate("window.shared") == [
        {"title": "Trompo de madera", "url": f"{server.url}{TOY}"}
    ]
    await expect(page_320.get_by_test_id("share")).to_have_text("Compartir")


async def test_where_there_is_no_sheet_the_address_is_copied(page_1280: Page, server: ShopServer) -> None:
    await page_1280.add_init_script(NO_SHEET)
    await page_1280.goto(TOY)
    await page_1280.get_by_test_id("share").click()
    await expect(page_1280.get_by_test_id("share")).to_have_text("Enlace copiado")
    assert await page_1280.evaluate("window.written") == [f"{server.url}{TOY}"]
    await expect(page_1280.get_by_test_id("whatsapp")).to_have_count(0)  # the demo has no number


async def test_questions_go_to_whatsapp_with_the_pages_address(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server(STORE_WHATSAPP="300 123 4567")
    async with pages_of(shop, browser, watch)(*WIDTHS["320"]) as page:
        await page.goto(TOY)
        assert await asked(page) == (
            "/573001234567",
            f"Hola, tengo una pregunta sobre Trompo de madera: {shop.url}{TOY}",
        )
        await put_in_cart(page, "trompo-de-madera")
        await open_checkout(page)
        assert await asked(page) == (
            "/573001234567",
            f"Hola, tengo una pregunta sobre mi compra: {shop.url}/checkout",
        )


async def asked(page: Page) -> tuple[str, str]:
    """Whom the page's WhatsApp link writes to, and what."""
    link = page.get_by_test_id("whatsapp")
    await expect(link).to_be_visible(timeout=PATIENCE)
    url = urlsplit(await link.get_attribute("href") or "")
    assert url.netloc == "wa.me"
    return url.path, parse_qs(url.query)["text"][0]
