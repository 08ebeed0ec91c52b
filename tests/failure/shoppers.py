"""Those who use a shop while its machines fail: programs at the Store API, browsers, and staff who send what is paid.

They do what people and programs do: wait, try again, press a button again, load a page again that the browser could not
load. They never help a page that shows and does nothing: that one is stuck.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, Page, Response
from playwright.async_api import Error as PlaywrightError
from sqlalchemy import select

from backend.orders.models import Order
from backend.payment.models import PaymentCollection, PaymentSession
from tests.e2e.shopper import ANA, BANK, MEDELLIN
from tests.failure.books import OVER
from tests.failure.cluster import STAFF, Cluster
from tests.store_steps import HOME, PAYER, PSE

DECISIONS = ("approve",) * 7 + ("reject", "cancel")
GIVES_UP = 150.0
"""Seconds after which a program or a page that gets nowhere is stuck."""
PRESS_AGAIN = 4.0
"""Seconds after which a person presses a button again."""
TOYS = ("yoyo-de-madera", "coca-balero", "bolsa-de-canicas")


@dataclass
class Figures:
    """What was answered, and what came of it."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Answers that nobody should get, and pages that were stuck."""
    bought: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    """Seconds that requests took that were answered well at last."""

    def note(self, who: str, asked: str, status: int, headers: Mapping[str, str], body: str = "") -> None:
        """Count an answer. The shop itself refuses with 503 and `Retry-After`, never with 500."""
        if "x-replica" not in headers:
            self.answers[f"{who}: {status} by the proxy"] += 1
            return
        self.answers[f"{who}: {status}"] += 1
        if status >= 500 and not (status == 503 and "retry-after" in headers):
            self.wrong.append(f"{status} {asked} {body[:300]}")


class NoProgress(Exception):
    """Somebody gets nowhere."""


@dataclass
class Program:
    """A client of the API that tries again while it makes sense."""

    url: str
    figures: Figures
    who: str
    headers: dict[str, str] = field(default_factory=dict)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status (below 500) and body of an answer; refused or lost ones are asked for again.

        Raises:
            NoProgress: there was no answer for too long.
        """
        started = time.monotonic()
        while time.monotonic() - started < GIVES_UP:
            answer = await self._try(method, path, body)
            if answer is not None and answer.status_code < 500:
                self.figures.waits.append(time.monotonic() - started)
                return answer.status_code, answer.json()
            await asyncio.sleep(random.uniform(0.3, 1))
        raise NoProgress(f"{self.who}: {method} {path}")

    async def _try(self, method: str, path: str, body: Any) -> httpx.Response | None:
        try:
            async with httpx.AsyncClient(base_url=self.url, headers=self.headers, timeout=70) as client:
                answer = await client.request(method, path, json=body)
        except httpx.TransportError as error:
            self.figures.answers[f"{self.who}: {type(error).__name__}"] += 1
            return None
        self.figures.note(self.who, f"{method} {path}", answer.status_code, answer.headers, answer.text)
        return answer

    async def need(self, method: str, path: str, body: Any = None) -> Any:
        """The body of an answer that has to be 200.

        Raises:
            NoProgress: it is another.
        """
        status, answer = await self.ask(method, path, body)
        if status != 200:
            raise NoProgress(f"{self.who}: {status} {method} {path} {str(answer)[:300]}")
        return answer


@dataclass
class Street:
    """Everybody, until `is_closing`: then they finish what they have begun."""

    cluster: Cluster
    figures: Figures
    key: str
    variants: list[str]
    folder: Path
    is_closing: bool = False
    numbers: "count[int]" = field(default_factory=count)

    @classmethod
    async def of(cls, cluster: Cluster, figures: Figures, folder: Path) -> "Street":
        """The shop's key and toys, as a program learns them."""
        token = await staff_token(cluster, figures)
        admin = Program(cluster.url, figures, "staff", {"Authorization": f"Bearer {token}"})
        key = (await admin.need("GET", "/admin/api-keys"))["api_keys"][0]["token"]
        store = Program(cluster.url, figures, "program", {"x-publishable-api-key": key})
        products = (await store.need("GET", "/store/products?limit=20&fields=*variants"))["products"]
        return cls(cluster, figures, key, [v["id"] for p in products for v in p["variants"]], folder)

    async def programs(self) -> None:
        """One program after the other buys."""
        while not self.is_closing:
            await self._counted("program", self.buy_as_program)

    async def browsers(self, browser: Browser) -> None:
        """One shopper after the other comes with a browser and buys."""
        while not self.is_closing:
            await self._counted("browser", lambda: self.buy_in(browser))

    async def _counted(self, who: str, buy: Callable[[], Awaitable[str]]) -> None:
        try:
            self.figures.bought[f"{who}: {await buy()}"] += 1
        except NoProgress as error:
            self.figures.wrong.append(f"stuck: {error}")
            self.cluster.note(f"stuck: {error}")

    async def buy_as_program(self) -> str:
        """All steps of a purchase, and the decision at the bank. Gives what was decided."""
        address = ".".join(str(random.randrange(1, 255)) for _ in range(4))
        store = Program(
            self.cluster.url,
            self.figures,
            "program",
            {"x-publishable-api-key": self.key, "X-Forwarded-For": address},
        )
        item = {"variant_id": random.choice(self.variants), "quantity": random.randint(1, 3)}
        made = await store.need("POST", "/store/carts", {"items": [item], "email": "ana@example.com"})
        cart = f"/store/carts/{made['cart']['id']}"
        await store.need("POST", cart, {"shipping_address": HOME})
        options = (await store.need("GET", f"/store/shipping-options?cart_id={made['cart']['id']}"))[
            "shipping_options"
        ]
        chosen = next(option for option in options if option["price_type"] == "calculated")
        await store.need("POST", f"{cart}/shipping-methods", {"option_id": chosen["id"]})
        owed = (await store.need("POST", "/store/payment-collections", {"cart_id": made["cart"]["id"]}))[
            "payment_collection"
        ]
        sessions = f"/store/payment-collections/{owed['id']}/payment-sessions"
        started = time.monotonic()
        payer: dict[str, Any] = dict(PAYER)
        while True:
            status, answer = await store.ask("POST", sessions, {"provider_id": PSE, "data": payer})
            if status == 409 and "`data.replace`" in answer["message"]:
                payer = {**PAYER, "replace": True}  # as it is told: nobody knows the way to that bank's page
            session = answer["payment_collection"]["payment_sessions"][-1] if status == 200 else {}
            if url := session.get("data", {}).get("redirect_url"):
                break
            if time.monotonic() - started > GIVES_UP:
                raise NoProgress(f"program: no bank: {status} {str(answer)[:300]}")
            await asyncio.sleep(10)  # tries to pay are counted, too
        await store.need("POST", f"{cart}/complete", {})
        decision = random.choice(DECISIONS)
        async with httpx.AsyncClient() as bank:
            assert (await bank.post(url, data={"decision": decision})).status_code == 303
        return decision

    async def buy_in(self, browser: Browser) -> str:
        """One shopper's purchase in a window of their own. Gives what was decided."""
        context = await browser.new_context(base_url=self.cluster.url, viewport={"width": 400, "height": 800})
        page = await context.new_page()
        number = next(self.numbers)

        async def note(response: Response) -> None:
            if response.url.startswith(self.cluster.url) and response.status >= 500:
                asked = f"{response.request.method} {response.url}"
                self.figures.note("browser", asked, response.status, response.headers)

        page.on("response", note)
        decision = random.choice(DECISIONS)
        try:
            return await Shopper(page, self.cluster.url).buy(random.choice(TOYS), decision)
        except NoProgress as error:
            if decision != "approve" and await self._is_looked_up(page.url):
                return f"{decision}, and an earlier try is still looked up"
            with suppress(PlaywrightError):
                await page.screenshot(path=self.folder / f"stuck-{number}.png")
                (self.folder / f"stuck-{number}.html").write_text(await page.content())
            raise NoProgress(f"browser {number}: {error} at {page.url}") from error
        finally:
            await context.close()

    async def _is_looked_up(self, url: str) -> bool:
        """Whether the order waits for a payment of which nobody knows yet: its page rightly says so."""
        order_id = url.partition("/order/")[2].partition("?")[0]
        query = (
            select(PaymentSession.state)
            .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
            .join(Order, Order.cart_id == PaymentCollection.cart_id)
            .where(Order.id == order_id)
        )
        async with self.cluster.database.read() as session:
            return any(state not in OVER for state in (await session.execute(query)).scalars())


@dataclass
class Shopper:
    """A person before a page. Each step goes on until it is done or the person gives up."""

    page: Page
    url: str

    async def buy(self, toy: str, decision: str) -> str:
        """From the toy's page to the order's. Gives the decision."""
        page = self.page
        await self._go(f"/product/{toy}")
        await self._until(
            "the toy is in the cart",
            lambda: page.get_by_test_id("added-notice").is_visible(),
            lambda: page.get_by_test_id("add-to-cart").locator("visible=true").first.click(timeout=1000),
        )
        await self._go("/checkout")
        await self._until("the form shows", self._field("email").is_visible)
        for name, text in ANA.items():
            await self._fill(name, text)
        await self._until("the town is chosen", self._has_town, self._choose_town)
        await self._until(
            "the bank is chosen",
            self._has_bank,
            lambda: page.get_by_test_id("bank-select").select_option(BANK, timeout=1000),
        )
        for box in ("consent_data", "consent_terms"):
            await self._until(f"{box} is ticked", self._field(box).is_checked, self._field(box).check)
        again = page.locator(".shipping__none button")  # where the price could not be had
        await self._until("there is a price", self._has_price, lambda: again.click(timeout=1000))
        await self._until("the bank's page opens", self._is_at_bank, self._pay)
        await self._until(
            "the order's page opens",
            page.get_by_test_id("order-status").is_visible,
            lambda: page.get_by_test_id(f"bank-{decision}").click(timeout=1000),
            reload=True,
        )
        told = {"approve": "paid", "reject": "rejected", "cancel": "canceled"}[decision]
        await self._until(f"the order is {told}", lambda: self._has_status(told))
        return decision

    async def _go(self, path: str) -> None:
        """Open a page; a browser that could not load it, or shows an error of the proxy, is asked again."""

        async def is_loaded() -> bool:
            answer = await self.page.goto(path, wait_until="domcontentloaded", timeout=70_000)
            return answer is not None and answer.ok

        await self._until(f"{path} loads", is_loaded)

    async def _until(
        self,
        what: str,
        reached: Callable[[], Awaitable[bool]],
        act: Callable[[], Awaitable[object]] | None = None,
        *,
        reload: bool = False,
    ) -> None:
        """Act, and act again every few seconds, until it is so. `reload`: a page that is no page is loaded again."""
        started, acted = time.monotonic(), 0.0
        while True:
            with suppress(PlaywrightError):
                if await reached():
                    return
            if time.monotonic() - started > GIVES_UP:
                raise NoProgress(f"not within {GIVES_UP:.0f} s: {what}")
            if time.monotonic() - acted > PRESS_AGAIN:
                acted = time.monotonic()
                with suppress(PlaywrightError):
                    if reload and await self._is_no_page():
                        await self.page.reload(wait_until="domcontentloaded", timeout=70_000)
                    elif act is not None:
                        await act()
            await asyncio.sleep(0.25)

    async def _is_no_page(self) -> bool:
        """Whether the browser shows its own error, or the proxy's."""
        return not await self.page.locator("main").count()

    def _field(self, name: str) -> Any:
        return self.page.locator(f'[name="{name}"]')

    async def _fill(self, name: str, text: str) -> None:
        async def is_filled() -> bool:
            return bool(await self._field(name).input_value(timeout=1000) == text)

        await self._until(f"{name} is filled", is_filled, lambda: self._field(name).fill(text, timeout=1000))

    async def _has_town(self) -> bool:
        return bool(await self._field("dane_code").input_value(timeout=1000) == MEDELLIN[2])

    async def _choose_town(self) -> None:
        typed, name, _ = MEDELLIN
        await self._field("town").fill("", timeout=1000)
        await self._field("town").fill(typed, timeout=1000)
        await self.page.get_by_test_id("town-option").filter(has_text=name).click(timeout=3000)

    async def _has_bank(self) -> bool:
        return bool(await self.page.get_by_test_id("bank-select").input_value(timeout=1000) == BANK)

    async def _has_price(self) -> bool:
        return "Pagar $" in await self.page.get_by_test_id("place-order").inner_text(timeout=1000)

    async def _is_at_bank(self) -> bool:
        return bool(await self.page.get_by_test_id("bank-approve").is_visible())

    async def _pay(self) -> None:
        way = self.page.get_by_test_id("go-to-bank")
        if await way.is_visible():
            await way.click(timeout=1000)
        elif not self.page.url.startswith(self.url):  # on the way to the bank
            return
        else:
            await self.page.get_by_test_id("place-order").click(timeout=1000)

    async def _has_status(self, status: str) -> bool:
        shown = await self.page.get_by_test_id("order-status").get_attribute("data-status", timeout=1000)
        return shown == status


async def staff_token(cluster: Cluster, figures: Figures) -> str:
    """A session of the owner's, for programs."""
    program = Program(cluster.url, figures, "staff")
    answer = await program.need("POST", "/auth/user/emailpass", {"email": STAFF[0], "password": STAFF[1]})
    return str(answer["token"])


@dataclass
class Sender:
    """Staff who make a label for each paid order, and settle what is in doubt by looking at the carrier's own desk."""

    cluster: Cluster
    figures: Figures
    token: str
    is_closing: bool = False
    sent: int = 0
    doubts: int = 0

    async def work(self) -> None:
        """Go on until `is_closing` and nothing is left to be sent."""
        admin = Program(self.cluster.url, self.figures, "staff", {"Authorization": f"Bearer {self.token}"})
        while True:
            is_last = self.is_closing
            try:
                left = await self._send_all(admin) + await self._settle_doubts(admin)
            except NoProgress as error:
                self.figures.wrong.append(f"stuck: {error}")
                return
            if is_last and not left:
                return
            await asyncio.sleep(0.5)

    async def _send_all(self, admin: Program) -> int:
        """Make labels for what is paid and not sent. Gives how many orders there were."""
        query = "/admin/orders?limit=50&payment_status=captured&fulfillment_status=not_fulfilled"
        orders = [
            order
            for order in (await admin.need("GET", query))["orders"]
            if order["payment_status"] == "captured" and order["fulfillment_status"] == "not_fulfilled"
        ]
        for order in orders:
            whole = (await admin.need("GET", f"/admin/orders/{order['id']}"))["order"]
            items = [{"id": item["id"], "quantity": item["quantity"]} for item in whole["items"]]
            status, _ = await admin.ask("POST", f"/admin/orders/{order['id']}/fulfillments", {"items": items})
            self.sent += status == 200
        return len(orders)

    async def _settle_doubts(self, admin: Program) -> int:
        rows = (await admin.need("GET", "/admin/attention?status=open&kind=label_in_doubt"))["attention"]
        for row in rows:
            made = [
                label
                for label in await self.cluster.carrier.ledger.labels()
                if label.reference == row["data"]["reference"]
            ]
            decision: dict[str, Any] = {"action": "dismissed", "note": "The carrier's desk shows none"}
            if made:
                decision = {
                    "action": "honor",
                    "label": {"carrier_order_id": made[0].order_id, "carrier": made[0].carrier},
                }
            await admin.ask("POST", f"/admin/attention/{row['id']}/resolve", decision)
            self.doubts += 1
        return len(rows)
