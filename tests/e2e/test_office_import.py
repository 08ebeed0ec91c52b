"""Importar in a real browser: a spreadsheet with a zip of pictures is previewed, imported, and shown in the shop."""

import zipfile
from collections.abc import Callable
from io import BytesIO

from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, expect

from tests.e2e.conftest import OWNER_LOGIN, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check_at_widths

__all__ = ["axe"]

IMPORT = "/oficina/importar"
ROWS = "Nombre;SKU;Precio;Unidades;Categorías;Fotos\n" + "".join(
    f"Rana saltarina {n};RANA-{n};{20 + n}.000;5;Ranas;rana-{n}.jpg\n" for n in range(4)
)
WRONG_ROW = "Rana sin precio;RANA-X;mucho;5;;\n"


def build_csv(text: str) -> FilePayload:
    """Return a CSV file for the upload."""
    return {"name": "ranas.csv", "mimeType": "text/csv", "buffer": text.encode("cp1252")}


def build_picture_zip() -> FilePayload:
    """Return a zip file with four pictures."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        for number in range(4):
            content = BytesIO()
            Image.new("RGB", (900, 700), (40 * number, 120, 60)).save(content, "JPEG")
            zipped.writestr(f"fotos/Rana-{number}.JPG", content.getvalue())
    return {"name": "fotos.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}


async def expect_summary(page: Page, *parts: str) -> None:
    """Check that the summary contains these texts."""
    for part in parts:
        await expect(page.get_by_test_id("import-summary")).to_contain_text(part)


async def test_import_of_a_spreadsheet_and_a_zip_of_pictures_creates_products(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    watch.expect("400")
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page: OpenPage = build_page_opener(shop, browser, watch)
    async with open_shop_page(390, 844) as page:
        await enter_office(page, shop, IMPORT)
        files = page.get_by_test_id("import-input")
        await files.set_input_files([build_csv("color\nrojo\n")])
        await expect(page.get_by_test_id("import-file-problems")).to_contain_text("No encontramos")
        await files.set_input_files([build_csv(ROWS + WRONG_ROW), build_picture_zip()])
        await expect_summary(page, "5 por corregir")
        await page.get_by_test_id("import-places").click()
        await expect_summary(page, "4 nuevos", "1 por corregir")
        await expect(page.get_by_test_id("import-problem")).to_contain_text("Fila 6 · Precio")
        await check_at_widths(page, axe)
        await page.get_by_test_id("import-publish").click()
        await expect(page.get_by_test_id("import-publish")).to_be_checked()
        await page.get_by_test_id("import-run").click()
        await expect(page.get_by_test_id("import-current")).to_have_attribute("data-status", "done")
        await expect_summary(page, "4 listos", "1 no se importó")
        async with page.expect_download() as download:
            await page.get_by_test_id("import-refused").click()
        assert (await download.value).suggested_filename == "Filas por corregir.xlsx"
        await check_at_widths(page, axe)
        await page.goto("/product/rana-saltarina-2")
        await expect(page.get_by_test_id("gallery-image").first).to_be_visible()


UNKNOWN_LIST = (
    "Código;Referencia;Descripción;IVA;Precio 1;Saldo\n0001;REF-1;Trompo de prueba;19%;18900;7\n"
    "0002;REF-2;Yoyo de prueba;19%;9900;3\n;;TOTAL GENERAL;;28800;10\n"
)


async def test_unknown_columns_of_an_import_are_mapped_and_removal_of_units_is_confirmed(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page: OpenPage = build_page_opener(shop, browser, watch)
    async with open_shop_page(390, 844) as page:
        await enter_office(page, shop, IMPORT)
        files = page.get_by_test_id("import-input")
        await files.set_input_files([build_csv(UNKNOWN_LIST)])
        await expect(page.get_by_test_id("import-format")).to_contain_text("Lista propia")
        await expect(page.get_by_test_id("import-question")).to_contain_text("Código")
        await page.get_by_test_id("import-mapping").locator("summary").click()
        await check_at_widths(page, axe)
        await page.get_by_test_id("import-column-choice").filter(has_text="Referencia").click()
        await expect(page.get_by_test_id("import-question")).to_have_count(0)
        await expect(page.get_by_test_id("import-set-aside")).to_have_count(1)
        await page.get_by_test_id("import-publish").click()
        await expect(page.get_by_test_id("import-publish")).to_be_checked()
        await page.get_by_test_id("import-run").click()
        await expect_summary(page, "2 listos")
        emptied = "Nombre;SKU;Precio;Unidades\nTrompo de prueba;REF-1;18900;0\n"
        await files.set_input_files([build_csv(emptied)])
        await expect(page.get_by_test_id("import-losses")).to_contain_text("Unidades: 1")
        await check_at_widths(page, axe)
        await page.get_by_test_id("import-run").click()
        await expect(page.get_by_test_id("import-current")).to_have_attribute("data-status", "checked")
        await page.get_by_test_id("import-confirm-losses").check()
        await page.get_by_test_id("import-run").click()
        await expect_summary(page, "1 listo")


LONG_LIST = "Nombre;SKU;Precio;Unidades\n" + "".join(
    f"Juguete {n};LARGO-{n};{'mucho' if n % 30 == 0 else 5000 + n};5\n" for n in range(3_000)
)


async def test_long_import_is_paged_stopped_and_continued(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch, axe: str
) -> None:
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page: OpenPage = build_page_opener(shop, browser, watch)
    async with open_shop_page(390, 844) as page:
        await enter_office(page, shop, IMPORT)
        await page.get_by_test_id("import-input").set_input_files([build_csv(LONG_LIST)])
        await expect_summary(page, "2900 nuevos", "100 por corregir")
        problems = page.get_by_test_id("import-problem")
        await expect(problems).to_have_count(50)
        pager = page.get_by_test_id("import-problems-pager")
        await expect(pager).to_contain_text("1 a 50 de 100 filas")
        await check_at_widths(page, axe)
        await page.get_by_test_id("import-problems-after").click()
        await expect(pager).to_contain_text("51 a 100 de 100 filas")
        await expect(problems.first).to_contain_text("Fila 1502")
        await expect(page.get_by_test_id("import-row")).to_have_count(50)
        await page.get_by_test_id("import-problems-before").click()
        await expect(problems.first).to_contain_text("Fila 2 ")
        await page.get_by_test_id("import-run").click()
        current = page.get_by_test_id("import-current")
        await page.get_by_test_id("import-stop").click()
        await expect(current).to_have_attribute("data-status", "stopped")
        await expect(page.get_by_test_id("import-progress-text")).to_contain_text("de 3000 filas")
        await check_at_widths(page, axe)
        await page.get_by_test_id("import-continue").click()
        await expect(current).to_have_attribute("data-status", "done")
        await expect_summary(page, "2900 listos", "100 no se importaron")
