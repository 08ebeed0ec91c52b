"""Importar in a real browser: a sheet with a zip of pictures, seen before, imported, and the toys in the shop."""

import zipfile
from collections.abc import Callable
from io import BytesIO

from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, expect

from tests.e2e.conftest import STAFF, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check

__all__ = ["axe"]

IMPORT = "/oficina/importar"
ROWS = "Nombre;SKU;Precio;Unidades;Categorías;Fotos\n" + "".join(
    f"Rana saltarina {n};RANA-{n};{20 + n}.000;5;Ranas;rana-{n}.jpg\n" for n in range(4)
)
WRONG = "Rana sin precio;RANA-X;mucho;5;;\n"


def sheet(text: str) -> FilePayload:
    return {"name": "ranas.csv", "mimeType": "text/csv", "buffer": text.encode("cp1252")}


def pictures() -> FilePayload:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        for number in range(4):
            content = BytesIO()
            Image.new("RGB", (900, 700), (40 * number, 120, 60)).save(content, "JPEG")
            zipped.writestr(f"fotos/Rana-{number}.JPG", content.getvalue())
    return {"name": "fotos.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}


async def is_summed_up(page: Page, *parts: str) -> None:
    for part in parts:
        await expect(page.get_by_test_id("import-summary")).to_contain_text(part, timeout=PATIENCE)


async def test_a_sheet_with_a_zip_becomes_toys(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch, axe: str
) -> None:
    watch.expect("400")
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    opened: OpenPage = pages_of(shop, browser, watch)
    async with opened(390, 844) as page:
        await enter(page, shop, IMPORT)
        files = page.get_by_test_id("import-input")
        await files.set_input_files([sheet("color\nrojo\n")])
        await expect(page.get_by_test_id("import-file-problems")).to_contain_text(
            "No encontramos", timeout=PATIENCE
        )
        await files.set_input_files([sheet(ROWS + WRONG), pictures()])
        await is_summed_up(page, "5 por corregir")
        await page.get_by_test_id("import-places").click()
        await is_summed_up(page, "4 nuevos", "1 por corregir")
        await expect(page.get_by_test_id("import-problem")).to_contain_text("Fila 6 · Precio")
        await check(page, axe)
        await page.get_by_test_id("import-begin").click()
        await expect(page.get_by_test_id("import-current")).to_have_attribute(
            "data-status", "done", timeout=PATIENCE
        )
        await is_summed_up(page, "4 listos", "1 no se importó")
        async with page.expect_download() as download:
            await page.get_by_test_id("import-refused").click()
        assert (await download.value).suggested_filename == "Filas por corregir.xlsx"
        await check(page, axe)
        await page.goto("/product/rana-saltarina-2")
        await expect(page.get_by_test_id("gallery-image").first).to_be_visible(timeout=PATIENCE)
