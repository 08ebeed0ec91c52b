"""Packing in the browser: lines are ticked by hand, by a scanner or by the camera, and a label is made once."""

import re
from io import BytesIO
from pathlib import Path

import segno
from PIL import Image
from playwright.async_api import Page, async_playwright, expect

from tests.e2e.conftest import OpenPage, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import PlacedOrder, enter_office, place_paid_order
from tools.browser import FLAGS, find_browser

PHONE = (390, 844)
SCAN = """code => [...code, "Enter"].map((key) => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))).at(-1)
"""
"""Press the keys of a code without a pause. Return false if Enter was prevented from pressing the focused button."""


async def open_packing(page: Page, shop: ShopServer, placed_order: PlacedOrder) -> None:
    """Sign in, and open the screen on which the order is packed."""
    await enter_office(page, shop, f"/oficina/empacar?pedido={placed_order.id}")
    await expect(page.get_by_test_id("pack-line").first).to_be_visible()


async def test_packing_in_two_browsers_creates_one_label_after_all_lines_are_ticked(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as lina, open_page(*PHONE) as berta:
        await open_packing(lina, server, placed_order)
        await open_packing(berta, server, placed_order)
        for page in (lina, berta):
            await expect(page.get_by_test_id("pack-label")).to_be_disabled()
            await page.get_by_test_id("pack-line").click()
            await expect(page.get_by_test_id("pack-label")).to_be_enabled()
        await lina.reload()  # the ticks are stored
        await expect(lina.get_by_test_id("pack-label")).to_be_enabled()
        await lina.get_by_test_id("pack-label").dblclick()
        for page in (lina, berta):
            await expect(page.get_by_test_id("pack-done")).to_contain_text("Lo hizo duena")
        path = await lina.get_by_test_id("pack-print").get_attribute("href")
        assert path
        assert (await lina.request.get(path)).headers["content-type"] == "application/pdf"
        order = (await (await lina.request.get(f"/admin/orders/{placed_order.id}")).json())["order"]
        assert len(order["fulfillments"]) == 1
        await lina.get_by_test_id("pack-next").click()
        await expect(lina.get_by_test_id("pack-done")).to_have_count(0)


async def test_some_units_of_an_order_can_be_packed_with_a_label_before_the_others(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server, 2)
    async with open_page(*PHONE) as page:
        await open_packing(page, server, placed_order)
        partial, guides = page.get_by_test_id("pack-partial"), page.get_by_test_id("pack-guide")
        await expect(partial).to_have_count(0)
        more, line = page.get_by_test_id("pack-more"), page.get_by_test_id("pack-line")
        await more.click()
        await more.click()
        await expect(more).to_be_disabled()
        await expect(line).to_have_attribute("aria-pressed", "true")
        await page.get_by_test_id("pack-less").click()
        await expect(line).to_contain_text("1 / 2")
        await partial.dblclick()
        await expect(guides).to_have_count(1)
        await expect(page.get_by_text("Guía de prueba")).to_be_visible()
        await expect(line).to_contain_text("0 / 1")
        await expect(more).to_have_count(0)  # nothing to divide
        await page.get_by_test_id("pack-line").click()
        await page.get_by_test_id("pack-label").click()
        await expect(page.get_by_test_id("pack-done")).to_be_visible()
        await expect(guides).to_have_count(2)


async def test_barcode_scanner_ticks_its_line_without_pressing_buttons(
    open_page: OpenPage, server: ShopServer
) -> None:
    placed_order = await place_paid_order(server)
    async with open_page(*PHONE) as page:
        await open_packing(page, server, placed_order)
        line = page.get_by_test_id("pack-line")
        (item,) = (await (await page.request.get(f"/admin/orders/{placed_order.id}")).json())["order"][
            "items"
        ]
        await scan(page, "NO-SUCH-CODE")
        await expect(page.get_by_text(re.compile("no es de este pedido"))).to_be_visible()
        await line.focus()
        await scan(page, item["variant_sku"].lower())
        await expect(line).to_have_attribute("aria-pressed", "true")
        await scan(page, item["variant_sku"])
        await expect(page.get_by_text(re.compile("ya están todos"))).to_be_visible()
        await expect(line).to_have_attribute("aria-pressed", "true")


async def scan(page: Page, code: str) -> None:
    """Type a code as fast as a scanner does, and check that its Enter presses no button."""
    assert await page.evaluate(SCAN, code) is False


def write_video(code: str, file: Path) -> None:
    """Write a video of a QR code for Chromium's fake camera."""
    drawn = BytesIO()
    segno.make_qr(code).save(drawn, kind="png", scale=10, border=4)
    picture = Image.new("L", (640, 480), 255)
    picture.paste(Image.open(drawn).convert("L").resize((400, 400)), (120, 40))
    frame = b"FRAME\n" + picture.tobytes() + b"\x80" * (320 * 240 * 2)
    file.write_bytes(b"YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420\n" + frame * 3)


async def test_barcode_scanned_with_the_camera_ticks_its_line(
    server: ShopServer, watch: PageWatch, tmp_path: Path
) -> None:
    placed_order = await place_paid_order(server)
    film = tmp_path / "code.y4m"
    write_video(placed_order.sku, film)
    camera = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS, *camera])
        async with build_page_opener(server, browser, watch)(*PHONE) as page:
            await page.context.grant_permissions(["camera"])
            await open_packing(page, server, placed_order)
            await page.get_by_test_id("pack-scan").click()
            await expect(page.get_by_test_id("pack-line")).to_have_attribute("aria-pressed", "true")
            await page.get_by_test_id("pack-scan").click()
            await expect(page.get_by_test_id("pack-camera")).to_have_count(0)
        await browser.close()
