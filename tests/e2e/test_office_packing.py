"""Packing at the browser: lines ticked by hand and by a scanner, a label that is made once, the camera."""

import re
from io import BytesIO
from pathlib import Path

import segno
from PIL import Image
from playwright.async_api import Page, async_playwright, expect

from tests.e2e.conftest import OpenPage, ShopServer, Watch, pages_of
from tests.e2e.office_steps import Sold, enter, paid_order
from tests.e2e.shopper import PATIENCE
from tools.browser import FLAGS, find

TELEPHONE = (390, 844)


async def pack(page: Page, shop: ShopServer, sold: Sold) -> None:
    """Open the order to pack it."""
    await enter(page, shop, f"/oficina/empacar?pedido={sold.id}")
    await expect(page.get_by_test_id("pack-line").first).to_be_visible(timeout=PATIENCE)


async def test_lines_are_ticked_and_the_label_is_made_once(open_page: OpenPage, server: ShopServer) -> None:
    sold = await paid_order(server)
    async with open_page(*TELEPHONE) as lina, open_page(*TELEPHONE) as berta:
        await pack(lina, server, sold)
        await pack(berta, server, sold)
        for page in (lina, berta):
            await expect(page.get_by_test_id("pack-label")).to_be_disabled()
            await page.get_by_test_id("pack-line").click()
            await expect(page.get_by_test_id("pack-label")).to_be_enabled()
        await lina.reload()  # what is in the box is in the box
        await expect(lina.get_by_test_id("pack-label")).to_be_enabled(timeout=PATIENCE)
        await lina.get_by_test_id("pack-label").dblclick()
        for page in (lina, berta):
            await expect(page.get_by_test_id("pack-done")).to_contain_text("Lo hizo duena", timeout=PATIENCE)
        path = await lina.get_by_test_id("pack-print").get_attribute("href")
        assert path
        assert (await lina.request.get(path)).headers["content-type"] == "application/pdf"
        order = (await (await lina.request.get(f"/admin/orders/{sold.id}")).json())["order"]
        assert len(order["fulfillments"]) == 1
        await lina.get_by_test_id("pack-next").click()
        await expect(lina.get_by_test_id("pack-done")).to_have_count(0)


async def test_a_scanner_ticks_what_it_reads_and_presses_nothing(
    open_page: OpenPage, server: ShopServer
) -> None:
    sold = await paid_order(server)
    async with open_page(*TELEPHONE) as page:
        await pack(page, server, sold)
        line = page.get_by_test_id("pack-line")
        (item,) = (await (await page.request.get(f"/admin/orders/{sold.id}")).json())["order"]["items"]
        await page.keyboard.type("NO-SUCH-CODE\n")
        await expect(page.get_by_text(re.compile("no es de este pedido"))).to_be_visible()
        await line.focus()
        await page.keyboard.type(f"{item['variant_sku'].lower()}\n")
        await expect(line).to_have_attribute("aria-pressed", "true")
        await page.keyboard.type(f"{item['variant_sku']}\n")
        await expect(page.get_by_text(re.compile("ya están todos"))).to_be_visible()
        await expect(line).to_have_attribute("aria-pressed", "true")


def video_of(code: str, file: Path) -> None:
    """A film of a QR code, as Chromium's fake camera plays it."""
    drawn = BytesIO()
    segno.make_qr(code).save(drawn, kind="png", scale=10, border=4)
    picture = Image.new("L", (640, 480), 255)
    picture.paste(Image.open(drawn).convert("L").resize((400, 400)), (120, 40))
    frame = b"FRAME\n" + picture.tobytes() + b"\x80" * (320 * 240 * 2)
    file.write_bytes(b"YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420\n" + frame * 3)


async def test_the_camera_ticks_what_it_sees(server: ShopServer, watch: Watch, tmp_path: Path) -> None:
    sold = await paid_order(server)
    film = tmp_path / "code.y4m"
    video_of(sold.sku, film)
    camera = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find(), args=[*FLAGS, *camera])
        async with pages_of(server, browser, watch)(*TELEPHONE) as page:
            await page.context.grant_permissions(["camera"])
            await pack(page, server, sold)
            await page.get_by_test_id("pack-scan").click()
            await expect(page.get_by_test_id("pack-line")).to_have_attribute(
                "aria-pressed", "true", timeout=PATIENCE
            )
            await page.get_by_test_id("pack-scan").click()
            await expect(page.get_by_test_id("pack-camera")).to_have_count(0)
        await browser.close()
