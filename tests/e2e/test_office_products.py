"""Productos in the browser, on a phone: a price, units, and several products at once."""

import re
from collections.abc import Callable

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office

PHONE = (390, 844)
SCREEN = "/oficina/productos"


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return a shop that only these tests use, because they change its products."""
    return private_server


async def expect_message(page: Page, text: str) -> None:
    """Check that the screen shows this message."""
    await expect(page.get_by_test_id("told")).to_have_text(re.compile(text))


async def test_price_and_units_are_changed_in_the_list(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*PHONE) as page:
        await enter_office(page, server, f"{SCREEN}?q=trompo")
        row = page.get_by_test_id("product-row").first
        await row.get_by_text("Cambiar el precio").locator("..").click()
        await row.get_by_label("Precio", exact=True).fill("$ 1.770")
        await row.get_by_role("button", name="Guardar el precio").click()
        await expect_message(page, "Ahora cuesta")
        await page.get_by_test_id("undo").focus()  # the message stays while it has the focus
        await expect(row.get_by_text("$ 1.770").first).to_be_visible()
        await page.get_by_test_id("undo").click()
        await expect(row.get_by_text("$ 1.770")).to_have_count(0)
        await row.get_by_text("Cambiar las unidades").locator("..").click()
        units = row.get_by_label("Hay (12), llegaron (+3) o salieron (-2)")
        before = int(await units.input_value())
        await units.fill("+3")
        await row.get_by_role("button", name="Guardar las unidades").click()
        await expect_message(page, f"Ahora hay {before + 3}")


async def test_price_changed_by_another_staff_member_is_shown(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(1280, 800) as viewer, open_page(*PHONE) as editor:
        for page in (viewer, editor):
            await enter_office(page, server, f"{SCREEN}?q=volqueta")
        await viewer.evaluate("window.isTheSamePage = true")
        row = editor.get_by_test_id("product-row").first
        await row.get_by_text("Cambiar el precio").locator("..").click()
        await row.get_by_label("Precio", exact=True).fill("$ 1.880")
        await row.get_by_role("button", name="Guardar el precio").click()
        await expect_message(editor, "Ahora cuesta")
        await editor.get_by_test_id("undo").focus()
        displayed_price = viewer.get_by_test_id("product-row").first.get_by_text("$ 1.880")
        await expect(displayed_price.first).to_be_visible()
        await editor.get_by_test_id("undo").click()
        await expect(displayed_price).to_have_count(0)
        assert await viewer.evaluate("window.isTheSamePage")


async def test_several_products_are_put_on_sale_and_restored(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(
        ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1]
    )  # no other test has changed its prices
    async with build_page_opener(shop, browser, watch)(*PHONE) as page:
        await enter_office(page, shop, f"{SCREEN}?q=mad")
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
        await expect(page.get_by_test_id("bulk-apply")).to_have_text(f"Cambiar {count} productos")
        await page.get_by_test_id("bulk-apply").click()
        await expect(halved).to_have_count(count)
        change = page.get_by_test_id("bulk-change").first
        await expect(change).to_contain_text(f"cambiados: {count}")
        # the pointer is over the message, so the message stays there and covers the button
        await page.get_by_test_id("told").get_by_role("button", name="Cerrar").click()
        await change.get_by_test_id("bulk-undo").click()
        await expect(change).to_contain_text(f"deshechos: {count}")
        await expect(halved).to_have_count(0)
