"""Packing at the browser: lines ticked by hand and by a scanner, a label that is made once, the camera."""

import re

from playwright.async_api import Page, expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import Sold, enter, paid_order
from tests.e2e.shopper import PATIENCE

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
