"""Shipping prices before the checkout: on the product's page, and on the cart's with the municipality remembered."""

from playwright.async_api import Page, expect

from tests.e2e.scenes import visit
from tests.e2e.shopper import put_in_cart
from tests.e2e.test_every_page import RECORD_SHIFTS

TOTAL_SHIFT = "window.shifts.reduce((sum, one) => sum + one, 0)"


async def test_municipality_is_chosen_once_for_every_page(page: Page) -> None:
    await page.add_init_script(RECORD_SHIFTS)
    await visit(page, "/product/trompo-de-madera")
    box = page.get_by_test_id("shipping-estimate")
    await expect(box).to_contain_text("Elige tu municipio y aquí verás el precio y el día de llegada.")
    field = box.get_by_role("combobox", name="Municipio")
    await field.press_sequentially("medel")
    await expect(box.get_by_test_id("town-option").first).to_contain_text("Medellín")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(field).to_have_value("Medellín, Antioquia")
    options = box.get_by_test_id("estimate-way")
    await expect(options).to_have_count(2)
    await expect(options.first).to_contain_text("Llega hacia el")
    await expect(options.first).to_contain_text("$")
    await expect(options.last).to_contain_text("Recoger en la tienda")
    await field.fill("no es un municipio")
    await page.get_by_role("heading", level=1).click()
    await expect(field).to_have_value("Medellín, Antioquia")
    await put_in_cart(page, "trompo-de-madera")
    await visit(page, "/cart")
    await expect(options).to_have_count(2)
    await expect(field).to_have_value("Medellín, Antioquia")
    await visit(page, "/product/trompo-de-madera")
    await expect(options).to_have_count(2)
    assert await page.evaluate(TOTAL_SHIFT) < 0.01
