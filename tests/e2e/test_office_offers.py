"""Ofertas in the browser: a code and a sale are created on a phone, shoppers see the discount, and they end."""

import re
from collections.abc import Callable
from datetime import timedelta

from playwright.async_api import Browser, Page, expect

from backend.core.clock import now
from backend.core.dates import today_in_colombia
from tests.e2e.conftest import OWNER_LOGIN, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, visit
from tests.e2e.shopper import expect_no_overflow, put_in_cart
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check_at_widths

__all__ = ["axe"]

PHONE = (390, 844)
OFFERS = "/oficina/ofertas"
SALES = f"{OFFERS}/rebajas"
TROMPO = "trompo-de-madera"  # $ 18.900
LONG_TITLE = (
    "Trompo de madera de guayacán torneado a mano con punta de acero inoxidable y cuerda de algodón de dos metros "
    "de largo"
)
"""A title as long as some shops write them. The list of chosen products truncates it and does not get wider."""
IS_SAME_PAGE = "window.isTheSamePage === true"


async def preview_offer(page: Page, what: str) -> None:
    """Open the preview of the form's changes."""
    await page.get_by_test_id(f"{what}-look").click()
    await expect(page.get_by_test_id(f"{what}-preview")).to_be_visible()


async def pick_product(page: Page, title: str) -> None:
    """Choose a product in the first picker."""
    await page.get_by_test_id("picker-open").first.click()
    await page.get_by_test_id("picker-search").fill(title.lower())
    await page.get_by_test_id("picker-row").filter(has_text=title).click()
    await expect(page.get_by_test_id("picked")).to_have_text(re.compile(title))


async def rename_product(page: Page, shop: ShopServer, handle: str, title: str) -> None:
    """Rename a product over the API, as the signed-in staff member."""
    headers = {"origin": shop.url}
    found = await page.request.get(f"/admin/products?handle={handle}", headers=headers)
    product_id = (await found.json())["products"][0]["id"]
    changed = await page.request.post(f"/admin/products/{product_id}", data={"title": title}, headers=headers)
    assert changed.ok, await changed.text()


async def save_offer(page: Page, message: str) -> None:
    """Save the offer, and wait for its own page."""
    await page.get_by_test_id("save").click()
    await expect(page.get_by_test_id("told")).to_contain_text(message)
    await page.wait_for_url(lambda url: not url.endswith("/nueva"))


async def end_offer(page: Page, message: str) -> None:
    """End the offer and confirm the question."""
    await page.get_by_role("button", name="Terminar ahora").click()
    await page.get_by_role("button", name="Sí, terminar").click()
    await expect(page.get_by_test_id("told")).to_contain_text(message)


async def type_code(page: Page, code: str) -> None:
    """Type a code into the cart's field."""
    await page.get_by_text("¿Tienes un código?").click()
    await page.get_by_test_id("promo-code").fill(code)
    await page.get_by_test_id("promo-apply").click()


async def test_promotion_code_gives_its_discount_until_staff_end_it(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    async with open_shop_page(*PHONE) as page, open_shop_page(320, 640) as shopper:
        await enter_office(page, shop, OFFERS)
        await page.get_by_test_id("offer-new").click()
        await expect(page.get_by_test_id("offer-look")).to_be_visible()

        # an error is shown next to the field, and the typed text stays
        await page.get_by_label("Código o nombre").fill("Año 10 %")
        await page.get_by_label("Valor").fill("mil")
        await page.get_by_test_id("offer-look").click()
        await expect(page.get_by_label("Valor")).to_have_attribute("aria-invalid", "true")
        await expect(page.get_by_label("Código o nombre")).to_have_value("Año 10 %")
        await check_at_widths(page, axe)

        await page.get_by_label("Valor").fill("10")
        await preview_offer(page, "offer")
        await check_at_widths(page, axe)
        await save_offer(page, "Oferta guardada.")

        await put_in_cart(shopper, TROMPO)
        await shopper.goto("/cart")
        await type_code(shopper, "  año 10 % ")
        await expect(shopper.get_by_test_id("saving")).to_contain_text("1.890")
        await expect(shopper.get_by_test_id("cart-total")).to_have_text("$ 17.010")
        await expect_no_overflow(shopper)
        await type_code(shopper, "NO-EXISTE")
        await expect(shopper.get_by_test_id("promo-code")).to_have_attribute("aria-invalid", "true")

        await end_offer(page, "Oferta terminada.")
        await expect(page.get_by_role("button", name="Terminar ahora")).to_have_count(0)
        await shopper.reload()
        await expect(shopper.get_by_test_id("cart-total")).to_have_text("$ 18.900")
        await expect(shopper.get_by_test_id("saving")).to_have_count(0)
        await shopper.get_by_test_id("promo-drop").click()
        await expect(shopper.get_by_test_id("promo-drop")).to_have_count(0)

        await visit(page, OFFERS)
        await check_at_widths(page, axe)
        await expect(page.get_by_role("list", name="Terminadas", exact=True)).to_contain_text("Año 10 %")


async def test_sale_prices_are_shown_on_open_pages_until_staff_end_the_sale(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    async with (
        open_shop_page(*PHONE) as page,
        open_shop_page(320, 640) as shopper,
        open_shop_page(*PHONE) as luis,
    ):
        await shopper.goto(f"/product/{TROMPO}")
        price = shopper.locator(".product__price")
        await expect(price).to_contain_text("18.900")
        await shopper.evaluate("window.isTheSamePage = true")

        await enter_office(page, shop, f"{SALES}/nueva")
        await rename_product(page, shop, TROMPO, LONG_TITLE)
        await page.get_by_label("Nombre").fill("Rebajas de diciembre")
        await page.get_by_label("¿De qué?").select_option("products")
        await page.get_by_label("Valor").fill("20")
        await page.get_by_test_id("sale-look").click()
        await expect(page.get_by_test_id("picker-open")).to_have_attribute("aria-invalid", "true")
        await expect(page.get_by_label("Último día")).to_have_attribute("aria-invalid", "true")
        await pick_product(page, "Trompo de madera")
        await page.get_by_label("Último día").fill(str(today_in_colombia(now()) + timedelta(days=7)))
        await preview_offer(page, "sale")
        await expect(page.get_by_test_id("sale-preview")).to_contain_text("15.100")
        await check_at_widths(page, axe)
        await save_offer(page, "Rebaja guardada.")
        address = page.url

        await expect(price).to_contain_text("15.100")
        await expect(price.locator("s")).to_contain_text("18.900")
        assert await shopper.evaluate(IS_SAME_PAGE)
        await expect_no_overflow(shopper)

        # two staff members end it: the second one is informed that it has ended, and nothing else happens
        await enter_office(luis, shop, address.removeprefix(shop.url))
        await check_at_widths(page, axe)
        await luis.get_by_role("button", name="Terminar ahora").click()
        await end_offer(page, "Rebaja terminada")
        await expect(price).not_to_contain_text("15.100")
        await expect(price).to_contain_text("18.900")
        assert await shopper.evaluate(IS_SAME_PAGE)
        await luis.get_by_role("button", name="Sí, terminar").click()
        await expect(luis.get_by_test_id("told")).to_be_visible()
        await expect(luis.get_by_role("button", name="Terminar ahora")).to_have_count(0)

        await visit(page, OFFERS)
        await expect(page.get_by_role("list", name="Rebajas terminadas")).to_contain_text(
            re.compile("Rebajas de diciembre")
        )


async def test_free_shipping_and_two_for_one_created_from_templates_apply_in_the_cart(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    async with open_shop_page(*PHONE) as page, open_shop_page(320, 640) as shopper:
        await enter_office(page, shop, OFFERS)
        await page.get_by_test_id("offer-template-envio-gratis").click()
        await expect(page.get_by_label("Código o nombre")).to_have_value("Envío gratis")
        await page.get_by_label("Desde cuántos pesos en productos").fill("30.000")
        await preview_offer(page, "offer")
        await save_offer(page, "Oferta guardada.")

        await visit(page, OFFERS)
        await page.get_by_test_id("offer-template-2x1").click()
        await expect(page.get_by_label("Código o nombre")).to_have_value("2×1")
        await expect(page.get_by_label("Valor")).to_be_hidden()
        await pick_product(page, "Trompo de madera")
        await preview_offer(page, "offer")
        await check_at_widths(page, axe)
        await save_offer(page, "Oferta guardada.")

        await put_in_cart(shopper, TROMPO)
        await shopper.goto("/cart")
        await expect(shopper.get_by_test_id("free-shipping-bar")).to_contain_text("Te faltan $ 11.100")
        await expect_no_overflow(shopper)
        await shopper.get_by_role("button", name="Agregar una unidad").first.click()
        await expect(shopper.get_by_test_id("saving")).to_contain_text("18.900")
        await expect(shopper.get_by_test_id("cart-total")).to_have_text("$ 18.900")
        await expect(shopper.get_by_test_id("free-shipping-bar")).to_contain_text("¡Tu envío es gratis!")
