"""Pictures from a phone, in a real browser: sent, shown in the form, saved, and displayed in the shop."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, Route, expect

from backend.media.picture_processing import ORIENTATION_TAG
from tests.e2e.conftest import OWNER_LOGIN, WIDTHS, OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office
from tests.e2e.shopper import resize, wait_until_hydrated
from tests.e2e.test_every_page import axe
from tests.e2e.test_office import check_at_widths

__all__ = ["axe"]

PHONE = (390, 844)
VIDEOS = Path(__file__).parents[1] / "videos"
NEW_PRODUCT_PATH = "/oficina/productos/nuevo"


def build_photo(colour: str, name: str, size: tuple[int, int] = (3000, 2000)) -> FilePayload:
    """Return a picture as a phone takes it: stored rotated, with its orientation in the metadata."""
    content, exif = BytesIO(), Image.Exif()
    exif[ORIENTATION_TAG] = 6
    Image.new("RGB", size, colour).save(content, "JPEG", exif=exif)
    return {"name": name, "mimeType": "image/jpeg", "buffer": content.getvalue()}


NO_PHOTO: FilePayload = {"name": "nota.jpg", "mimeType": "image/jpeg", "buffer": b"not a picture"}


async def remove_and_send_again(page: Page) -> None:
    """Remove the first of two pictures from the form, and send the same file again."""
    shown = page.get_by_test_id("product-picture")
    await shown.first.locator("[data-drops]").click()
    await expect(shown).to_have_count(1)
    await page.get_by_test_id("upload-input").set_input_files([build_photo("red", "1.jpg")])
    await expect(shown).to_have_count(2)


def build_video(name: str, begins: bytes = b"ftypisom") -> FilePayload:
    """Return a video as a phone sends it, or one with another file type in its header."""
    content = (VIDEOS / "trompo.mp4").read_bytes().replace(b"ftypisom", begins, 1)
    return {"name": name, "mimeType": "video/mp4", "buffer": content}


async def check_video_slide(shopper: Page) -> None:
    """Check the video slide: it loads on play, the keyboard reaches it, and another slide pauses it."""
    requested_urls: list[str] = []
    shopper.on("request", lambda request: requested_urls.append(request.url))
    await shopper.reload()
    video, still = shopper.get_by_test_id("gallery-video"), "video => video.paused && video.readyState"
    await expect(video).to_have_accessible_name("Video del producto")
    thumbnail = shopper.get_by_role("button", name="Ver el video")
    await wait_until_hydrated(shopper)
    await thumbnail.focus()
    await shopper.keyboard.press("Enter")
    await expect(video).to_be_in_viewport(ratio=0.9)
    await expect(shopper.get_by_role("button", name="Ampliar la foto")).to_have_count(0)
    await expect(video).to_have_attribute("poster", re.compile(r"/foto-.*\.webp$"))
    assert await video.evaluate(still) == 0
    assert not [url for url in requested_urls if "/video-" in url]
    await video.evaluate("video => video.play()")
    await expect(video).to_have_js_property("videoWidth", 160)
    await expect(video).to_have_attribute("data-played", "true")
    for width in (*WIDTHS.values(), (768, 1024)):
        await resize(shopper, *width)
        assert await shopper.evaluate("document.documentElement.scrollWidth") == width[0]
    await shopper.get_by_role("button", name=re.compile("Ver la foto 1")).click()
    await expect(shopper.get_by_role("button", name="Ampliar la foto")).to_be_visible()
    await expect(video).to_have_js_property("paused", True)


async def test_invalid_picture_among_three_is_rejected(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    watch.expect("400")
    shop = new_server(ADMIN_EMAIL=OWNER_LOGIN[0], ADMIN_PASSWORD=OWNER_LOGIN[1])
    open_shop_page = build_page_opener(shop, browser, watch)
    async with open_shop_page(*PHONE) as page, open_shop_page(*PHONE) as shopper:
        await enter_office(page, shop, NEW_PRODUCT_PATH)
        await expect(page.get_by_test_id("save")).to_be_hidden()
        async with page.expect_file_chooser() as choosing:
            await page.get_by_role("button", name="Tomar o elegir fotos").click()
        chooser = await choosing.value
        assert chooser.is_multiple()
        await chooser.set_files([build_photo("red", "1.jpg"), NO_PHOTO, build_photo("blue", "2.jpg")])
        shown, failed = page.get_by_test_id("product-picture"), page.get_by_test_id("upload-file")
        await expect(shown).to_have_count(2)
        await expect(shown.locator("img").first).to_have_js_property("naturalHeight", 1440)
        await expect(failed).to_contain_text("No es una foto que podamos leer.")
        status = page.get_by_test_id("upload").get_by_role("status")
        await expect(status).to_have_text("2 fotos se subieron. Una foto no subió.")
        await failed.get_by_role("button", name="Quitar nota.jpg").click()
        await expect(failed).to_have_count(0)
        await expect(page.get_by_role("button", name="Tomar o elegir fotos")).to_be_focused()
        await remove_and_send_again(page)
        await page.get_by_test_id("video-input").set_input_files([build_video("a.mov", b"ftypqt  ")])
        await expect(page.get_by_test_id("video-file")).to_contain_text("MOV")
        await page.get_by_role("button", name="Quitar a.mov").click()
        await page.get_by_test_id("video-input").set_input_files([build_video("trompo.mp4")])
        await expect(page.get_by_test_id("product-video")).to_have_count(1)
        await page.get_by_label("Título").fill("Trompo con fotos")
        await page.get_by_label("Precio", exact=True).fill("25000")
        await page.get_by_test_id("save").click()
        await expect(page).to_have_url(re.compile(r"/oficina/productos/prod_\w+$"))
        await expect(shown).to_have_count(2)
        await page.reload()
        await expect(shown).to_have_count(2)
        await wait_until_hydrated(page)
        await remove_and_send_again(page)
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("save")).to_be_hidden()
        await expect(shown).to_have_count(2)
        await shopper.goto("/product/trompo-con-fotos")
        picture = shopper.get_by_test_id("gallery-image")
        await expect(picture).to_have_attribute("srcset", re.compile("-320.webp 320w, .*-960.webp 960w"))
        await expect(picture).to_have_js_property("complete", True)
        shape = await picture.evaluate("picture => picture.naturalHeight / picture.naturalWidth")
        # the file that fits this screen is rounded to whole pixels
        assert shape == pytest.approx(1.5, abs=0.01)
        await check_video_slide(shopper)
        await page.get_by_role("button", name="Quitar el video").click()
        await page.get_by_test_id("save").click()
        await expect(page.get_by_test_id("save")).to_be_hidden()
        await expect(shopper.get_by_test_id("gallery-video")).to_have_count(0)  # by itself


async def test_failed_upload_can_be_sent_again(
    open_page: OpenPage, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("ERR_FAILED")
    tries = 0

    async def cut_once(route: Route) -> None:
        nonlocal tries
        tries += 1
        await (route.abort() if tries == 1 else route.continue_())

    async with open_page(*PHONE) as page:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        await page.route("**/admin/uploads", cut_once)
        await page.get_by_test_id("upload-input").set_input_files([build_photo("red", "1.jpg")])
        failed = page.get_by_test_id("upload-file")
        await expect(failed).to_contain_text("Se cortó la conexión.")
        await failed.get_by_role("button", name="Reintentar 1.jpg").click()
        await expect(page.get_by_test_id("product-picture")).to_have_count(1)
        await expect(failed).to_have_count(0)
        assert tries == 2


async def test_too_large_picture_is_not_sent(open_page: OpenPage, server: ShopServer) -> None:
    heavy: FilePayload = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": b"x" * ((15 << 20) + 1)}
    async with open_page(*PHONE) as page:
        await enter_office(page, server, NEW_PRODUCT_PATH)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        await page.get_by_test_id("upload-input").set_input_files([heavy])
        await expect(page.get_by_test_id("upload-file")).to_contain_text("Pesa demasiado: hasta 15 MB.")
        assert not [url for url in sent if "uploads" in url]


async def test_upload_screens_have_no_overflow_and_are_accessible(
    open_page: OpenPage, server: ShopServer, watch: PageWatch, axe: str
) -> None:
    watch.expect("400")
    async with open_page(*PHONE) as page:
        await page.emulate_media(reduced_motion="reduce")
        await enter_office(page, server, NEW_PRODUCT_PATH)
        name = "supercalifragilístico" * 5 + ".jpg"
        long: FilePayload = {"name": name, "mimeType": "image/jpeg", "buffer": NO_PHOTO["buffer"]}
        await page.get_by_test_id("upload-input").set_input_files(
            [build_photo("red", "1.jpg", (300, 200)), long]
        )
        await expect(page.get_by_test_id("upload")).to_contain_text("No es una foto")
        await check_at_widths(page, axe)
