"""A staff member on a telephone: the tools to measure the office's tasks."""

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import FilePayload, Locator, Page, async_playwright, expect

from tests.e2e.conftest import OWNER_LOGIN, ShopServer
from tools.browser import launch

SCREEN_SIZE = (390, 844)
TIMEOUT_MS = 30_000
"""Milliseconds for one answer."""


class PhoneUser:
    """A staff member on a telephone, whose taps are counted."""

    def __init__(self, page: Page, shop: ShopServer, pictures: Path | None) -> None:
        self.page = page
        self.shop = shop
        self.pictures = pictures
        self.photos = [create_photo(colour) for colour in ("orange", "teal", "firebrick")]
        self._taps = 0
        self._started = 0.0

    async def measure_task(self, name: str, task: Callable[["PhoneUser"], Awaitable[Locator]]) -> None:
        """Do a task, and wait until the element that it returns is visible. Print the taps and seconds."""
        self._taps, self._started = 0, 0.0
        answer = await task(self)
        await expect(answer).to_be_visible(timeout=TIMEOUT_MS)
        print(f"{name:42} {self._taps:2d} taps  {time.perf_counter() - self._started:5.2f} s")
        if self.pictures is not None:
            await self.page.evaluate("document.activeElement?.blur()")
            png = await self.page.screenshot(animations="disabled")
            name = re.sub(r"[^a-z]+", "-", name).strip("-")
            Image.open(BytesIO(png)).save(self.pictures / f"{name}-390.webp", quality=80)

    async def tap(self, element: Locator) -> None:
        """Tap on an element."""
        self._count()
        await element.click(timeout=TIMEOUT_MS)

    async def fill_field(self, element: Locator, text: str, *, enter: bool = False) -> None:
        """Tap on a field and fill it."""
        self._count()
        await element.fill(text, timeout=TIMEOUT_MS)
        if enter:
            await element.press("Enter")

    async def choose(self, element: Locator, value: str) -> None:
        """Tap on a list and choose an option."""
        self._count()
        await element.select_option(value, timeout=TIMEOUT_MS)

    async def upload(self, element: Locator, files: list[FilePayload]) -> None:
        """Tap on the upload button and choose files."""
        self._count()
        await element.set_input_files(files)

    async def open_section(self, section: str) -> None:
        """Open a section from the bar or the «Más» menu."""
        link = self._find_place(self.by_test_id("office-nav"), section)
        if not await link.is_visible():
            await self.tap(self._find_place(self.by_test_id("office-nav"), "Más"))
            link = self._find_place(self.page.get_by_role("dialog"), section)
        await self.tap(link)

    def _find_place(self, parent: Locator, label: str) -> Locator:
        """Return the link or button with this label, even if a number follows the label."""
        return parent.locator(".o-place", has=self.page.get_by_text(label, exact=True))

    async def open_only_row(self, path: str, row: str) -> Locator:
        """Open a list and return its only row."""
        await self.page.goto(f"{self.shop.url}{path}")
        await expect(self.by_test_id(row)).to_have_count(1, timeout=TIMEOUT_MS)
        return self.by_test_id(row)

    def by_test_id(self, name: str) -> Locator:
        """Return the locator of this test id."""
        return self.page.get_by_test_id(name)

    def _count(self) -> None:
        self._taps += 1
        self._started = self._started or time.perf_counter()


async def wait_for_rows(rows: Locator) -> list[Locator]:
    """Wait for the first row, and return all rows."""
    await expect(rows.first).to_be_visible(timeout=TIMEOUT_MS)
    return await rows.all()


def create_photo(colour: str) -> FilePayload:
    """Return a photograph of twelve megapixels, about as large as a telephone's."""
    picture = Image.effect_noise((4000, 3000), 25).convert("RGB")
    picture.paste(Image.new("RGB", (2400, 1800), colour), (800, 600))
    stored = BytesIO()
    picture.save(stored, "JPEG", quality=75)
    return {"name": f"{colour}.jpg", "mimeType": "image/jpeg", "buffer": stored.getvalue()}


def measure(description: str, work: Callable[["PhoneUser"], Awaitable[None]]) -> None:
    """Parse the command line, open a shop and a browser, and do the tasks.

    Args:
        description: the description in `--help`.
        work: does the tasks.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pictures", type=Path)
    asyncio.run(_measure(work, parser.parse_args().pictures))


async def _measure(work: Callable[["PhoneUser"], Awaitable[None]], pictures: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), {"ADMIN_EMAIL": OWNER_LOGIN[0], "ADMIN_PASSWORD": OWNER_LOGIN[1]})
        shop.start()
        try:
            async with async_playwright() as playwright:
                page = await (await launch(playwright)).new_page(base_url=shop.url)
                await page.set_viewport_size({"width": SCREEN_SIZE[0], "height": SCREEN_SIZE[1]})
                await work(PhoneUser(page, shop, pictures))
        finally:
            shop.stop()
