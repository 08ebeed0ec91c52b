"""Notices on a device, in a browser with a replaced `PushManager`; its debugging protocol delivers a message.

No real push service takes part: the subscription's address is an invented one, and the browser's protocol delivers the
message.
"""

import asyncio
import json
import re
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import sign_in, visit

REPLACED_MANAGER = """
    const keys = {
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const endpoint = "https://push.example/send/1";
    const subscribed = "subscribed";  // a reload keeps the browser's subscription
    PushManager.prototype.getSubscription = async () => sessionStorage.getItem(subscribed) && {
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: async () => sessionStorage.removeItem(subscribed),
    };
    PushManager.prototype.subscribe = async function (options) {
        window.subscribedWith = options;
        sessionStorage.setItem(subscribed, "yes");
        return this.getSubscription();
    };
    Notification.requestPermission = async () => "granted";
    Object.defineProperty(Notification, "permission", { get: () => "default" });
"""
MESSAGE = {
    "title": "Pedido 7 pagado: $ 80.000",
    "body": "Pedido 7 · $ 80.000 · Cali · 2 × Trompo",
    "path": "/oficina/empacar?pedido=order_7",
    "action": "Empacar",
    "picture": "",
    "tag": "batch_1",
}
STUBS = """async () => {
    const shown = new Promise((resolve) => {
        registration.showNotification = async (title, options) => resolve({ title, ...options });
    });
    const opened = new Promise((resolve) => { clients.openWindow = async (address) => resolve(address); });
    Object.assign(globalThis, { shown, opened });
}"""
"""A headless browser shows no notifications, so the worker's calls are recorded."""
READ_SHOWN = "() => globalThis.shown"
CLICK = """async () => {
    const { data } = await globalThis.shown;
    const event = new ExtendableEvent("notificationclick");
    dispatchEvent(Object.assign(event, { notification: { data, close() {} } }));
    return globalThis.opened;
}"""


async def deliver(page: Page, server: ShopServer, message: dict[str, str]) -> None:
    """Deliver a push message over the browser's debugging protocol."""
    protocol = await page.context.new_cdp_session(page)
    found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def note(event: dict[str, Any]) -> None:
        if event["registrations"] and not found.done():
            found.set_result(event["registrations"][0]["registrationId"])

    protocol.on("ServiceWorker.workerRegistrationUpdated", note)
    await protocol.send("ServiceWorker.enable")
    await protocol.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": server.url, "registrationId": await found, "data": json.dumps(message)},
    )


async def test_device_gets_a_notice_that_leads_to_packing(
    browser: Browser, server: ShopServer, watch: PageWatch
) -> None:
    opener = build_page_opener(server, browser, watch, service_workers="allow")
    async with opener(*WIDTHS["320"]) as page:
        await page.add_init_script(REPLACED_MANAGER)
        await sign_in(page, server)
        await visit(page, "/oficina/cuenta")
        await page.get_by_test_id("push-on").click()
        await expect(page.get_by_test_id("own-device")).to_have_count(1)
        key = "Array.from(window.subscribedWith.applicationServerKey).length"
        assert await page.evaluate(key) == 65
        (worker,) = page.context.service_workers
        await worker.evaluate(STUBS)
        await deliver(page, server, MESSAGE)
        shown = await worker.evaluate(READ_SHOWN)
        assert {name: shown[name] for name in ("title", "body", "tag")} == {
            name: MESSAGE[name] for name in ("title", "body", "tag")
        }
        assert shown["actions"] == [{"action": "open", "title": "Empacar"}]
        assert await worker.evaluate(CLICK) == f"{server.url}{MESSAGE['path']}"
        await page.get_by_test_id("own-device").get_by_role("button", name=re.compile("Quitar")).click()
        await expect(page.get_by_test_id("own-device")).to_have_count(0)


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
