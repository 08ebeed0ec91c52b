"""Shipping prices before the checkout. The municipality is chosen once: in an estimate, or in the checkout."""

from playwright.async_api import Page, expect

from tests.e2e.scenes import visit
from tests.e2e.shopper import LETICIA, field, open_checkout, open_estimate, pick_town, put_in_cart
from tests.e2e.test_every_page import RECORD_SHIFTS

TOTAL_SHIFT = "window.shifts.reduce((sum, one) => sum + one, 0)"
MEDELLIN = "Medellín, Antioquia"


async def test_chosen_municipality_applies_on_every_page(page: Page) -> None:
    await page.add_init_script(RECORD_SHIFTS)
    await visit(page, "/product/trompo-de-madera")
    box = page.get_by_test_id("shipping-estimate")
    line = box.locator("summary")
    await expect(line).to_contain_text("¿Cuánto cuesta el envío?")
    promise = box.locator(".estimate__promise")
    assert await promise.evaluate("(one) => parseFloat(getComputedStyle(one).minHeight) || 0") == 0
    await expect(box.get_by_role("combobox", name="Municipio")).to_be_hidden()
    await open_estimate(page)
    await expect(box).to_contain_text("Elige tu municipio y aquí verás el precio y el día de llegada.")
    town = box.get_by_role("combobox", name="Municipio")
    await town.press_sequentially("medel")
    current = box.locator(".town__panel:not([data-stale])")  # a later answer would remove the selection
    await expect(current.get_by_test_id("town-option").first).to_contain_text("Medellín")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(town).to_have_value(MEDELLIN)
    options = box.get_by_test_id("estimate-way")
    await expect(options).to_have_count(2)
    await expect(options.first).to_contain_text("llega a más tardar el")
    await expect(options.first).to_contain_text("$")
    await expect(options.last).to_contain_text("Recoger en la tienda")
    await town.fill("no es un municipio")
    await page.get_by_role("heading", level=1).click()
    await expect(town).to_have_value(MEDELLIN)
    await put_in_cart(page, "trompo-de-madera")
    await visit(page, "/cart")
    assert await promise.evaluate("(one) => parseFloat(getComputedStyle(one).minHeight)") > 30
    await expect(line).to_contain_text("Envío a Medellín")
    await expect(line).to_contain_text("$")
    await expect(line).to_contain_text("llega a más tardar el")
    await expect(options.first).to_be_hidden()
    assert await page.evaluate(TOTAL_SHIFT) < 0.01
    await open_checkout(page)
    await expect(field(page, "town")).to_have_value(MEDELLIN)
    await expect(page.get_by_test_id("shipping-option").first).to_contain_text("$")
    await pick_town(page, LETICIA)
    await visit(page, "/product/trompo-de-madera")
    await expect(line).to_contain_text("Envío a Leticia")
    await expect(line).to_contain_text("$")
    assert await page.evaluate(TOTAL_SHIFT) < 0.01


async def test_estimate_for_another_municipality_does_not_change_a_typed_address(page: Page) -> None:
    await put_in_cart(page, "trompo-de-madera")
    await open_checkout(page)
    await pick_town(page, LETICIA)
    await field(page, "address").fill("Calle 8 # 9-10")
    await expect(page.get_by_test_id("count-address")).to_have_text("14/50")
    await visit(page, "/cart")
    box = await open_estimate(page)
    await expect(box.get_by_role("combobox", name="Municipio")).to_have_value(LETICIA[1])
    await box.get_by_role("combobox", name="Municipio").fill("medel")
    await box.get_by_test_id("town-option").first.click()
    await expect(box.get_by_test_id("estimate-way")).to_have_count(2)
    await open_checkout(page)
    await expect(field(page, "address")).to_have_value("Calle 8 # 9-10")
    await expect(field(page, "town")).to_have_value(LETICIA[1])
