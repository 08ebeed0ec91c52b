"""Push messages in a browser with a replaced `PushManager`: subscribe, and deliver a message without a push service."""

import asyncio
import json
from typing import Any

from playwright.async_api import Page, expect

from tests.e2e.conftest import ShopServer
from tests.e2e.office_steps import visit

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


async def deliver(page: Page, server: ShopServer, message: dict[str, Any]) -> None:
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


async def subscribe(page: Page) -> None:
    """Turn on push notices in this browser, and record the notifications that its service worker shows."""
    await page.add_init_script(REPLACED_MANAGER)
    await visit(page, "/oficina/cuenta")
    await page.get_by_test_id("push-on").click()
    await expect(page.get_by_test_id("own-device")).to_have_count(1)
    (worker,) = page.context.service_workers
    await worker.evaluate(STUBS)


async def read_shown(page: Page) -> dict[str, Any]:
    """Return the notification that the page's service worker shows."""
    (worker,) = page.context.service_workers
    shown: dict[str, Any] = await worker.evaluate(READ_SHOWN)
    return shown


async def click_shown(page: Page) -> str:
    """Click the shown notification. Return the address that it opens, and record the next notification."""
    (worker,) = page.context.service_workers
    address: str = await worker.evaluate(CLICK)
    await worker.evaluate(STUBS)
    return address
