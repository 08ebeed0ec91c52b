"""Cut the connection of shoppers at random moments of a purchase, and check that nothing is lost or doubled.

`python -m tests.failure.cuts --cuts 200` continues the run of this seed; `--purchase 17` repeats one purchase. Each
purchase is a new browser: it adds products to its cart, changes a quantity, fills in the checkout and pays at the
bank.

| must hold | checked |
|---|---|
| a "done" notice is true | when it is displayed, the browser's cart has the line |
| no line is lost or doubled | after each step, and in the order |
| no order or payment is lost or doubled | at the end: one order, one captured payment, nothing in attention |
"""

import argparse
import asyncio
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, WebSocketRoute, async_playwright, expect
from playwright.async_api import Error as BrowserError

from tests.e2e.conftest import TIMEOUT_MS, ShopServer
from tests.e2e.shopper import (
    decide_at_bank,
    expect_status,
    fill_in_checkout,
    list_attention_kinds,
    reach_bank,
)
from tests.e2e.shopper import field as form_field
from tests.failure.progress import Progress
from tools.browser import launch

PRODUCTS = ("trompo-de-madera", "lazo-para-saltar", "yoyo-de-madera", "tangram-siete-piezas")
MAX_CUT_DELAY_S = 0.4
CUT_SHARE = 0.75
"""Share of the steps during which the connection is cut."""
LEAVE_SHARE = 0.35
"""Share of the clicks after which the next address is opened immediately."""
FOLDER = Path("test-results/cuts")
NOTICE = """() => {
    window.notices = [];
    new MutationObserver(() => {
        const text = document.querySelector("[data-testid=added-notice]")?.textContent;
        if (!text || text === window.noticed) return;
        window.noticed = text;
        window.notices.push([text, localStorage.getItem("trompo_cart") ?? ""]);
    }).observe(document, { childList: true, subtree: true, characterData: true });
}"""
"""Record each notice that says that a product was added: its text and the browser's cart id."""
IS_NOTIFIED = "title => window.notices.some(([text]) => text.includes(title))"


@dataclass
class Figures(Progress):
    """Progress of a run: purchases and connection cuts so far."""

    purchases: int = 0
    cuts: int = 0


@dataclass
class Connection:
    """One websocket of a page; it passes every message until it is cut."""

    page_side: WebSocketRoute
    shop_side: WebSocketRoute
    is_cut: bool = False


class Cutter:
    """A proxy between a page and the shop that can cut their connection."""

    def __init__(self) -> None:
        self.count = 0
        self._open: list[Connection] = []

    async def attach_to(self, context: BrowserContext) -> None:
        """Route the websocket of every page of this browser through this proxy."""
        await context.route_web_socket(re.compile("_event"), self._connect)

    async def cut(self) -> None:
        """Drop the messages in both directions and close the connection."""
        connections, self._open = self._open, []
        for connection in connections:
            connection.is_cut = True
            self.count += 1
            with suppress(BrowserError):  # the page has closed it already
                await connection.shop_side.close()
                await connection.page_side.close()

    def _connect(self, socket: WebSocketRoute) -> None:
        connection = Connection(socket, socket.connect_to_server())
        self._open = [connection]  # one page at a time: an earlier one is closed

        def forward(target: WebSocketRoute, message: str | bytes) -> None:
            if not connection.is_cut:
                target.send(message)

        socket.on_message(lambda message: forward(connection.shop_side, message))
        connection.shop_side.on_message(lambda message: forward(socket, message))


class Purchase:
    """One purchase by a new browser. `steps` has the steps in words; `expected` has the units by product."""

    def __init__(self, shop: ShopServer, page: Page, cutter: Cutter, rng: random.Random, email: str) -> None:
        self.steps: list[str] = []
        self.expected: dict[str, int] = {}
        self._shop = shop
        self._page = page
        self._cutter = cutter
        self._rng = rng
        self._email = email

    async def run(self) -> None:
        """Make the purchase.

        Raises:
            AssertionError: something was lost, doubled, or confirmed but not done.
        """
        products = self._rng.sample(PRODUCTS, self._rng.choice((1, 2, 3)))
        for product in products:
            await self._add(product)
        await self._change_quantity()
        await self._pay()
        self._require_one_order()

    async def describe(self) -> str:
        """Return the browser's storage, the customer's orders and the end of the log, for a failure report."""
        storage: object = None
        with suppress(BrowserError):
            storage = await self._page.evaluate("[{...localStorage}, {...sessionStorage}, location.href]")
        orders = self._query('SELECT id, cart_id, payment_status FROM "order" WHERE email = ?', self._email)
        log = self._shop.log.splitlines()[-15:]
        return "\n  ".join([f"browser: {storage}", f"orders: {orders}", *log])

    async def _add(self, product: str) -> None:
        page = self._page
        await page.goto(f"/product/{product}")
        await page.evaluate(f"({NOTICE})()")
        leaves = self._rng.random() < LEAVE_SHARE
        self.steps.append(f"add {product}{' and leave' if leaves else ''}")
        button = page.get_by_test_id("add-to-cart").locator("visible=true").first
        await self._cut_during(button.click())
        self.expected[product] = self.expected.get(product, 0) + 1
        total = str(sum(self.expected.values()))
        await expect(page.get_by_test_id("cart-count")).to_have_text(total)
        if leaves:
            await page.goto(self._rng.choice(("/", "/cart", "/checkout", "/catalog")))
            await expect(
                page.get_by_test_id("cart-count").or_(form_field(page, "email")).first
            ).to_be_visible()
        else:
            title = await page.locator(
                "h1"
            ).inner_text()  # the notice of an earlier page's product may appear first
            await page.wait_for_function(IS_NOTIFIED, arg=title)
            for text, cart_id in await page.evaluate("window.notices"):
                assert title not in text or self._lines(cart_id).get(product), (
                    f"a notice says that {product} was added, but it is not in the cart"
                )
            await self._expect_cart()

    async def _change_quantity(self) -> None:
        page = self._page
        await page.goto("/cart")
        lines = page.get_by_test_id("cart-line")
        await expect(lines).to_have_count(len(self.expected))
        product = next(iter(self.expected))
        line = lines.filter(has=page.locator(f'a[href*="/product/{product}"]'))
        leaves = self._rng.random() < LEAVE_SHARE
        self.steps.append(f"one more {product}{' and leave' if leaves else ''}")
        await self._cut_during(line.get_by_role("button", name="Agregar una unidad").click())
        self.expected[product] += 1
        await expect(line.get_by_test_id("quantity")).to_have_value(str(self.expected[product]))
        if leaves:
            await page.goto("/catalog")
        await expect(page.get_by_test_id("cart-count")).to_have_text(str(sum(self.expected.values())))
        await self._expect_cart()

    async def _pay(self) -> None:
        page = self._page
        self.steps.append("fill in")
        await page.goto("/checkout")
        await expect(form_field(page, "email")).to_be_visible()
        await self._cut_during(fill_in_checkout(page, email=self._email))
        pay = page.get_by_test_id("place-order")
        await expect(pay).to_contain_text("Pagar $")
        self.steps.append("pay")
        await self._cut_during(pay.click())
        await reach_bank(page)
        self.steps.append("approve")
        await self._cut_during(decide_at_bank(page, "approve"))
        await expect_status(page, "paid")

    async def _cut_during(self, step: Awaitable[object]) -> None:
        """Do the step and, with the probability `CUT_SHARE`, cut the connection at a random moment."""
        if self._rng.random() > CUT_SHARE:
            await step
            return
        delay = self._rng.uniform(0, MAX_CUT_DELAY_S)
        self.steps[-1] += f", cut after {delay * 1000:.0f} ms"
        task = asyncio.ensure_future(step)
        await asyncio.sleep(delay)  # the test varies the moment of the cut
        await self._cutter.cut()
        await task

    async def _expect_cart(self) -> None:
        """Wait until the browser's cart in the database holds exactly the expected units."""
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while (found := self._lines(await self._cart_id())) != self.expected:
            assert time.monotonic() < deadline, f"the cart holds {found}, expected {self.expected}"
            await asyncio.sleep(0.05)

    async def _cart_id(self) -> str:
        return str(await self._page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))

    def _lines(self, cart_id: str) -> dict[str, int]:
        rows = self._query(
            "SELECT product.handle, line_item.quantity FROM line_item JOIN variant ON variant.id ="
            " line_item.variant_id JOIN product ON product.id = variant.product_id WHERE cart_id = ?",
            cart_id,
        )
        return dict(rows)

    def _require_one_order(self) -> None:
        orders = self._query('SELECT id, cart_id, payment_status FROM "order" WHERE email = ?', self._email)
        assert len(orders) == 1, f"{len(orders)} orders"
        order_id, cart_id, status = orders[0]
        assert status == "captured", status
        bought: dict[str, int] = dict(
            self._query(
                "SELECT product.handle, order_line.quantity FROM order_line JOIN variant ON variant.id ="
                " order_line.variant_id JOIN product ON product.id = variant.product_id WHERE order_id = ?",
                order_id,
            )
        )
        assert bought == self.expected, f"the order holds {bought}, expected {self.expected}"
        payments = self._query(
            "SELECT payment_session.state FROM payment_session JOIN payment_collection ON payment_collection.id ="
            " payment_session.collection_id WHERE payment_collection.cart_id = ?",
            cart_id,
        )
        assert payments == [("captured",)], payments
        assert list_attention_kinds(self._shop) == []

    def _query(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        file = self._shop.folder / "data" / "trompo.db"
        with closing(sqlite3.connect(file, timeout=TIMEOUT_MS / 1000)) as books:
            return books.execute(query, values).fetchall()


async def buy(shop: ShopServer, browser: Browser, figures: Figures, folder: Path) -> None:
    """Run the next purchase, and record its result."""
    name = f"{figures.seed}-{figures.purchases}"
    rng, cutter = random.Random(name), Cutter()
    context = await browser.new_context(
        base_url=shop.url, viewport={"width": 390, "height": 800}, locale="es-CO", service_workers="block"
    )
    context.set_default_timeout(TIMEOUT_MS)
    await cutter.attach_to(context)
    page = await context.new_page()
    purchase = Purchase(shop, page, cutter, rng, f"cortes-{name}@example.com")
    try:
        await purchase.run()
    except (AssertionError, BrowserError) as error:
        steps = "\n  ".join([*purchase.steps, await purchase.describe()])
        figures.failures.append(f"seed {figures.seed}, purchase {figures.purchases}: {error}\n  {steps}")
        print(figures.failures[-1], flush=True)
        with suppress(BrowserError):  # a browser that has failed takes no screenshot
            await page.screenshot(path=folder / f"{name}.png")
    finally:
        figures.purchases += 1
        figures.cuts += cutter.count
        await context.close()


async def run(figures: Figures, folder: Path, cuts: int, *, purchases: int | None = None) -> None:
    """Buy until `cuts` connections were cut, including those of earlier calls, or until `purchases` were made."""
    with tempfile.TemporaryDirectory() as temporary:
        shop = ShopServer(Path(temporary))
        shop.start()
        try:
            async with async_playwright() as playwright:
                browser = await launch(playwright)
                until = None if purchases is None else figures.purchases + purchases
                while figures.cuts < cuts and figures.purchases != until:
                    await buy(shop, browser, figures, folder)
                    figures.write(folder)
        finally:
            shop.stop()


def main() -> None:
    """Run from the command line; exit with 1 on failures."""
    parser = argparse.ArgumentParser(description="Cut connections of shoppers who buy.")
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--purchase", type=int, help="repeat only this purchase")
    arguments = parser.parse_args()
    if arguments.purchase is None:
        figures, folder, purchases = Figures.read(FOLDER, arguments.seed), FOLDER, None
    else:
        figures, folder, purchases = (
            Figures(arguments.seed, purchases=arguments.purchase),
            FOLDER / "again",
            1,
        )
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(run(figures, folder, arguments.cuts, purchases=purchases))
    print(
        f"seed {figures.seed}: {figures.cuts} cuts in {figures.purchases} purchases,"
        f" {len(figures.failures)} failures"
    )
    sys.exit(bool(figures.failures))


if __name__ == "__main__":
    main()
