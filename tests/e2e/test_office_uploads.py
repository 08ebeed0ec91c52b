"""Pictures from a telephone, in a real browser: sent, shown in the form, saved, and seen in the shop."""

import re
from collections.abc import Callable
from io import BytesIO

from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, Route, expect

from backend.catalog.pictures import ORIENTATION
from tests.e2e.conftest import STAFF, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check

__all__ = ["axe"]

PHONE = (390, 844)
NEW = "/oficina/productos/nuevo"


def photo(colour: str, name: str, size: tuple[int, int] = (3000, 2000)) -> FilePayload:
    """A picture as a telephone takes it: lying on its side, and saying so."""
    content, exif = BytesIO(), Image.Exif()
    exif[ORIENTATION] = 6
    Image.new("RGB", size, colour).save(content, "JPEG", exif=exif)
    return {"name": name, "mimeType": "image/jpeg", "buffer": content.getvalue()}


NO_PHOTO: FilePayload = {"name": "nota.jpg", "mimeType": "image/jpeg", "buffer": b"not a picture"}


async def take_away_and_send_again(page: Page) -> None:
    """Take the first of two pictures out of the form, and send the same file again."""
    shown = page.get_by_test_id("product-picture")
    await shown.first.locator("[data-drops]").click()
    await expect(shown).to_have_count(1)
    await page.get_by_test_id("upload-input").set_input_files([photo("red", "1.jpg")])
    await expect(shown).to_have_count(2, timeout=PATIENCE)


async def test_three_photos_of_which_one_is_none(
    new_server: Callable[..., ShopServer], browser: Browser, watch: Watch
) -> None:
    watch.expect("400")
    shop = new_server(ADMIN_EMAIL=STAFF[0], ADMIN_PASSWORD=STAFF[1])
    opened = pages_of(shop, browser, watch)
    async with opened(*PHONE) as page, opened(*PHONE) as shopper:
        await enter(page, shop, NEW)
        await expect(page.get_by_test_id("save")).to_be_hidden()
        async with page.expect_file_chooser() as choosing:
            await page.get_by_role("button", name="Tomar o elegir fotos").click()
        chooser = await choosing.value
        assert chooser.is_multiple()
        await chooser.set_files([photo("red", "1.jpg"), NO_PHOTO, photo("blue", "2.jpg")])
        shown, failed = page.get_by_test_id("product-picture"), page.get_by_test_id("upload-file")
        await expect(shown).to_have_count(2, timeout=PATIENCE)
        await expect(shown.locator("img").first).to_have_js_property("naturalHeight", 1440)
        await expect(failed).to_contain_text("No es una foto que podamos leer.")
        status = page.get_by_test_id("upload").get_by_role("status")
        await expect(status).to_have_text("2 fotos están arriba. Una foto no subió.")
        await failed.get_by_role("button", name="Quitar nota.jpg").click()
        await expect(failed).to_have_count(0)
        await expect(page.get_by_role("button", name="Tomar o elegir fotos")).to_be_focused()
        await take_away_and_send_again(page)
        await page.get_by_label("Título").fill("Trompo con fotos")
        await page.get_by_label("Precio", exact=True).fill("25000")
        await page.get_by_test_id("save").click()
        await expect(page).to_have_url(re.compile(r"/oficina/productos/prod_\w+$"), timeout=PATIENCE)
        await expect(shown).to_have_count(2)
        await page.reload()
        await expect(shown).to_have_count(2)
        await page.wait_for_function("() => window.__reflex")
        await take_away_and_send_again(page)
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("save")).to_be_hidden(timeout=PATIENCE)
        await expect(shown).to_have_count(2)
        await shopper.goto("/product/trompo-con-fotos")
        picture = shopper.get_by_test_id("gallery-image")
        await expect(picture).to_have_attribute("srcset", re.compile("-320.webp 320w, .*-960.webp 960w"))
        await expect(picture).to_have_js_property("complete", True)
        assert await picture.evaluate("picture => picture.naturalHeight / picture.naturalWidth") == 1.5


async def test_what_did_not_arrive_is_sent_again(
    open_page: OpenPage, server: ShopServer, watch: Watch
) -> None:
    watch.expect("ERR_FAILED")
    tries = 0

    async def cut_once(route: Route) -> None:
        nonlocal tries
        tries += 1
        await (route.abort() if tries == 1 else route.continue_())

    async with open_page(*PHONE) as page:
        await enter(page, server, NEW)
        await page.route("**/admin/uploads", cut_once)
        await page.get_by_test_id("upload-input").set_input_files([photo("red", "1.jpg")])
        failed = page.get_by_test_id("upload-file")
        await expect(failed).to_contain_text("Se cortó la conexión.", timeout=PATIENCE)
        await failed.get_by_role("button", name="Reintentar 1.jpg").click()
        await expect(page.get_by_test_id("product-picture")).to_have_count(1, timeout=PATIENCE)
        await expect(failed).to_have_count(0)
        assert tries == 2


async def test_what_is_too_heavy_is_not_sent(open_page: OpenPage, server: ShopServer) -> None:
    heavy: FilePayload = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": b"x" * ((15 << 20) + 1)}
    async with open_page(*PHONE) as page:
        await enter(page, server, NEW)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        await page.get_by_test_id("upload-input").set_input_files([heavy])
        await expect(page.get_by_test_id("upload-file")).to_contain_text("Pesa demasiado: hasta 15 MB.")
        assert not [url for url in sent if "uploads" in url]


async def test_nothing_sticks_out_and_nobody_is_shut_out(
    open_page: OpenPage, server: ShopServer, watch: Watch, axe: str
) -> None:
    watch.expect("400")
    async with open_page(*PHONE) as page:
        await page.emulate_media(reduced_motion="reduce")
        await enter(page, server, NEW)
        name = "supercalifragilístico" * 5 + ".jpg"
        long: FilePayload = {"name": name, "mimeType": "image/jpeg", "buffer": NO_PHOTO["buffer"]}
        await page.get_by_test_id("upload-input").set_input_files([photo("red", "1.jpg", (300, 200)), long])
        await expect(page.get_by_test_id("upload")).to_contain_text("No es una foto", timeout=PATIENCE)
        await check(page, axe)
