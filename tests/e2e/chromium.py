"""The Chromium of a test worker, and a time limit for closing its pages.

Once in some thousand tests, Chromium does not react if a page is closed while it is being reloaded. Then the
browser is killed, and the next test gets a new one.
"""

import asyncio
import os
import signal
from contextlib import suppress
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright

from tools.browser import launch

CLOSE_TIMEOUT_S = 60
"""Seconds until a browser that does not close a page is killed. On a quiet machine closing takes milliseconds."""
_PROCESS_IDS: WeakKeyDictionary[Browser, int] = WeakKeyDictionary()


class Chromium:
    """The browser of a worker. It is replaced if it was killed or crashed."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._browser: Browser | None = None

    async def connect(self) -> Browser:
        """Return the running browser; start one if there is none."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = await launch(self._playwright)
            _PROCESS_IDS[self._browser] = await read_process_id(self._browser)
        return self._browser

    async def stop(self) -> None:
        """Close the browser if it runs."""
        if self._browser is not None:
            await close_or_kill(self._browser, self._browser)


async def read_process_id(browser: Browser) -> int:
    """Return the id of the browser's main process."""
    protocol = await browser.new_browser_cdp_session()
    processes = (await protocol.send("SystemInfo.getProcessInfo"))["processInfo"]
    await protocol.detach()
    return int(next(process["id"] for process in processes if process["type"] == "browser"))


async def close_within_limit(opened: BrowserContext | Page) -> None:
    """Close a context or a page. If that takes too long, kill its browser.

    The test does not fail for that: its own assertions decide. The next test gets a new browser.
    """
    context = opened if isinstance(opened, BrowserContext) else opened.context
    assert context.browser is not None
    await close_or_kill(opened, context.browser)


async def close_or_kill(opened: BrowserContext | Page | Browser, browser: Browser) -> None:
    """Close a page, a context or a browser. If that takes `CLOSE_TIMEOUT_S`, kill the browser's process."""
    closing = asyncio.ensure_future(opened.close())
    done, _ = await asyncio.wait([closing], timeout=CLOSE_TIMEOUT_S)
    if done:
        await closing
        return
    process_id = _PROCESS_IDS.pop(browser, None)
    assert process_id is not None, "only a browser of `Chromium` can be killed"
    print(f"the browser did not close within {CLOSE_TIMEOUT_S} seconds and is killed: process {process_id}")
    is_disconnected = asyncio.Event()
    browser.once("disconnected", lambda _browser: is_disconnected.set())
    with suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)
    if browser.is_connected():
        await is_disconnected.wait()
    with suppress(Error, asyncio.CancelledError):  # the browser is gone
        await closing
