"""Take the pictures of the office for docs/screenshots/office, on a phone: `python -m tools.office_screenshots`.

It starts a temporary shop with the demo products, orders products, reviews and returns them, and leaves only the
pictures behind.
"""

import asyncio
import tempfile
from pathlib import Path

from playwright.async_api import Page, ViewportSize, async_playwright, expect

from tests.e2e.conftest import OWNER_SETTINGS, ShopServer
from tests.e2e.office_steps import enter_office, place_paid_order, visit
from tests.e2e.test_returns import request_return
from tests.e2e.test_reviews import deliver_order
from tools.browser import launch
from tools.screenshots import FOLDER, picture_window, save_picture

OFFICE_FOLDER = FOLDER / "office"
PHONE = ViewportSize(width=390, height=844)
REVIEW = "Salió tal cual la foto, y mi hija no lo suelta."


async def _picture(page: Page, name: str, path: str = "") -> None:
    """Save a picture of the window. With a path, open that screen first."""
    if path:
        await visit(page, path)
    save_picture(await picture_window(page), OFFICE_FOLDER / f"{name}-390.webp")
    print(f"{name} in the office", flush=True)


async def _picture_orders(page: Page, shop: ShopServer) -> None:
    first, *_others = [await place_paid_order(shop, units) for units in (2, 1, 3)]
    await _picture(page, "pedidos", "/oficina/pedidos")
    await _picture(page, "empacar", f"/oficina/empacar?pedido={first.id}")
    for line in await page.get_by_test_id("pack-line").all():
        await line.click()
    await page.get_by_test_id("pack-label").click()
    await expect(page.get_by_test_id("pack-done")).to_be_visible()
    await _picture(page, "empacado")
    await _picture(page, "pedido", f"/oficina/pedidos/{first.id}")
    await _picture(page, "facturas", "/oficina/facturas")


async def _picture_products(page: Page) -> None:
    await visit(page, "/oficina/productos?q=trompo")
    row = page.get_by_test_id("product-row").first
    await row.get_by_text("Cambiar el precio").locator("..").click()
    await _picture(page, "productos")
    await row.get_by_role("link").first.click()
    await expect(page.get_by_test_id("product-state")).to_be_visible()
    await _picture(page, "juguete")
    await visit(page, "/oficina/bodega?q=trompo")
    await page.get_by_test_id("stock-row").first.locator("summary").first.click()
    await expect(page.get_by_label("Contaste").first).to_be_visible()
    await _picture(page, "bodega")
    await visit(page, "/oficina/bodega")
    await page.get_by_test_id("stock-receive").click()
    await _picture(page, "recibir")
    await _picture(page, "importar", "/oficina/importar")
    await _picture(page, "contenido", "/oficina/contenido")


async def _picture_review(page: Page, shop: ShopServer) -> None:
    delivered = await deliver_order(shop)
    await page.goto(delivered.review_link)
    await page.get_by_role("radio", name="4 ★").check(force=True)
    await page.get_by_label("Cuéntales a otras familias").fill(REVIEW)
    await page.get_by_role("checkbox").check()
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    await _picture(page, "resena")
    await page.get_by_test_id("review-send").click()
    await expect(page.get_by_test_id("review-said")).to_contain_text("Gracias")
    await visit(page, "/oficina/resenas")
    await page.get_by_test_id("review-row").first.locator("summary").click()
    await _picture(page, "resenas")


async def _picture_return(page: Page, shop: ShopServer) -> None:
    order = await place_paid_order(shop)
    await page.goto(order.page)
    await request_return(page, "not_sent")
    await visit(page, "/oficina/devoluciones")
    row = page.get_by_test_id("return-row").filter(has_text=f"Pedido {order.number}")
    await row.get_by_role("link").click()
    await expect(page.get_by_test_id("return-state")).to_be_visible()
    await _picture(page, "devolucion")


async def _take_pictures(shop: ShopServer) -> None:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        context = await browser.new_context(
            base_url=shop.url, viewport=PHONE, locale="es-CO", reduced_motion="reduce"
        )
        page = await context.new_page()
        await enter_office(page, shop)
        await _picture_orders(page, shop)
        await _picture_products(page)
        await _picture_review(page, shop)
        await _picture_return(page, shop)
        await browser.close()


def main() -> None:
    """Take the pictures of the office in a temporary shop."""
    OFFICE_FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), OWNER_SETTINGS)
        shop.start()
        try:
            asyncio.run(_take_pictures(shop))
        finally:
            shop.stop()


if __name__ == "__main__":
    main()
