"""Somebody of the staff at a telephone: what the measurements of the office's tasks are made of."""

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

from tests.e2e.conftest import STAFF, ShopServer
from tools.browser import launch

TELEPHONE = (390, 844)
PATIENCE = 30_000
"""Milliseconds for one answer."""


class Day:
    """Somebody of the staff at a telephone, whose taps are counted."""

    def __init__(self, page: Page, shop: ShopServer, pictures: Path | None) -> None:
        self.page = page
        self.shop = shop
        self.pictures = pictures
        self.photos = [photo(colour) for colour in ("orange", "teal", "firebrick")]
        self._taps = 0
        self._begun = 0.0

    async def do(self, name: str, task: Callable[["Day"], Awaitable[Locator]]) -> None:
        """Do a task, whose answer is on the screen when what it gives is seen; print what it took."""
        self._taps, self._begun = 0, 0.0
        answer = await task(self)
        await expect(answer).to_be_visible(timeout=PATIENCE)
        print(f"{name:42} {self._taps:2d} taps  {time.perf_counter() - self._begun:5.2f} s")
        if self.pictures is not None:
            await self.page.evaluate("document.activeElement?.blur()")
            png = await self.page.screenshot(animations="disabled")
            name = re.sub(r"[^a-z]+", "-", name).strip("-")
            Image.open(BytesIO(png)).save(self.pictures / f"{name}-390.webp", quality=80)

    async def tap(self, what: Locator) -> None:
        """Tap on something."""
        self._count()
        await what.click(timeout=PATIENCE)

    async def write(self, what: Locator, text: str, *, enter: bool = False) -> None:
        """Tap on a field, and write into it."""
        self._count()
        await what.fill(text, timeout=PATIENCE)
        if enter:
            await what.press("Enter")

    async def choose(self, what: Locator, value: str) -> None:
        """Tap on a list, and choose from it."""
        self._count()
        await what.select_option(value, timeout=PATIENCE)

    async def send(self, what: Locator, files: list[FilePayload]) -> None:
        """Tap on the button for pictures, and choose some."""
        self._count()
        await what.set_input_files(files)

    async def go(self, place: str) -> None:
        """Go to a place of the bar, or below «Más»."""
        bar = self.page.get_by_test_id("office-nav").get_by_role("link", name=place, exact=True)
        if not await bar.is_visible():
            await self.tap(self.page.get_by_role("button", name="Más", exact=True))
            bar = self.page.get_by_role("dialog").get_by_role("link", name=place, exact=True)
        await self.tap(bar)

    async def only(self, path: str, row: str) -> Locator:
        """The only row of a list, which was found before."""
        await self.page.goto(f"{self.shop.url}{path}")
        await expect(self.of(row)).to_have_count(1, timeout=PATIENCE)
        return self.of(row)

    def of(self, name: str) -> Locator:
        """What has this test id."""
        return self.page.get_by_test_id(name)

    def _count(self) -> None:
        self._taps += 1
        self._begun = self._begun or time.perf_counter()


async def seen(rows: Locator) -> list[Locator]:
    """The rows, once there is one."""
    await expect(rows.first).to_be_visible(timeout=PATIENCE)
    return await rows.all()


def photo(colour: str) -> FilePayload:
    """A photograph of twelve million pixels, about as heavy as a telephone's."""
    picture = Image.effect_noise((4000, 3000), 25).convert("RGB")
    picture.paste(Image.new("RGB", (2400, 1800), colour), (800, 600))
    stored = BytesIO()
    picture.save(stored, "JPEG", quality=75)
    return {"name": f"{colour}.jpg", "mimeType": "image/jpeg", "buffer": stored.getvalue()}


def measure(description: str, work: Callable[["Day"], Awaitable[None]]) -> None:
    """Open a shop and a browser for the command line, and have the tasks done.

    Args:
        description: what `--help` says.
        work: does the tasks.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pictures", type=Path)
    asyncio.run(_measure(work, parser.parse_args().pictures))


async def _measure(work: Callable[["Day"], Awaitable[None]], pictures: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder), {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1]})
        shop.start()
        try:
            async with async_playwright() as playwright:
                page = await (await launch(playwright)).new_page(base_url=shop.url)
                await page.set_viewport_size({"width": TELEPHONE[0], "height": TELEPHONE[1]})
                await work(Day(page, shop, pictures))
        finally:
            shop.stop()
