"""How long a shopper waits for an answer, with many others connected: `python -m tests.bench.bench_storefront`.

The real shop in a process of its own, a browser beside it, and other shoppers who have the home page open and look for
something now and then. Times are taken in the page, from the key or the click to the first frame that shows the answer.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import simple_websocket
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.e2e.conftest import ShopServer
from tests.e2e.scenes import visit
from tests.e2e.shopper import PATIENCE
from tools.browser import launch

ROOT_STATE = "reflex___state____state"
SEARCH = f"{ROOT_STATE}.storefront___state___search____search_state.suggest"
HOME = {"pathname": "/", "asPath": "/"}
WORDS = ("oso", "madera", "trompo", "rompecabezas", "tren", "mapa", "kit")
LONGEST_PAUSE = 20.0
GOAL_MS = 100
TIMED = """async ([selector, text]) => {
    const began = performance.now();
    const isShown = () => [...document.querySelectorAll(selector)].some((one) => one.textContent.includes(text));
    window.act();
    while (!isShown()) {
        if (performance.now() - began > 10_000) throw new Error(`${text} did not come up`);
        await new Promise(requestAnimationFrame);
    }
    return performance.now() - began;
}"""


class Shopper:
    """Somebody else, with the home page open."""

    def __init__(self, shop: ShopServer) -> None:
        self._shop = shop
        self._socket: simple_websocket.AioClient | None = None
        self.is_there = asyncio.Event()

    async def stay(self) -> None:
        """Come, and look for something now and then, until cancelled."""
        address = f"ws://localhost:{self._shop.port}/_event/?EIO=4&transport=websocket&token={uuid4()}"
        socket = await simple_websocket.AioClient.connect(address, headers={"Origin": self._shop.url})
        arrival = {"name": f"{ROOT_STATE}.hydrate_and_load", "payload": {"hashes": []}, "router_data": HOME}
        await socket.send("40/_event," + json.dumps({"event": arrival}))
        looking = asyncio.create_task(self._look_around(socket))
        try:
            while True:
                message = await socket.receive()
                if message == "2":  # the server's ping
                    await socket.send("3")
                elif '"is_hydrated_rx_state_":true' in message:
                    self.is_there.set()
        finally:
            looking.cancel()
            await socket.close()

    async def _look_around(self, socket: simple_websocket.AioClient) -> None:
        while True:
            await asyncio.sleep(random.uniform(0, LONGEST_PAUSE))  # what a shopper takes to think
            asked = {"name": SEARCH, "payload": {"text": random.choice(WORDS)}, "router_data": HOME}
            await socket.send("42/_event," + json.dumps(["event", asked]))


async def search(page: Page, rounds: int) -> list[float]:
    """From the last key to the suggestions for what stands in the field."""
    await visit(page, "/")
    field = page.get_by_test_id("search-input")
    times = []
    for number in range(rounds):
        text, shows = (("peluch", "Perezoso"), ("xilofon", "Xilófono"))[number % 2]
        await field.fill(text[:-1])
        await expect(page.get_by_test_id("search-result").first).to_be_visible()
        await field.evaluate(
            """(field, text) => { window.act = () => {
                Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
                field.dispatchEvent(new InputEvent("input", { bubbles: true }));
            } }""",
            text,
        )
        current = '[data-testid="search-results"]:not([data-stale])'
        times.append(await page.evaluate(TIMED, [current, shows]))
    return times


async def add_to_cart(page: Page, rounds: int) -> list[float]:
    """From the click to the new number at the cart."""
    await visit(page, "/product/bolsa-de-canicas")
    button = page.get_by_test_id("add-to-cart").locator("visible=true").first
    times = []
    for number in range(rounds):
        await button.evaluate("button => { window.act = () => button.click() }")
        times.append(await page.evaluate(TIMED, ['[data-testid="cart-count"]', str(number + 1)]))
        await expect(button).to_have_attribute(
            "data-step", "ready", timeout=PATIENCE
        )  # it says "added" for a while
    return times


async def narrow(page: Page, rounds: int) -> list[float]:
    """From ticking a filter, or unticking it, to the other list."""
    await visit(page, "/catalog")
    counted = page.get_by_test_id("result-count")
    everything = await counted.inner_text()
    await page.get_by_test_id("filter-sale").check()
    await expect(counted).not_to_have_text(everything)
    fewer = await counted.inner_text()
    times = []
    for number in range(rounds):
        await page.get_by_test_id("filter-sale").evaluate("box => { window.act = () => box.click() }")
        times.append(
            await page.evaluate(TIMED, ['[data-testid="result-count"]', (everything, fewer)[number % 2]])
        )
    return times


async def measure(shop: ShopServer, browser: Browser, rounds: int) -> None:
    """One line for each thing a shopper waits for."""
    waits: dict[str, Callable[[Page, int], Awaitable[list[float]]]] = {
        "keystroke to suggestions": search,
        "add to cart to count": add_to_cart,
        "filter to list": narrow,
    }
    for name, wait in waits.items():
        context = await browser.new_context(base_url=shop.url, viewport={"width": 1280, "height": 800})
        times = sorted(await wait(await context.new_page(), rounds))
        await context.close()
        middle, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        met = "" if p95 <= GOAL_MS else f"   (goal {GOAL_MS} ms)"
        print(f"{name:26} p50 {middle:6.1f} ms   p95 {p95:6.1f} ms{met}", flush=True)


async def run(shoppers: int, rounds: int) -> None:
    """Open the shop, let the others in, and measure."""
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(Path(folder))
        shop.start()
        others = [Shopper(shop) for _ in range(shoppers)]
        stays = [asyncio.create_task(other.stay()) for other in others]
        try:
            await asyncio.wait_for(asyncio.gather(*(other.is_there.wait() for other in others)), 60)
            print(f"{shoppers} others connected, load average {os.getloadavg()[0]:.1f}")
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                await measure(shop, browser, rounds)
                await browser.close()
        finally:
            for stay in stays:
                stay.cancel()
            await asyncio.gather(*stays, return_exceptions=True)
            shop.stop()


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure what a shopper waits for.")
    parser.add_argument("--shoppers", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    asyncio.run(run(asked.shoppers, asked.rounds))


if __name__ == "__main__":
    main()
