"""Productos at the browser, on a telephone: a price, units, and several products at once."""

import re
from collections.abc import Callable

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import STAFF, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter
from tests.e2e.shopper import PATIENCE

TELEPHONE = (390, 844)
SCREEN = "/oficina/productos"


async def told(page: Page, text: str) -> None:
    """The screen says what came of it."""
    await expect(page.get_by_test_id("told")).to_have_text(re.compile(text), timeout=PATIENCE)


async def test_a_price_and_units_are_changed_where_they_stand(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(*TELEPHONE) as page:
        await enter(page, server, f"{SCREEN}?q=trompo")
        row = page.get_by_test_id("product-row").first
        await row.get_by_text("Cambiar el precio").locator("..").click()
        await row.get_by_label("Precio", exact=True).fill("$ 1.770")
        await row.get_by_role("button", name="Guardar el precio").click()
        await told(page, "Ahora cuesta")
        await expect(row.get_by_text("$ 1.770").first).to_be_visible()
        await page.get_by_test_id("undo").click()
        await expect(row.get_by_text("$ 1.770")).to_have_count(0, timeout=PATIENCE)
        await row.get_by_text("Cambiar las unidades").locator("..").click()
        units = row.get_by_label("Hay (12), llegaron (+3) o salieron (-2)")
        before = int(await units.input_value())
        await units.fill("+3")
        await row.get_by_role("button", name="Guardar las unidades").click()
        await told(page, f"Ahora hay {before + 3}")


async def test_a_price_that_others_change_is_shown_in_the_open_list(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(1280, 800) as watching, open_page(*TELEPHONE) as changing:
        for page in (watching, changing):
            await enter(page, server, f"{SCREEN}?q=volqueta")
        await watching.evaluate("window.isTheSamePage = true")
        row = changing.get_by_test_id("product-row").first
        await row.get_by_text("Cambiar el precio").locator("..").click()
        await row.get_by_label("Precio", exact=True).fill("$ 1.880")
        await row.get_by_role("button", name="Guardar el precio").click()
        await told(changing, "Ahora cuesta")
        seen = watching.get_by_test_id("product-row").first.get_by_text("$ 1.880")
        await expect(seen.first).to_be_visible(timeout=PATIENCE)
        await changing.get_by_test_id("undo").click()
        await expect(seen).to_have_count(0, timeout=PATIENCE)
        assert await watching.evaluate("window.isTheSamePage")


async def test_several_are_put_on_sale_and_back(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])  # whose prices no other test has changed
    async with pages_of(shop, browser, watch)(*TELEPHONE) as page:
        await enter(page, shop, f"{SCREEN}?q=mad")
        rows = page.get_by_test_id("product-row")
        halved = rows.get_by_text(re.compile("^−(49|50) %$"))
        count = await rows.count()
        assert count > 2
        await page.locator("[data-chooses]").first.check()
        await page.get_by_role("button", name="Más cambios…").click()
        await page.get_by_role("button", name="Todos los del filtro").click()
        await page.get_by_label("Qué cambiar").select_option("sale")
        await page.get_by_label("Porcentaje").fill("50")
        await page.get_by_role("button", name="Ver qué va a cambiar").click()
        await expect(page.get_by_test_id("bulk-apply")).to_have_text(
            f"Cambiar {count} juguetes", timeout=PATIENCE
        )
        await page.get_by_test_id("bulk-apply").click()
        await expect(halved).to_have_count(count, timeout=PATIENCE)
        change = page.get_by_test_id("bulk-change").first
        await expect(change).to_contain_text(f"cambiados: {count}", timeout=PATIENCE)
        # the pointer is where the message came up, which holds it there, above the button
        await page.get_by_test_id("told").get_by_role("button", name="Cerrar").click()
        await change.get_by_test_id("bulk-undo").click()
        await expect(change).to_contain_text(f"deshechos: {count}", timeout=PATIENCE)
        await expect(halved).to_have_count(0, timeout=PATIENCE)
