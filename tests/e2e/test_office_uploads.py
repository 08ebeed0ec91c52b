"""Pictures from a telephone, in a real browser: sent, shown in the form, saved, and seen in the shop."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, Route, expect

from backend.media.picture_processing import ORIENTATION
from tests.e2e.conftest import STAFF, WIDTHS, OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import enter
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check

__all__ = ["axe"]

PHONE = (390, 844)
VIDEOS = Path(__file__).parents[1] / "videos"
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


def film(name: str, begins: bytes = b"ftypisom") -> FilePayload:
    """A video as a telephone sends it, or one that says something else of itself."""
    content = (VIDEOS / "trompo.mp4").read_bytes().replace(b"ftypisom", begins, 1)
    return {"name": name, "mimeType": "video/mp4", "buffer": content}


async def the_video_is_the_last_slide(shopper: Page) -> None:
    """It comes when it is played, is led to by the keyboard, and pauses when it is left."""
    asked: list[str] = []
    shopper.on("request", lambda request: asked.append(request.url))
    await shopper.reload()
    video, still = shopper.get_by_test_id("gallery-video"), "video => video.paused && video.readyState"
    await expect(video).to_have_accessible_name("Video del juguete")
    thumbnail = shopper.get_by_role("button", name="Ver el video")
    await shopper.wait_for_function("() => window.__reflex")
    await thumbnail.focus()
    await shopper.keyboard.press("Enter")
    await expect(video).to_be_in_viewport(ratio=0.9)
    await expect(shopper.get_by_role("button", name="Ampliar la foto")).to_have_count(0)
    await expect(video).to_have_attribute("poster", re.compile(r"/foto-.*\.webp$"))
    assert await video.evaluate(still) == 0
    assert not [url for url in asked if "/video-" in url]
    await video.evaluate("video => video.play()")
    await expect(video).to_have_js_property("videoWidth", 160)
    await expect(video).to_have_attribute("data-played", "true")
    for width in (*WIDTHS.values(), (768, 1024)):
        await shopper.set_viewport_size({"width": width[0], "height": width[1]})
        assert await shopper.evaluate("document.documentElement.scrollWidth") == width[0]
    await shopper.get_by_role("button", name=re.compile("Ver la foto 1")).click()
    await expect(shopper.get_by_role("button", name="Ampliar la foto")).to_be_visible()
    await expect(video).to_have_js_property("paused", True)


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
        await expect(status).to_have_text("2 fotos se subieron. Una foto no subió.")
        await failed.get_by_role("button", name="Quitar nota.jpg").click()
        await expect(failed).to_have_count(0)
        await expect(page.get_by_role("button", name="Tomar o elegir fotos")).to_be_focused()
        await take_away_and_send_again(page)
        await page.get_by_test_id("video-input").set_input_files([film("a.mov", b"ftypqt  ")])
        await expect(page.get_by_test_id("video-file")).to_contain_text("MOV", timeout=PATIENCE)
        await page.get_by_role("button", name="Quitar a.mov").click()
        await page.get_by_test_id("video-input").set_input_files([film("trompo.mp4")])
        await expect(page.get_by_test_id("product-video")).to_have_count(1, timeout=PATIENCE)
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
        shape = await picture.evaluate("picture => picture.naturalHeight / picture.naturalWidth")
        # the file that fits this screen is rounded to whole pixels
        assert shape == pytest.approx(1.5, abs=0.01)
        await the_video_is_the_last_slide(shopper)
        await page.get_by_role("button", name="Quitar el video").click()
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("save")).to_be_hidden(timeout=PATIENCE)
        await expect(shopper.get_by_test_id("gallery-video")).to_have_count(0, timeout=PATIENCE)  # by itself


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
