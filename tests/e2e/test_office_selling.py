"""A counter sale while the network fails: the screen says so, typed text stays, and the sale is stored once.

The test also checks that a message does not cover the last control of the screen.
"""

from playwright.async_api import Browser, expect
from sqlalchemy import select

from backend.payment.models import PaymentSession
from tests.e2e.conftest import PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, open_database
from tests.e2e.shopper import expect_no_overflow

SKU = "TRO-TRA-001"
COVERED_PIXELS = """() => {
    window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" });
    const controls = [...document.querySelectorAll(".o-main button, .o-main summary, .o-main a")];
    const last = controls.filter((control) => control.checkVisibility()).at(-1).getBoundingClientRect();
    return last.bottom - document.querySelector(".o-toast").getBoundingClientRect().top;
}"""
"""Height of the part of the last control that an announcement covers when the screen is scrolled to its end."""
TYPED = {"reference": "N-2026", "first_name": "Ana", "email": "ana@example.com"}


async def list_references(shop: ShopServer) -> list[str | None]:
    """Return the references of the payments that staff received."""
    async with open_database(shop) as database, database.read() as session:
        query = select(PaymentSession.reference).where(PaymentSession.method.is_not(None))
        return list((await session.execute(query)).scalars())


async def test_sale_without_network_keeps_typed_text_and_is_stored_once(
    private_server: ShopServer, browser: Browser, watch: PageWatch
) -> None:
    shop = private_server
    watch.expect("WebSocket connection")
    watch.expect("ERR_CONNECTION_REFUSED")
    async with build_page_opener(shop, browser, watch)(390, 844) as page:
        await enter_office(page, shop, "/oficina/vender")
        await page.get_by_test_id("sell-search").fill(SKU)
        await page.get_by_test_id("sell-search").press("Enter")
        await expect(page.get_by_test_id("sell-line")).to_have_count(1)
        await page.get_by_text("Dar un descuento").click()
        discount = page.get_by_test_id("sell-discount")
        await discount.get_by_label("Pesos de descuento").fill("1.000")
        await discount.get_by_label("Por qué").fill("Caja abierta")
        await discount.get_by_role("button", name="Poner el descuento").click()
        await page.get_by_test_id("told").hover()  # it stays while the pointer is over it
        assert await page.evaluate(COVERED_PIXELS) <= 0
        form = page.get_by_test_id("sell-payment")
        await form.get_by_text("Datos del cliente").click()
        shop.stop()
        await expect(page.locator(".o-offline")).to_contain_text("Sin conexión")
        await expect(page.locator(".connection")).to_be_hidden()
        await expect_no_overflow(page)
        await form.locator('[name="method"]').select_option("nequi")
        for name, text in TYPED.items():
            await form.locator(f'[name="{name}"]').fill(text)
        for _click in range(2):
            await form.get_by_test_id("save").click()
        for name, text in TYPED.items():
            await expect(form.locator(f'[name="{name}"]')).to_have_value(text)
        await expect(page.get_by_test_id("sell-done")).to_have_count(0)
        shop.start()
        await expect(page.get_by_test_id("sell-done")).to_contain_text("Venta guardada")
        await expect(page.locator(".o-offline")).to_be_hidden()
        await expect(page.get_by_test_id("sell-line")).to_have_count(0)
    assert await list_references(shop) == [TYPED["reference"]]
