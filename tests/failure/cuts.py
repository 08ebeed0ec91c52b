"""Cut the connection of shoppers who buy, at random moments, and look whether anything is lost or doubled.

`python -m tests.failure.cuts --cuts 200` goes on where the run of this seed ended; `--purchase 17` does one again. Each
purchase is a new browser: it puts toys into its cart, changes a quantity, fills in the checkout and pays at the bank.

| must hold | looked at |
|---|---|
| a "done" notice is true | when it is shown, the browser's cart has the line |
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

from tests.e2e.conftest import ShopServer
from tests.e2e.shopper import attention_of, decide, expect_status, fill_in, reach_bank
from tests.e2e.shopper import field as form_field
from tests.failure.progress import Progress
from tools.browser import launch

TOYS = ("trompo-de-madera", "lazo-para-saltar", "yoyo-de-madera", "tangram-siete-piezas")
MAX_CUT_DELAY_S = 0.4
CUT_SHARE = 0.75
"""Of the steps during which the connection is cut."""
LEAVE_SHARE = 0.35
"""Of the presses after which the next address is opened at once."""
PATIENCE_MS = 30_000
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
"""Note each notice that says that a toy was added: its text, and which cart the browser has."""


@dataclass
class Figures(Progress):
    """Progress of the run of a seed: purchases and connection cuts."""

    purchases: int = 0
    cuts: int = 0


@dataclass
class Connection:
    """One websocket of a page, through which everything passes until it is cut."""

    page_side: WebSocketRoute
    shop_side: WebSocketRoute
    is_cut: bool = False


class Cutter:
    """The way between a page and the shop, which can be cut."""

    def __init__(self) -> None:
        self.count = 0
        self._open: list[Connection] = []

    async def stand_before(self, context: BrowserContext) -> None:
        """Be the way for every page of this browser."""
        await context.route_web_socket(re.compile("_event"), self._connect)

    async def cut(self) -> None:
        """Lose what is on its way in both directions, and close."""
        connections, self._open = self._open, []
        for one in connections:
            one.is_cut = True
            self.count += 1
            with suppress(BrowserError):  # the page has closed it already
                await one.shop_side.close()
                await one.page_side.close()

    def _connect(self, socket: WebSocketRoute) -> None:
        connection = Connection(socket, socket.connect_to_server())
        self._open = [connection]  # one page at a time: an earlier one is gone

        def pass_on(target: WebSocketRoute, message: str | bytes) -> None:
            if not connection.is_cut:
                target.send(message)

        socket.on_message(lambda message: pass_on(connection.shop_side, message))
        connection.shop_side.on_message(lambda message: pass_on(socket, message))


class Purchase:
    """One purchase by a new browser. `steps` are its steps in words; `expected` its units by product."""

    def __init__(self, shop: ShopServer, page: Page, cutter: Cutter, dice: random.Random, email: str) -> None:
        self.steps: list[str] = []
        self.expected: dict[str, int] = {}
        self._shop = shop
        self._page = page
        self._cutter = cutter
        self._dice = dice
        self._email = email

    async def run(self) -> None:
        """Buy.

        Raises:
            AssertionError: something was lost, doubled, or said and not done.
        """
        toys = self._dice.sample(TOYS, self._dice.choice((1, 2, 3)))
        for toy in toys:
            await self._add(toy)
        await self._change_quantity()
        await self._pay()
        self._require_one_order()

    async def describe(self) -> str:
        """Return what the browser keeps and what the books hold, for a failure."""
        kept: object = None
        with suppress(BrowserError):
            kept = await self._page.evaluate("[{...localStorage}, {...sessionStorage}, location.href]")
        orders = self._ask('SELECT id, cart_id, payment_status FROM "order" WHERE email = ?', self._email)
        log = self._shop.log.splitlines()[-15:]
        return "\n  ".join([f"browser: {kept}", f"orders: {orders}", *log])

    async def _add(self, toy: str) -> None:
        page = self._page
        await page.goto(f"/product/{toy}")
        await page.evaluate(f"({NOTICE})()")
        leaves = self._dice.random() < LEAVE_SHARE
        self.steps.append(f"add {toy}{' and leave' if leaves else ''}")
        button = page.get_by_test_id("add-to-cart").locator("visible=true").first
        await self._cut_during(button.click())
        self.expected[toy] = self.expected.get(toy, 0) + 1
        total = str(sum(self.expected.values()))
        await expect(page.get_by_test_id("cart-count")).to_have_text(total, timeout=PATIENCE_MS)
        if leaves:
            await page.goto(self._dice.choice(("/", "/cart", "/checkout", "/catalog")))
            await expect(
                page.get_by_test_id("cart-count").or_(form_field(page, "email")).first
            ).to_be_visible(timeout=PATIENCE_MS)
        else:
            title = await page.locator(
                "h1"
            ).inner_text()  # the notice of an earlier page's toy may come first
            notice = page.get_by_test_id("added-notice").filter(has_text=title)
            await expect(notice).to_be_visible(timeout=PATIENCE_MS)
            for text, cart_id in await page.evaluate("window.notices"):
                assert title not in text or self._lines(cart_id).get(toy), (
                    f"a notice says that {toy} was added, and it is not there"
                )
            await self._expect_cart()

    async def _change_quantity(self) -> None:
        page = self._page
        await page.goto("/cart")
        lines = page.get_by_test_id("cart-line")
        await expect(lines).to_have_count(len(self.expected), timeout=PATIENCE_MS)
        toy = next(iter(self.expected))
        line = lines.filter(has=page.locator(f'a[href*="/product/{toy}"]'))
        leaves = self._dice.random() < LEAVE_SHARE
        self.steps.append(f"one more {toy}{' and leave' if leaves else ''}")
        await self._cut_during(line.get_by_role("button", name="Agregar una unidad").click())
        self.expected[toy] += 1
        await expect(line.get_by_test_id("quantity")).to_have_value(str(self.expected[toy]))
        if leaves:
            await page.goto("/catalog")
        await expect(page.get_by_test_id("cart-count")).to_have_text(
            str(sum(self.expected.values())), timeout=PATIENCE_MS
        )
        await self._expect_cart()

    async def _pay(self) -> None:
        page = self._page
        self.steps.append("fill in")
        await page.goto("/checkout")
        await expect(form_field(page, "email")).to_be_visible(timeout=PATIENCE_MS)
        await self._cut_during(fill_in(page, email=self._email))
        pay = page.get_by_test_id("place-order")
        await expect(pay).to_contain_text("Pagar $", timeout=PATIENCE_MS)
        self.steps.append("pay")
        await self._cut_during(pay.click())
        await reach_bank(page)
        self.steps.append("approve")
        await self._cut_during(decide(page, "approve"))
        await expect_status(page, "paid")

    async def _cut_during(self, step: Awaitable[object]) -> None:
        """Do the step; as a rule cut the connection at a random moment around its end."""
        if self._dice.random() > CUT_SHARE:
            await step
            return
        delay = self._dice.uniform(0, MAX_CUT_DELAY_S)
        self.steps[-1] += f", cut after {delay * 1000:.0f} ms"
        doing = asyncio.ensure_future(step)
        await asyncio.sleep(delay)  # the moment is the fault that is tried
        await self._cutter.cut()
        await doing

    async def _expect_cart(self) -> None:
        """Wait until the browser's cart in the database holds what was pressed, and nothing else."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while (found := self._lines(await self._cart_id())) != self.expected:
            assert time.monotonic() < deadline, f"the cart holds {found}, pressed was {self.expected}"
            await asyncio.sleep(0.05)  # between two looks

    async def _cart_id(self) -> str:
        return str(await self._page.evaluate("localStorage.getItem('trompo_cart') ?? ''"))

    def _lines(self, cart_id: str) -> dict[str, int]:
        rows = self._ask(
            "SELECT product.handle, line_item.quantity FROM line_item JOIN variant ON variant.id ="
            " line_item.variant_id JOIN product ON product.id = variant.product_id WHERE cart_id = ?",
            cart_id,
        )
        return dict(rows)

    def _require_one_order(self) -> None:
        orders = self._ask('SELECT id, cart_id, payment_status FROM "order" WHERE email = ?', self._email)
        assert len(orders) == 1, f"{len(orders)} orders"
        order_id, cart_id, status = orders[0]
        assert status == "captured", status
        bought: dict[str, int] = dict(
            self._ask(
                "SELECT product.handle, order_line.quantity FROM order_line JOIN variant ON variant.id ="
                " order_line.variant_id JOIN product ON product.id = variant.product_id WHERE order_id = ?",
                order_id,
            )
        )
        assert bought == self.expected, f"the order holds {bought}, pressed was {self.expected}"
        payments = self._ask(
            "SELECT payment_session.state FROM payment_session JOIN payment_collection ON payment_collection.id ="
            " payment_session.collection_id WHERE payment_collection.cart_id = ?",
            cart_id,
        )
        assert payments == [("captured",)], payments
        assert attention_of(self._shop) == []

    def _ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        file = self._shop.folder / "data" / "trompo.db"
        with closing(sqlite3.connect(file, timeout=10)) as books:
            return books.execute(query, values).fetchall()


async def buy(shop: ShopServer, browser: Browser, figures: Figures, folder: Path) -> None:
    """Run the next purchase, and note how it ended."""
    name = f"{figures.seed}-{figures.purchases}"
    dice, cutter = random.Random(name), Cutter()
    context = await browser.new_context(
        base_url=shop.url, viewport={"width": 390, "height": 800}, locale="es-CO"
    )
    await cutter.stand_before(context)
    page = await context.new_page()
    purchase = Purchase(shop, page, cutter, dice, f"cortes-{name}@example.com")
    try:
        await purchase.run()
    except (AssertionError, BrowserError) as error:
        steps = "\n  ".join([*purchase.steps, await purchase.describe()])
        figures.failures.append(f"seed {figures.seed}, purchase {figures.purchases}: {error}\n  {steps}")
        print(figures.failures[-1], flush=True)
        with suppress(BrowserError):  # where the browser itself failed there is no picture
            await page.screenshot(path=folder / f"{name}.png")
    finally:
        figures.purchases += 1
        figures.cuts += cutter.count
        await context.close()


async def run(figures: Figures, folder: Path, cuts: int, *, purchases: int | None = None) -> None:
    """Buy in a shop of its own until so many cuts were made in all, or so many purchases now."""
    with tempfile.TemporaryDirectory() as place:
        shop = ShopServer(Path(place))
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
    """Run from the command line; end with 1 when something went wrong."""
    parser = argparse.ArgumentParser(description="Cut connections of shoppers who buy.")
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--purchase", type=int, help="this purchase alone, once more")
    asked = parser.parse_args()
    if asked.purchase is None:
        figures, folder, purchases = Figures.read(FOLDER, asked.seed), FOLDER, None
    else:
        figures, folder, purchases = Figures(asked.seed, purchases=asked.purchase), FOLDER / "again", 1
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(run(figures, folder, asked.cuts, purchases=purchases))
    print(
        f"seed {figures.seed}: {figures.cuts} cuts in {figures.purchases} purchases,"
        f" {len(figures.failures)} failures"
    )
    sys.exit(bool(figures.failures))


if __name__ == "__main__":
    main()
