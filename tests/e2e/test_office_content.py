"""Contenido in the browser: published content is on an open home page immediately, ends, and can be restored."""

import re
from collections.abc import Callable

from playwright.async_api import Browser, Locator, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, visit
from tests.e2e.shopper import expect_no_overflow
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check_at_widths
from tests.e2e.test_office_uploads import build_photo

__all__ = ["axe"]

PHONE = (390, 844)
AREAS = "/oficina/contenido"
IS_SAME_PAGE = "window.isTheSamePage === true"


async def publish(page: Page) -> None:
    """Open the preview of the form, and publish it."""
    await page.get_by_test_id("look").click()
    await expect(page.get_by_test_id("area-preview")).to_be_visible()
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("told")).to_contain_text("Publicado")


async def drag_above(page: Page, row: Locator, target: Locator) -> None:
    """Drag a row above another one with the mouse."""
    await target.evaluate("row => row.scrollIntoView({block: 'center'})")
    start, end = await row.locator("[data-grip]").bounding_box(), await target.bounding_box()
    assert start
    assert end
    await page.mouse.move(start["x"] + 8, start["y"] + 8)
    await page.mouse.down()
    await page.mouse.move(end["x"] + 20, end["y"] + 4, steps=25)
    await page.mouse.up()


async def publish_concurrently(ana: Page, luis: Page, shop: ShopServer) -> None:
    """Publish as Ana while Luis edits the same text: Luis sees both versions before he publishes his own."""
    for page, text in ((ana, "De Ana"), (luis, "De Luis")):
        await enter_office(page, shop, f"{AREAS}/aviso")
        await page.get_by_label("Texto").fill(text)
        await page.get_by_test_id("look").click()
        await expect(page.get_by_test_id("area-preview")).to_contain_text(text)
    await ana.get_by_test_id("save").click()
    await expect(ana.get_by_test_id("told")).to_contain_text("Publicado")
    await luis.get_by_test_id("save").click()
    await expect(luis.get_by_test_id("area-theirs")).to_contain_text("De Ana")
    await expect(luis.get_by_test_id("area-preview")).to_contain_text("De Luis")
    await expect(luis.get_by_label("Texto")).to_have_value("De Luis")
    await luis.get_by_test_id("save").click()
    await expect(luis.get_by_test_id("told")).to_contain_text("Publicado")
    await luis.get_by_test_id("undo").click()
    await expect(luis.get_by_label("Texto")).to_have_value("De Ana")


async def test_published_content_is_shown_on_open_pages_until_it_is_undone(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    async with (
        open_shop_page(*PHONE) as page,
        open_shop_page(320, 640) as shopper,
        open_shop_page(*PHONE) as luis,
    ):
        await shopper.goto("/")
        slides, bar = shopper.get_by_test_id("banner-slide"), shopper.get_by_test_id("announcement")
        await expect(slides.first).to_be_visible()
        await shopper.evaluate("window.isTheSamePage = true")
        automatic_count = await slides.count()
        await enter_office(page, shop, f"{AREAS}/carrusel")
        # a picture, with a link that could run a script
        await page.get_by_test_id("upload-input").set_input_files([build_photo("teal", "1.jpg")])
        row = page.get_by_test_id("area-row")
        await expect(row).to_have_count(1)
        await row.get_by_label("Título").fill("<b>Navidad</b>")
        await row.get_by_label("Enlace").fill("javascript:alert(1)")
        await page.get_by_test_id("look").click()
        await expect(row.get_by_text("Escribe una dirección de la tienda")).to_be_visible()
        await expect(row.get_by_label("Enlace")).to_be_focused()
        await check_at_widths(page, axe)
        await row.get_by_label("Enlace").fill("/gift")
        await publish(page)
        await expect(slides).to_have_count(automatic_count + 1)
        slide = slides.first
        await expect(slide.get_by_role("link", name="<b>Navidad</b>")).to_have_attribute("href", "/gift")
        await expect(slide.locator("img")).not_to_have_js_property("naturalWidth", 0)
        # a product replaces the automatic slides, before the picture
        await page.get_by_role("button", name="Un producto", exact=True).click()
        await row.nth(1).get_by_test_id("picker-open").click()
        await page.get_by_test_id("picker-search").fill("avión de hélice")
        await expect(page.get_by_test_id("picker-row")).to_have_count(1)
        await page.get_by_test_id("picker-row").click()
        await expect(row.nth(1).get_by_test_id("picked")).to_have_count(1)
        await row.nth(1).get_by_role("button", name="Antes").click()
        await publish(page)
        await expect(slides).to_have_count(2)
        await expect(slides.first.get_by_role("link", name="Avión de hélice")).to_be_visible()
        await check_at_widths(page, axe)
        # the line above every page
        await visit(page, f"{AREAS}/aviso")
        await page.get_by_label("Texto").fill(
            "Envío gratis esta semana, en compras desde ciento cincuenta mil pesos"
        )
        await page.get_by_label("Enlace").fill("/catalog")
        await publish(page)
        await page.get_by_test_id("undo").focus()  # the message stays while it has the focus
        await expect(bar.get_by_role("link")).to_have_attribute("href", "/catalog")
        await expect_no_overflow(shopper)
        assert await shopper.evaluate(IS_SAME_PAGE), "it was loaded again"
        assert 'data-testid="announcement"' in await shop.fetch_rendered("/cart")
        await check_at_widths(page, axe)
        await page.get_by_test_id("undo").click()
        await expect(bar).to_have_count(0)
        # back to the automatic content
        await visit(page, f"{AREAS}/carrusel")
        await page.get_by_role("button", name=re.compile("la versión 0$")).click()
        await page.get_by_test_id("area-restore").click()
        await expect(page.get_by_test_id("told")).to_contain_text("Volvió la versión 0")
        await expect(slides).to_have_count(automatic_count)
        # a section among the shop's
        await visit(page, f"{AREAS}/secciones")
        await page.get_by_role("button", name="Una sección tuya", exact=True).click()
        await row.nth(4).get_by_label("Título").fill("Para la playa")
        await row.nth(4).get_by_label("Texto").fill("Baldes y palas.")
        await row.nth(4).get_by_test_id("picker-open").click()
        await page.get_by_test_id("picker-search").fill("avión de hélice")
        await expect(page.get_by_test_id("picker-row")).to_have_count(1)
        await page.get_by_test_id("picker-row").click()
        await expect(row.nth(4).get_by_test_id("picked")).to_have_count(1)
        await expect_no_overflow(page)
        await row.nth(4).locator("summary").click()
        await drag_above(page, row.nth(4), row.nth(2))
        await expect(row.nth(2).get_by_label("Título")).to_have_value("Para la playa")
        await row.nth(2).get_by_role("button", name="Antes").click()
        await publish(page)
        await expect(row.nth(1)).to_contain_text("Para la playa")
        section = shopper.locator("section", has=shopper.get_by_role("heading", name="Para la playa"))
        await expect(section.get_by_test_id("product-card")).to_have_count(1)
        await expect_no_overflow(shopper)
        await shopper.evaluate(axe)
        await check_at_widths(page, axe)
        await visit(page, f"{AREAS}/pie")
        await page.get_by_label("Título de tu lista").fill("Síguenos")
        await page.get_by_role("button", name="Una línea", exact=True).click()
        await row.get_by_label("Texto").fill("En Instagram")
        await row.get_by_label("Enlace").fill("https://instagram.com/trompo")
        await publish(page)
        link = shopper.get_by_test_id("footer-own").locator("a", has_text="En Instagram")
        await expect(link).to_have_attribute("href", "https://instagram.com/trompo")
        await check_at_widths(page, axe)
        assert await shopper.evaluate(IS_SAME_PAGE), "it was loaded again"
        await publish_concurrently(page, luis, shop)
