"""A browser that does not close a page is killed, and the next test gets a new one."""

import os
import signal

import pytest
from playwright.async_api import Browser

from tests.e2e import chromium
from tests.e2e.chromium import Chromium, close_within_limit, read_process_id
from tests.e2e.conftest import OpenPage


async def test_browser_that_does_not_close_a_page_is_killed_and_replaced(
    chromium_of_worker: Chromium, browser: Browser, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "CLOSE_TIMEOUT_S", 1)
    process_id = await read_process_id(browser)
    async with open_page(320, 640) as page:
        await page.goto("/")
        os.kill(process_id, signal.SIGSTOP)
    assert not browser.is_connected()
    replacement = await chromium_of_worker.connect()
    assert await read_process_id(replacement) != process_id
    await close_within_limit(await replacement.new_page())
