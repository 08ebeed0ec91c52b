"""A notice for a sold-out product: a customer leaves an e-mail address, confirms it, and may delete it."""

import re
import time

from playwright.async_api import Page, expect

from tests.e2e.conftest import PageWatch, ShopServer
from tests.e2e.scenes import visit
from tests.e2e.shopper import TIMEOUT_MS

SOLD_OUT = "/product/cocina-de-juguete"


async def test_stock_notice_is_requested_confirmed_and_deleted(
    page_320: Page, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("400")  # the form that was sent empty
    page = page_320
    await visit(page, "/product/trompo-de-madera")
    await expect(page.get_by_test_id("notify-me")).to_have_count(0)
    await visit(page, SOLD_OUT)
    await page.get_by_test_id("notify-me").click()
    await expect(page.get_by_text("Marca la casilla para que podamos escribirte.")).to_be_visible()
    await page.get_by_label("Correo electrónico").fill("espera@example.com")
    await expect(page.get_by_role("checkbox")).not_to_be_checked()
    await page.get_by_role("checkbox").check()
    await page.get_by_test_id("notify-me").click()
    await expect(page.get_by_text("Te escribimos a ese correo")).to_be_visible()
    link = await _mailed_link(page, server)
    await page.goto(link)
    await page.get_by_test_id("notice-answer").click()
    await expect(page.get_by_text("Listo: te escribimos apenas llegue, una sola vez.")).to_be_visible()
    await page.goto(link.replace("/notify", "/unsubscribe"))
    await page.get_by_test_id("notice-answer").click()
    await expect(page.get_by_text("Borramos tu correo")).to_be_visible()


async def _mailed_link(page: Page, server: ShopServer) -> str:
    """Wait for the mail to `espera@example.com` in the shop's outbox. Return the link in it."""
    folder, deadline = server.folder / "data" / "outbox", time.monotonic() + TIMEOUT_MS / 1000
    while time.monotonic() < deadline:
        for file in folder.glob("*.eml") if folder.exists() else ():
            text = file.read_text("utf-8").replace("=\n", "").replace("=3D", "=")
            if "To: espera@example.com" in text and (
                found := re.search(r"(/notify\?id=\w+&token=[\w-]+)", text)
            ):
                return found[1]
        await page.wait_for_timeout(50)
    raise AssertionError("no such mail")
