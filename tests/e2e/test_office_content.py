"""Contenido at the browser: what is published is on an open home page at once, ends, and comes back."""

import re
from collections.abc import Callable

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import STAFF, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter, visit
from tests.e2e.shopper import PATIENCE, expect_no_overflow
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check
from tests.e2e.test_office_uploads import photo

__all__ = ["axe"]

PHONE = (390, 844)
AREAS = "/oficina/contenido"
STAMPED = "window.isTheSamePage === true"


async def publish(page: Page) -> None:
    """Look at what was typed, and publish it."""
    await page.get_by_test_id("look").click()
    await expect(page.get_by_test_id("area-preview")).to_be_visible(timeout=PATIENCE)
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("told")).to_contain_text("Publicado", timeout=PATIENCE)


async def both_publish(ana: Page, luis: Page, shop: ShopServer) -> None:
    """Two change the same at once: whoever comes second sees both, and neither is lost."""
    for page, text in ((ana, "De Ana"), (luis, "De Luis")):
        await enter(page, shop, f"{AREAS}/aviso")
        await page.get_by_label("Texto").fill(text)
        await page.get_by_test_id("look").click()
        await expect(page.get_by_test_id("area-preview")).to_contain_text(text, timeout=PATIENCE)
    await ana.get_by_test_id("save").click()
    await expect(ana.get_by_test_id("told")).to_contain_text("Publicado", timeout=PATIENCE)
    await luis.get_by_test_id("save").click()
    await expect(luis.get_by_test_id("area-theirs")).to_contain_text("De Ana", timeout=PATIENCE)
    await expect(luis.get_by_test_id("area-preview")).to_contain_text("De Luis")
    await expect(luis.get_by_label("Texto")).to_have_value("De Luis")
    await luis.get_by_test_id("save").click()
    await expect(luis.get_by_test_id("told")).to_contain_text("Publicado", timeout=PATIENCE)
    await luis.get_by_test_id("undo").click()
    await expect(luis.get_by_label("Texto")).to_have_value("De Ana", timeout=PATIENCE)


async def test_what_is_published_is_on_open_pages_until_it_is_undone(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    opened = pages_of(shop, browser, watch)
    async with opened(*PHONE) as page, opened(320, 640) as shopper, opened(*PHONE) as luis:
        await shopper.goto("/")
        slides, bar = shopper.get_by_test_id("banner-slide"), shopper.get_by_test_id("announcement")
        await expect(slides.first).to_be_visible()
        await shopper.evaluate("window.isTheSamePage = true")
        of_the_shop = await slides.count()
        await enter(page, shop, f"{AREAS}/carrusel")
        # a picture, with a link that could run a script
        await page.get_by_test_id("upload-input").set_input_files([photo("teal", "1.jpg")])
        row = page.get_by_test_id("area-row")
        await expect(row).to_have_count(1, timeout=PATIENCE)
        await row.get_by_label("Título").fill("<b>Navidad</b>")
        await row.get_by_label("Enlace").fill("javascript:alert(1)")
        await page.get_by_test_id("look").click()
        await expect(row.get_by_text("Escribe una dirección de la tienda")).to_be_visible(timeout=PATIENCE)
        await expect(row.get_by_label("Enlace")).to_be_focused()
        await check(page, axe)
        await row.get_by_label("Enlace").fill("/gift")
        await publish(page)
        await expect(slides).to_have_count(of_the_shop + 1, timeout=PATIENCE)
        own = slides.first
        await expect(own.get_by_role("link", name="<b>Navidad</b>")).to_have_attribute("href", "/gift")
        await expect(own.locator("img")).not_to_have_js_property("naturalWidth", 0)
        # a toy stands in the place of the shop's own, before the picture
        await page.get_by_role("button", name="Un juguete", exact=True).click()
        await row.nth(1).get_by_role("combobox", name="Juguete").fill("avión de hélice")
        await row.nth(1).get_by_role("button", name="Antes").click()
        await publish(page)
        await expect(slides).to_have_count(2, timeout=PATIENCE)
        await expect(slides.first.get_by_role("link", name="Avión de hélice")).to_be_visible()
        await check(page, axe)
        # the line above every page
        await visit(page, f"{AREAS}/aviso")
        await page.get_by_label("Texto").fill(
            "Envío gratis esta semana, en compras desde ciento cincuenta mil pesos"
        )
        await page.get_by_label("Enlace").fill("/catalog")
        await publish(page)
        await expect(bar.get_by_role("link")).to_have_attribute("href", "/catalog", timeout=PATIENCE)
        await expect_no_overflow(shopper)
        assert await shopper.evaluate(STAMPED), "it was loaded again"
        assert 'data-testid="announcement"' in await shop.rendered("/cart")
        await check(page, axe)
        await page.get_by_test_id("undo").click()
        await expect(bar).to_have_count(0, timeout=PATIENCE)
        # back to what the shop shows by itself
        await visit(page, f"{AREAS}/carrusel")
        await page.get_by_role("button", name=re.compile("la versión 0$")).click()
        await page.get_by_test_id("area-restore").click()
        await expect(page.get_by_test_id("told")).to_contain_text("Volvió la versión 0", timeout=PATIENCE)
        await expect(slides).to_have_count(of_the_shop, timeout=PATIENCE)
        # a section among the shop's
        await visit(page, f"{AREAS}/secciones")
        await page.get_by_role("button", name="Una sección tuya", exact=True).click()
        await row.nth(4).get_by_label("Título").fill("Para la playa")
        await row.nth(4).get_by_label("Texto").fill("Baldes y palas.")
        await row.nth(4).get_by_label("Juguetes").fill("Avión de hélice")
        await row.nth(4).get_by_role("button", name="Antes").click()
        await publish(page)
        written = shopper.locator("section", has=shopper.get_by_role("heading", name="Para la playa"))
        await expect(written.get_by_test_id("product-card")).to_have_count(1, timeout=PATIENCE)
        await expect_no_overflow(shopper)
        await shopper.evaluate(axe)
        await check(page, axe)
        await visit(page, f"{AREAS}/pie")
        await page.get_by_label("Título de tu lista").fill("Síguenos")
        await page.get_by_role("button", name="Una línea", exact=True).click()
        await row.get_by_label("Texto").fill("En Instagram")
        await row.get_by_label("Enlace").fill("https://instagram.com/trompo")
        await publish(page)
        listed = shopper.get_by_test_id("footer-own").get_by_role("link", name="En Instagram")
        await expect(listed).to_have_attribute("href", "https://instagram.com/trompo", timeout=PATIENCE)
        await check(page, axe)
        assert await shopper.evaluate(STAMPED), "it was loaded again"
        await both_publish(page, luis, shop)
