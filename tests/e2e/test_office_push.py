"""Push notices in a browser with a replaced `PushManager`.

No real push service takes part: the subscription's address is an invented one, and the browser's debugging protocol
delivers the message.
"""

import re

from playwright.async_api import Browser, expect

from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import sign_in, visit
from tests.e2e.push_steps import REPLACED_MANAGER, click_shown, deliver, read_shown, subscribe

MESSAGE = {
    "title": "Pedido 7 pagado: $ 80.000",
    "body": "Pedido 7 · $ 80.000 · Cali · 2 × Trompo",
    "path": "/oficina/empacar?pedido=order_7",
    "action": "Empacar",
    "picture": "",
    "tag": "batch_1",
}


async def test_push_notice_on_a_device_opens_the_packing_screen(
    browser: Browser, server: ShopServer, watch: PageWatch
) -> None:
    opener = build_page_opener(server, browser, watch, service_workers="allow")
    async with opener(*WIDTHS["320"]) as page:
        await sign_in(page, server)
        await subscribe(page)
        await expect(page.get_by_test_id("push-state")).to_have_text("Este equipo recibe tus avisos.")
        await expect(page.get_by_test_id("push-on")).to_have_count(0)
        key = "Array.from(window.subscribedWith.applicationServerKey).length"
        assert await page.evaluate(key) == 65
        await deliver(page, server, MESSAGE)
        shown = await read_shown(page)
        assert {name: shown[name] for name in ("title", "body", "tag")} == {
            name: MESSAGE[name] for name in ("title", "body", "tag")
        }
        assert shown["actions"] == [{"action": "open", "title": "Empacar"}]
        assert await click_shown(page) == f"{server.url}{MESSAGE['path']}"
        await page.get_by_test_id("own-device").get_by_role("button", name=re.compile("Quitar")).click()
        await expect(page.get_by_test_id("own-device")).to_have_count(0)
        await expect(page.get_by_test_id("push-on")).to_be_visible()


async def test_browser_that_signs_out_ends_its_subscription(
    browser: Browser, server: ShopServer, watch: PageWatch
) -> None:
    opener = build_page_opener(server, browser, watch, service_workers="allow")
    async with opener(*WIDTHS["320"]) as page:
        await page.add_init_script(REPLACED_MANAGER)
        await sign_in(page, server)
        await visit(page, "/oficina/cuenta")
        await page.get_by_test_id("push-on").click()
        await expect(page.get_by_test_id("own-device")).to_have_count(1)
        assert await page.evaluate("sessionStorage.getItem('subscribed')") == "yes"
        await page.get_by_role("button", name="Más").click()
        await page.get_by_test_id("office-leave").locator("visible=true").click()
        await expect(page.get_by_test_id("office-email")).to_be_visible()
        assert await page.evaluate("sessionStorage.getItem('subscribed')") is None
        await sign_in(page, server)
        await visit(page, "/oficina/cuenta")
        await expect(page.get_by_test_id("push-on")).to_be_visible()
        await expect(page.get_by_test_id("own-device")).to_have_count(0)
