"""The form that mails the link of a lost order, with scripts and without them."""

from playwright.async_api import Browser, Page, expect

from tests.e2e.chromium import close_within_limit
from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer

SENT = "Si hay un pedido con ese número y ese correo, su enlace ya va en camino a tu correo."


async def test_order_link_is_requested_by_number_and_email(page_320: Page, watch: PageWatch) -> None:
    watch.expect("400")  # the form that was sent empty
    page = page_320
    await page.goto("/")
    footer = page.get_by_role("contentinfo")
    await footer.locator("summary", has_text="La tienda").click()
    await footer.get_by_role("link", name="Encuentra tu pedido").click()
    await expect(page).to_have_url("/order/find")
    await expect(page.locator("h1")).to_have_text("Encuentra tu pedido")
    button = page.get_by_test_id("find-order")
    await button.click()
    await expect(page.get_by_label("Número del pedido")).to_be_focused()
    await expect(page.locator("[aria-invalid=true]")).to_have_count(2)
    await page.get_by_label("Número del pedido").fill("Pedido 77")
    await page.get_by_label("Correo electrónico").fill("nadie@example.com")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text(SENT)).to_be_visible()


async def test_order_link_form_works_without_scripts(browser: Browser, server: ShopServer) -> None:
    width, height = WIDTHS["320"]
    context = await browser.new_context(
        base_url=server.url, viewport={"width": width, "height": height}, java_script_enabled=False
    )
    page = await context.new_page()
    await server.fetch_rendered("/order/find")
    for number, message in (("88", SENT), ("ninguno", "Revisa los datos marcados.")):
        await page.goto("/order/find")
        await page.locator("[name=number]").fill(number)
        await page.locator("[name=email]").fill("nadie@example.com")
        await page.locator("main button[type=submit]").click()
        await expect(page.locator("main [role=status]").first).to_have_text(message)
    await close_within_limit(context)
