"""Pages on a slow phone: `python -m tests.bench.bench_phone [--loads N]`.

The shop as users run it, with the demo toys, and Chromium with a cache that is empty each time: 390 px wide, 150 ms to
the server and back, 1.6 Mbit/s, a processor four times slower. Printed are medians, with the least and the most of all
loads: when the title (or the first card) can be seen, the largest paint, how much moved, and the JavaScript that came.
"""

import argparse
import asyncio
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Browser, CDPSession, async_playwright

from tests.bench import calibration
from tests.e2e.conftest import ShopServer
from tools.browser import launch

PAGES = {
    "home": ("/", "h1"),
    "list": ("/catalog", '[data-testid="product-card"]'),
    "product": ("/product/bolsa-de-canicas", "h1"),
    "search": ("/catalog?q=oso", '[data-testid="product-card"]'),
}
"""Where each page is, and what of it is waited for."""
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""Milliseconds, and bytes a second."""
SLOWER = 4
GOALS = {"title, ms": 600.0, "largest paint, ms": 1000.0, "layout shift": 0.0, "JavaScript, KiB": 200.0}
WATCH = """(wanted) => {
    const seen = window.seen = { title: null, paint: 0, shift: 0 };
    const observe = (type, note) =>
        new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
    observe("largest-contentful-paint", (entry) => { seen.paint = entry.startTime; });
    observe("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
    const look = () => {
        const isShown = [...document.querySelectorAll(wanted)].some((one) => one.getBoundingClientRect().height > 0);
        if (isShown) seen.title = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


@dataclass
class Scripts:
    """The JavaScript that a page has fetched."""

    requests: set[str]
    size: float = 0

    def answered(self, event: dict[str, Any]) -> None:
        """An answer has begun to come."""
        if event["type"] == "Script" or "javascript" in event["response"]["mimeType"]:
            self.requests.add(event["requestId"])

    def finished(self, event: dict[str, Any]) -> None:
        """It has come whole."""
        if event["requestId"] in self.requests:
            self.size += event["encodedDataLength"] / 1024


async def load(browser: Browser, url: str, wanted: str) -> list[float]:
    """One load by somebody who was never here, in the order of `GOALS`."""
    context = await browser.new_context(viewport={"width": 390, "height": 844})
    page = await context.new_page()
    line = await context.new_cdp_session(page)
    await _slow_down(line)
    scripts = Scripts(set())
    line.on("Network.responseReceived", scripts.answered)
    line.on("Network.loadingFinished", scripts.finished)
    await page.add_init_script(f"({WATCH})({wanted!r})")
    await page.goto(url)
    await page.wait_for_function("() => window.__reflex && window.seen.title !== null")
    await page.wait_for_load_state("networkidle")
    seen = await page.evaluate("() => window.seen")
    await context.close()
    return [seen["title"], seen["paint"], seen["shift"], scripts.size]


async def _slow_down(line: CDPSession) -> None:
    await line.send("Network.enable")
    await line.send("Network.setCacheDisabled", {"cacheDisabled": True})
    await line.send("Network.emulateNetworkConditions", LINE)
    await line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


async def run(loads: int) -> None:
    """Open the shop, load each page in turn, and print a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder))
        shop.start()
        try:
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                found: dict[str, list[list[float]]] = {name: [] for name in PAGES}
                for number in range(loads + 1):
                    for name, (path, wanted) in PAGES.items():
                        seen = await load(browser, shop.url + path, wanted)
                        if number:  # the first has the document rendered
                            found[name].append(seen)
                await browser.close()
        finally:
            shop.stop()
    print(
        f"{loads} loads of each, calibration {calibration.measured():.2f}, load average {os.getloadavg()[0]:.1f}"
    )
    for name, all_seen in found.items():
        for (what, goal), numbers in zip(GOALS.items(), zip(*all_seen, strict=True), strict=True):
            digits = 3 if what == "layout shift" else 0
            spread = f"{min(numbers):.{digits}f}-{max(numbers):.{digits}f}"
            print(f"{name:8} {what:18} {median(numbers):8.{digits}f}  ({spread}; goal {goal:.0f})")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Load pages on a slow phone.")
    parser.add_argument("--loads", type=int, default=7)
    asyncio.run(run(parser.parse_args().loads))


if __name__ == "__main__":
    main()
