"""Pages on a slow phone: `python -m tests.bench.bench_phone [--loads N]`.

The shop runs as users run it, with the demo products. Chromium has an empty cache for each load: 390 px wide, 150
ms to the server and back, 1.6 Mbit/s, a processor four times slower. The output: medians, minimum and maximum of
all loads: the time until the title (or the first card) is visible, the largest paint, the layout shift, and the
size of the JavaScript.
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
"""Path of each page, and the selector of its awaited element."""
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""Milliseconds, and bytes a second."""
CPU_SLOWDOWN = 4
GOALS = {"title, ms": 600.0, "largest paint, ms": 1000.0, "layout shift": 0.0, "JavaScript, KiB": 200.0}
WATCH_SCRIPT = """(wanted) => {
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

    def record_response(self, event: dict[str, Any]) -> None:
        """Record a response that has started, if it is JavaScript."""
        if event["type"] == "Script" or "javascript" in event["response"]["mimeType"]:
            self.requests.add(event["requestId"])

    def add_response(self, event: dict[str, Any]) -> None:
        """Add the size of a finished response in KiB, if it was recorded."""
        if event["requestId"] in self.requests:
            self.size += event["encodedDataLength"] / 1024


async def load(browser: Browser, url: str, selector: str) -> list[float]:
    """Load a page as a new visitor. Return the measurements in the order of `GOALS`."""
    context = await browser.new_context(viewport={"width": 390, "height": 844}, service_workers="block")
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await _slow_down(session)
    scripts = Scripts(set())
    session.on("Network.responseReceived", scripts.record_response)
    session.on("Network.loadingFinished", scripts.add_response)
    await page.add_init_script(f"({WATCH_SCRIPT})({selector!r})")
    await page.goto(url)
    await page.wait_for_function("() => window.__reflex && window.seen.title !== null")
    await page.wait_for_load_state("networkidle")
    measurements = await page.evaluate("() => window.seen")
    await context.close()
    return [measurements["title"], measurements["paint"], measurements["shift"], scripts.size]


async def _slow_down(session: CDPSession) -> None:
    await session.send("Network.enable")
    await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    await session.send("Network.emulateNetworkConditions", NETWORK)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})


async def run(loads: int) -> None:
    """Open the shop, load each page in turn, and print a line for each measurement."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder))
        shop.start()
        try:
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                measurements_by_page: dict[str, list[list[float]]] = {name: [] for name in PAGES}
                for number in range(loads + 1):
                    for name, (path, selector) in PAGES.items():
                        measurements = await load(browser, shop.url + path, selector)
                        if number:  # the first load renders the document
                            measurements_by_page[name].append(measurements)
                await browser.close()
        finally:
            shop.stop()
    print(
        f"{loads} loads of each, calibration {calibration.measure_calibration():.2f},"
        f" load average {os.getloadavg()[0]:.1f}"
    )
    for name, page_loads in measurements_by_page.items():
        for (measurement, goal), numbers in zip(GOALS.items(), zip(*page_loads, strict=True), strict=True):
            digits = 3 if measurement == "layout shift" else 0
            spread = f"{min(numbers):.{digits}f}-{max(numbers):.{digits}f}"
            print(f"{name:8} {measurement:18} {median(numbers):8.{digits}f}  ({spread}; goal {goal:.0f})")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Load pages on a slow phone.")
    parser.add_argument("--loads", type=int, default=7)
    asyncio.run(run(parser.parse_args().loads))


if __name__ == "__main__":
    main()
