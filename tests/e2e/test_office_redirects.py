"""Direcciones anteriores in a real browser: an unknown address that people visit gets a target on a phone."""

import asyncio
from collections.abc import Callable

from playwright.async_api import Browser, FilePayload, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, visit
from tests.e2e.shopper import TIMEOUT_MS
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check_at_widths

__all__ = ["axe"]

REDIRECTS = "/oficina/direcciones"
STORED_AFTER_MS = 3_000


async def wait_until_listed(page: Page, address: str, visits: str) -> None:
    """Reload the screen until it lists the address with this number of visits: visits are stored in batches."""
    async with asyncio.timeout(TIMEOUT_MS / 1000):
        while True:
            await visit(page, REDIRECTS)
            row = page.get_by_test_id("unknown-row").filter(has_text=address)
            try:
                await expect(row).to_contain_text(visits, timeout=STORED_AFTER_MS)
            except AssertionError:
                continue
            return


async def test_redirect_for_an_unknown_address_is_created_and_deleted_on_a_phone(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    watch.expect("404")
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page: OpenPage = build_page_opener(shop, browser, watch)
    async with open_shop_page(390, 844) as page:
        for address in (
            "/tienda/juguete-viejo.html?utm_source=mail",
            "/tienda/juguete-viejo.html",
            "/otro-viejo",
        ):
            answer = await page.goto(address)
            assert answer is not None
            assert answer.status == 404
        await enter_office(page, shop, REDIRECTS)
        products = await (await page.request.get("/admin/products?limit=2")).json()
        first, second = products["products"]
        await wait_until_listed(page, "/tienda/juguete-viejo.html", "2 visitas")
        row = page.get_by_test_id("unknown-row").filter(has_text="/tienda/juguete-viejo.html")
        await row.locator("summary").click()
        target = row.get_by_label("A dónde lleva")
        await target.press_sequentially(first["title"][:6])
        option = page.locator("datalist option").filter(has_text=first["title"])
        await expect(option.first).to_be_attached(timeout=TIMEOUT_MS)
        await check_at_widths(page, axe)
        await target.fill("nada de nada")
        await row.get_by_test_id("unknown-save").click()
        await expect(row.locator(".field__problem")).to_contain_text("No encontramos", timeout=TIMEOUT_MS)
        await target.fill(f"/product/{first['handle']}")
        await row.get_by_test_id("unknown-save").click()
        stored = page.get_by_test_id("redirect-row").filter(has_text="/tienda/juguete-viejo.html")
        await expect(stored).to_contain_text(first["title"], timeout=TIMEOUT_MS)
        await expect(row).to_have_count(0)
        other = page.get_by_test_id("unknown-row").filter(has_text="/otro-viejo")
        await other.locator("summary").click()
        await other.get_by_test_id("unknown-dismiss").click()
        await expect(other).to_have_count(0, timeout=TIMEOUT_MS)

        await page.get_by_label("Dirección anterior").fill(
            "https://vieja.com/index.php?id_product=7&controller=product"
        )
        await page.locator("#new-target").fill(second["variants"][0]["sku"] or second["handle"])
        await page.get_by_test_id("redirect-save").click()
        await expect(page.get_by_test_id("redirect-count")).to_have_text("2 direcciones", timeout=TIMEOUT_MS)
        await expect(page.get_by_label("Dirección anterior")).to_have_value("")
        sheet = f"Dirección anterior;Nueva\n/a/1;{first['handle']}\n/a/2;{second['handle']}\n/a/3;nada\n"
        file: FilePayload = {"name": "viejas.csv", "mimeType": "text/csv", "buffer": sheet.encode()}
        await page.get_by_test_id("redirect-file").set_input_files([file])
        await expect(page.get_by_test_id("redirect-result")).to_contain_text("Nuevas: 2.", timeout=TIMEOUT_MS)
        await expect(page.get_by_test_id("redirect-problems")).to_contain_text("Fila 4: «nada».")
        await expect(page.get_by_test_id("redirect-count")).to_have_text("4 direcciones", timeout=TIMEOUT_MS)
        await stored.locator("summary").click()
        await check_at_widths(page, axe)
        for address, product in (
            ("/Tienda/juguete-viejo.html?utm_source=mail", first),
            ("/index.php?controller=product&id_product=7&id_lang=1", second),
            ("/a/2", second),
        ):
            await page.goto(address)
            assert page.url == f"{shop.url}/product/{product['handle']}"
        await visit(page, REDIRECTS)
        await stored.locator("summary").click()
        await stored.get_by_text("Borrar", exact=True).click()
        await stored.get_by_text("Sí, borrarla").click()
        await expect(page.get_by_test_id("redirect-count")).to_have_text("3 direcciones", timeout=TIMEOUT_MS)
        answer = await page.goto("/tienda/juguete-viejo.html")
        assert answer is not None
        assert answer.status == 404
