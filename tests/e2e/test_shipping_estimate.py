"""Shipping is priced before the checkout: on the product's page, and on the cart's with the municipality kept."""

from playwright.async_api import Page, expect

from tests.e2e.scenes import visit
from tests.e2e.shopper import PATIENCE, put_in_cart
from tests.e2e.test_every_page import SHIFTS

SHIFTED = "window.shifts.reduce((sum, one) => sum + one, 0)"


async def test_the_municipality_is_chosen_once_and_priced_on_every_page(page: Page) -> None:
    await page.add_init_script(SHIFTS)
    await visit(page, "/product/trompo-de-madera")
    box = page.get_by_test_id("shipping-estimate")
    await expect(box).to_contain_text("Elige tu municipio y aquí verás el precio y el día de llegada.")
    field = box.get_by_role("combobox", name="Municipio")
    await field.press_sequentially("medel")
    await expect(box.get_by_test_id("town-option").first).to_contain_text("Medellín", timeout=PATIENCE)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(field).to_have_value("Medellín, Antioquia")
    ways = box.get_by_test_id("estimate-way")
    await expect(ways).to_have_count(2, timeout=PATIENCE)
    await expect(ways.first).to_contain_text("Llega hacia el")
    await expect(ways.first).to_contain_text("$")
    await expect(ways.last).to_contain_text("Recoger en la tienda")
    await field.fill("no es un municipio")
    await page.get_by_role("heading", level=1).click()
    await expect(field).to_have_value("Medellín, Antioquia")
    await put_in_cart(page, "trompo-de-madera")
    await visit(page, "/cart")
    await expect(ways).to_have_count(2, timeout=PATIENCE)
    await expect(field).to_have_value("Medellín, Antioquia")
    await visit(page, "/product/trompo-de-madera")
    await expect(ways).to_have_count(2, timeout=PATIENCE)
    assert await page.evaluate(SHIFTED) < 0.01
