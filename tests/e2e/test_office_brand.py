"""Marca in the browser: a logo and colours are previewed while they are chosen, and an open page shows them at once."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office
from tests.e2e.shopper import expect_no_overflow
from tests.e2e.test_every_page import axe, check_screen
from tests.e2e.test_office import check_at_widths

__all__ = ["axe"]

BLUE, DARK_BLUE = "rgb(11, 61, 145)", "#0b3d91"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100">'
    '<rect width="300" height="100" rx="20" fill="#0b3d91"/><circle cx="50" cy="50" r="30" fill="#fff"/></svg>'
)


async def choose_color(page: Page, label: str, color: str) -> None:
    await page.get_by_role("textbox", name=label, exact=True).fill(color)


async def test_logo_and_colors_are_on_an_open_page_until_they_are_undone(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str, tmp_path: Path
) -> None:
    shop = new_server(
        ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1], STORE_NAME="Librería Macondo"
    )
    (tmp_path / "logo.svg").write_text(SVG)
    open_shop_page = build_page_opener(shop, browser, watch)
    async with open_shop_page(390, 844) as page, open_shop_page(320, 640) as shopper:
        await shopper.goto("/")
        logo = shopper.get_by_test_id("brand-logo")
        await expect(logo).to_have_text("Librería Macondo")
        await expect(logo.locator("img")).to_have_count(0)
        await shopper.evaluate("window.isTheSamePage = true")
        await enter_office(page, shop, "/oficina/marca")
        await page.get_by_test_id("brand-logo").set_input_files(tmp_path / "logo.svg")
        preview = page.locator(".o-look--preview")
        await expect(preview.locator(".logo__picture")).to_be_visible()
        await choose_color(page, "Color principal", "#9ec5ff")
        await expect(page.get_by_text("No se lee bien")).to_be_visible()
        await page.get_by_test_id("brand-primary-use").click()
        await expect(page.get_by_text("No se lee bien")).to_have_count(0)
        await choose_color(page, "Color principal", DARK_BLUE)
        await page.locator("[name=headline]").fill("Libros para quedarse")
        await expect(preview).to_contain_text("Libros para quedarse")
        await expect(preview.get_by_text("Comprar")).to_have_css("background-color", BLUE)
        await expect_no_overflow(page)
        await check_at_widths(page, axe, ("320", "1280"))
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("told")).to_contain_text("Publicado")
        await expect(logo.locator("img")).to_have_attribute("src", re.compile(r"/marca-\d+x\d+\.webp$"))
        await expect(shopper.get_by_role("heading", level=1)).to_have_text("Libros para quedarse")
        gift = shopper.get_by_role("main").get_by_role("link", name="Encuentra un regalo").first
        await expect(gift).to_have_css("background-color", BLUE)
        await expect_no_overflow(shopper)
        await check_screen(shopper, axe, ("320",))
        await shopper.reload()
        await expect(gift).to_have_css("background-color", BLUE)
        await page.get_by_test_id("undo").click()
        await expect(logo).to_have_text("Librería Macondo")
        await expect(gift).not_to_have_css("background-color", BLUE)
