"""Whoever waits for a sold-out toy leaves an address, confirms it, and may take it back."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import ShopServer, Watch
from tests.e2e.scenes import visit
from tests.e2e.shopper import PATIENCE

SOLD_OUT = "/product/cocina-de-juguete"


async def test_an_address_is_left_confirmed_and_taken_back(
    page_320: Page, server: ShopServer, watch: Watch
) -> None:
    watch.expect("400")  # the form that was sent empty
    page = page_320
    await visit(page, "/product/trompo-de-madera")
    await expect(page.get_by_test_id("notify-me")).to_have_count(0)
    await visit(page, SOLD_OUT)
    await page.get_by_test_id("notify-me").click()
    await expect(page.get_by_text("Marca la casilla para que podamos escribirte.")).to_be_visible(
        timeout=PATIENCE
    )
    await page.get_by_label("Correo electrónico").fill("espera@example.com")
    await expect(page.get_by_role("checkbox")).not_to_be_checked()
    await page.get_by_role("checkbox").check()
    await page.get_by_test_id("notify-me").click()
    await expect(page.get_by_text("Te escribimos a ese correo")).to_be_visible(timeout=PATIENCE)
    link = await _mailed_link(page, server)
    await page.goto(link)
    await page.get_by_test_id("notice-answer").click()
    await expect(page.get_by_text("Listo: te escribimos apenas llegue, una sola vez.")).to_be_visible()
    await page.goto(link.replace("/notify", "/unsubscribe"))
    await page.get_by_test_id("notice-answer").click()
    await expect(page.get_by_text("Borramos tu correo")).to_be_visible()


async def _mailed_link(page: Page, server: ShopServer) -> str:
    """The link in the mail, which lies in the shop's folder."""
    folder = server.folder / "data" / "outbox"
    while True:
        for file in folder.glob("*.eml") if folder.exists() else ():
            text = file.read_text("utf-8").replace("=\n", "").replace("=3D", "=")
            if "To: espera@example.com" in text and (
                found := re.search(r"(/notify\?id=\w+&token=[\w-]+)", text)
            ):
                return found[1]
        await page.wait_for_timeout(50)
