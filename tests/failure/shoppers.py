"""Users of a shop whose machines fail: Store API programs, browsers, and staff who ship paid orders.

They do what real users do: wait, retry, click a button again, reload a page that the browser could not load. They
never help a page that is displayed and does nothing: that page is stuck.
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
from tests.failure.books import FINAL_STATES
from tests.failure.cluster import STAFF, Cluster
from tests.store_steps import HOME, PAYER, PSE

DECISIONS = ("approve",) * 7 + ("reject", "cancel")
STUCK_TIMEOUT_S = 150.0
"""Seconds after which a program or page without progress is stuck."""
REQUEST_TIMEOUT_S = 70.0
"""Timeout of a request in seconds, longer than the proxy waits for a replica."""
CLICK_INTERVAL_S = 4.0
"""Seconds after which a person clicks a button again."""
PRODUCT_HANDLES = ("yoyo-de-madera", "coca-balero", "bolsa-de-canicas")


@dataclass
class Figures:
    """Counts of answers and of finished purchases, and everything that was wrong."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Unacceptable answers, and stuck pages."""
    bought: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    """Durations of requests that finally succeeded, in seconds."""

    def count_answer(
        self, client_name: str, request: str, status: int, headers: Mapping[str, str], body: str = ""
    ) -> None:
        """Count an answer. It is wrong if the shop itself sent a 5xx other than 503 with `Retry-After`."""
        if "x-replica" not in headers:
            self.answers[f"{client_name}: {status} by the proxy"] += 1
            return
        self.answers[f"{client_name}: {status}"] += 1
        if status >= 500 and not (status == 503 and "retry-after" in headers):
            self.wrong.append(f"{status} {request} {body[:300]}")


class NoProgress(Exception):
    """A user makes no progress."""


@dataclass
class Program:
    """An API client that retries while it makes sense."""

    url: str
    figures: Figures
    client_name: str
    headers: dict[str, str] = field(default_factory=dict)

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status (below 500) and body of an answer of the shop; repeat refused or lost requests.

        The proxy itself answers with 408 or 502, for example, while replicas start.

        Raises:
            NoProgress: there was no answer for too long.
        """
        started = time.monotonic()
        while time.monotonic() - started < STUCK_TIMEOUT_S:
            answer = await self._send(method, path, body)
            if answer is not None and answer.status_code < 500 and "x-replica" in answer.headers:
                self.figures.waits.append(time.monotonic() - started)
                return answer.status_code, answer.json()
            await asyncio.sleep(random.uniform(0.3, 1))
        raise NoProgress(f"{self.client_name}: {method} {path}")

    async def _send(self, method: str, path: str, body: Any) -> httpx.Response | None:
        try:
            async with httpx.AsyncClient(
                base_url=self.url, headers=self.headers, timeout=REQUEST_TIMEOUT_S
            ) as client:
                answer = await client.request(method, path, json=body)
        except httpx.TransportError as error:
            self.figures.answers[f"{self.client_name}: {type(error).__name__}"] += 1
            return None
        self.figures.count_answer(
            self.client_name, f"{method} {path}", answer.status_code, answer.headers, answer.text
        )
        return answer

    async def request_ok(self, method: str, path: str, body: Any = None) -> Any:
        """Return the body of an answer that must be 200.

        Raises:
            NoProgress: the status is another one.
        """
        status, answer = await self.request(method, path, body)
        if status != 200:
            raise NoProgress(f"{self.client_name}: {status} {method} {path} {str(answer)[:300]}")
        return answer


@dataclass
class Crowd:
    """All customers. Once `is_closing` is set, they finish their current purchase and stop."""

    cluster: Cluster
    figures: Figures
    key: str
    variants: list[str]
    folder: Path
    is_closing: bool = False
    numbers: "count[int]" = field(default_factory=count)

    @classmethod
    async def create(cls, cluster: Cluster, figures: Figures, folder: Path) -> "Crowd":
        """Return a crowd with the shop's publishable key and variants, which are read over the API."""
        token = await staff_token(cluster, figures)
        admin = Program(cluster.url, figures, "staff", {"Authorization": f"Bearer {token}"})
        key = (await admin.request_ok("GET", "/admin/api-keys"))["api_keys"][0]["token"]
        store = Program(cluster.url, figures, "program", {"x-publishable-api-key": key})
        products = (await store.request_ok("GET", "/store/products?limit=20&fields=*variants"))["products"]
        return cls(cluster, figures, key, [v["id"] for p in products for v in p["variants"]], folder)

    async def run_programs(self) -> None:
        """Make one purchase after the other, each with a new API client."""
        while not self.is_closing:
            await self._count_purchase("program", self.buy_as_program)

    async def run_browsers(self, browser: Browser) -> None:
        """Make one purchase after the other, each in a new window of the browser."""
        while not self.is_closing:
            await self._count_purchase("browser", lambda: self.buy_in_browser(browser))

    async def _count_purchase(self, client_name: str, buy: Callable[[], Awaitable[str]]) -> None:
        try:
            self.figures.bought[f"{client_name}: {await buy()}"] += 1
        except NoProgress as error:
            self.figures.wrong.append(f"stuck: {error}")
            self.cluster.log_event(f"stuck: {error}")

    async def buy_as_program(self) -> str:
        """Make a whole purchase and decide at the bank. Return the decision."""
        address = ".".join(str(random.randrange(1, 255)) for _ in range(4))
        store = Program(
            self.cluster.url,
            self.figures,
            "program",
            {"x-publishable-api-key": self.key, "X-Forwarded-For": address},
        )
        item = {"variant_id": random.choice(self.variants), "quantity": random.randint(1, 3)}
        created = await store.request_ok(
            "POST", "/store/carts", {"items": [item], "email": "ana@example.com"}
        )
        cart = f"/store/carts/{created['cart']['id']}"
        await store.request_ok("POST", cart, {"shipping_address": HOME})
        options = (await store.request_ok("GET", f"/store/shipping-options?cart_id={created['cart']['id']}"))[
            "shipping_options"
        ]
        chosen = next(option for option in options if option["price_type"] == "calculated")
        await store.request_ok("POST", f"{cart}/shipping-methods", {"option_id": chosen["id"]})
        collection = (
            await store.request_ok("POST", "/store/payment-collections", {"cart_id": created["cart"]["id"]})
        )["payment_collection"]
        sessions = f"/store/payment-collections/{collection['id']}/payment-sessions"
        started = time.monotonic()
        payment_data: dict[str, Any] = dict(PAYER)
        while True:
            status, answer = await store.request("POST", sessions, {"provider_id": PSE, "data": payment_data})
            if status == 409 and "`data.replace`" in answer["message"]:
                payment_data = {
                    **PAYER,
                    "replace": True,
                }  # as the message says: the address of that bank's page is unknown
            session = answer["payment_collection"]["payment_sessions"][-1] if status == 200 else {}
            if url := session.get("data", {}).get("redirect_url"):
                break
            if time.monotonic() - started > STUCK_TIMEOUT_S:
                raise NoProgress(f"program: no bank: {status} {str(answer)[:300]}")
            await asyncio.sleep(10)  # the shop limits payment attempts
        await store.request_ok("POST", f"{cart}/complete", {})
        decision = random.choice(DECISIONS)
        async with httpx.AsyncClient(timeout=REQUEST_TIMEOUT_S) as bank:
            assert (await bank.post(url, data={"decision": decision})).status_code == 303
        return decision

    async def buy_in_browser(self, browser: Browser) -> str:
        """Make one purchase in a new window. Return the decision."""
        context = await browser.new_context(
            base_url=self.cluster.url, viewport={"width": 400, "height": 800}, service_workers="block"
        )
        page = await context.new_page()
        number = next(self.numbers)

        async def note(response: Response) -> None:
            if response.url.startswith(self.cluster.url) and response.status >= 500:
                request = f"{response.request.method} {response.url}"
                self.figures.count_answer("browser", request, response.status, response.headers)

        page.on("response", note)
        decision = random.choice(DECISIONS)
        try:
            return await Shopper(page, self.cluster.url).buy(random.choice(PRODUCT_HANDLES), decision)
        except NoProgress as error:
            if decision != "approve" and await self._is_payment_open(page.url):
                return f"{decision}, and an earlier attempt is still being checked"
            with suppress(PlaywrightError):
                await page.screenshot(path=self.folder / f"stuck-{number}.png")
                (self.folder / f"stuck-{number}.html").write_text(await page.content())
            raise NoProgress(f"browser {number}: {error} at {page.url}") from error
        finally:
            await context.close()

    async def _is_payment_open(self, url: str) -> bool:
        """Return True if the order has a payment without a final state. Its page then says that it waits."""
        order_id = url.partition("/order/")[2].partition("?")[0]
        query = (
            select(PaymentSession.state)
            .join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
            .join(Order, Order.cart_id == PaymentCollection.cart_id)
            .where(Order.id == order_id)
        )
        async with self.cluster.database.read() as session:
            return any(state not in FINAL_STATES for state in (await session.execute(query)).scalars())


@dataclass
class Shopper:
    """A customer with a browser. Each step is repeated until it succeeds or the customer gives up."""

    page: Page
    url: str

    async def buy(self, product: str, decision: str) -> str:
        """Buy from the product's page to the order's page. Return the decision."""
        page = self.page
        await self._open(f"/product/{product}")
        await self._repeat_until(
            "the product is in the cart",
            lambda: page.get_by_test_id("added-notice").is_visible(),
            lambda: page.get_by_test_id("add-to-cart").locator("visible=true").first.click(timeout=1000),
        )
        await self._open("/checkout")
        await self._repeat_until("the form shows", self._field("email").is_visible)
        for name, text in ANA.items():
            await self._fill(name, text)
        await self._repeat_until("the town is chosen", self._has_town, self._choose_town)
        await self._repeat_until(
            "the bank is chosen",
            self._has_bank,
            lambda: page.get_by_test_id("bank-select").select_option(BANK, timeout=1000),
        )
        for box in ("consent_data", "consent_terms"):
            await self._repeat_until(f"{box} is ticked", self._field(box).is_checked, self._field(box).check)
        retry = page.locator(".shipping__none button")  # shown if there is no price
        await self._repeat_until("there is a price", self._has_price, lambda: retry.click(timeout=1000))
        await self._repeat_until("the bank's page opens", self._is_at_bank, self._pay)
        await self._repeat_until(
            "the order's page opens",
            page.get_by_test_id("order-status").is_visible,
            lambda: page.get_by_test_id(f"bank-{decision}").click(timeout=1000),
            reload=True,
        )
        status = {"approve": "paid", "reject": "rejected", "cancel": "canceled"}[decision]
        await self._repeat_until(f"the order is {status}", lambda: self._has_status(status))
        return decision

    async def _open(self, path: str) -> None:
        """Open a page; repeat if the browser could not load it or displays an error of the proxy."""

        async def is_loaded() -> bool:
            answer = await self.page.goto(path, wait_until="domcontentloaded", timeout=70_000)
            return answer is not None and answer.ok

        await self._repeat_until(f"{path} loads", is_loaded)

    async def _repeat_until(
        self,
        step: str,
        is_reached: Callable[[], Awaitable[bool]],
        act: Callable[[], Awaitable[object]] | None = None,
        *,
        reload: bool = False,
    ) -> None:
        """Repeat `act` every few seconds until `is_reached` returns True.

        With `reload`, a page that failed to load is reloaded instead.

        Raises:
            NoProgress: `is_reached` did not return True within `STUCK_TIMEOUT_S` seconds.
        """
        started, acted = time.monotonic(), 0.0
        while True:
            with suppress(PlaywrightError):
                if await is_reached():
                    return
            if time.monotonic() - started > STUCK_TIMEOUT_S:
                raise NoProgress(f"not within {STUCK_TIMEOUT_S:.0f} s: {step}")
            if time.monotonic() - acted > CLICK_INTERVAL_S:
                acted = time.monotonic()
                with suppress(PlaywrightError):
                    if reload and await self._has_browser_error():
                        await self.page.reload(wait_until="domcontentloaded", timeout=70_000)
                    elif act is not None:
                        await act()
            await asyncio.sleep(0.25)

    async def _has_browser_error(self) -> bool:
        """Return True if the browser displays its own error or the proxy's."""
        return not await self.page.locator("main").count()

    def _field(self, name: str) -> Any:
        return self.page.locator(f'[name="{name}"]')

    async def _fill(self, name: str, text: str) -> None:
        async def is_filled() -> bool:
            return bool(await self._field(name).input_value(timeout=1000) == text)

        await self._repeat_until(
            f"{name} is filled", is_filled, lambda: self._field(name).fill(text, timeout=1000)
        )

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
        link = self.page.get_by_test_id("go-to-bank")
        if await link.is_visible():
            await link.click(timeout=1000)
        elif not self.page.url.startswith(self.url):  # the bank's page is loading
            return
        else:
            await self.page.get_by_test_id("place-order").click(timeout=1000)

    async def _has_status(self, status: str) -> bool:
        displayed = await self.page.get_by_test_id("order-status").get_attribute("data-status", timeout=1000)
        return displayed == status


async def staff_token(cluster: Cluster, figures: Figures) -> str:
    """Return a token of the owner, for programs."""
    program = Program(cluster.url, figures, "staff")
    answer = await program.request_ok(
        "POST", "/auth/user/emailpass", {"email": STAFF[0], "password": STAFF[1]}
    )
    return str(answer["token"])


@dataclass
class OrderShipper:
    """Staff who create a label for each paid order, and look up labels of unknown outcome at the carrier."""

    cluster: Cluster
    figures: Figures
    token: str
    is_closing: bool = False
    sent: int = 0
    doubts: int = 0

    async def ship_orders(self) -> None:
        """Ship orders until `is_closing` is set and no order is left."""
        admin = Program(self.cluster.url, self.figures, "staff", {"Authorization": f"Bearer {self.token}"})
        while True:
            is_last = self.is_closing
            try:
                remaining = await self._create_labels(admin) + await self._resolve_doubts(admin)
            except NoProgress as error:
                self.figures.wrong.append(f"stuck: {error}")
                return
            if is_last and not remaining:
                return
            await asyncio.sleep(0.5)

    async def _create_labels(self, admin: Program) -> int:
        """Create labels for paid, unshipped orders. Return the number of orders."""
        query = "/admin/orders?limit=50&payment_status=captured&fulfillment_status=not_fulfilled"
        orders = [
            order
            for order in (await admin.request_ok("GET", query))["orders"]
            if order["payment_status"] == "captured" and order["fulfillment_status"] == "not_fulfilled"
        ]
        for order in orders:
            full_order = (await admin.request_ok("GET", f"/admin/orders/{order['id']}"))["order"]
            items = [{"id": item["id"], "quantity": item["quantity"]} for item in full_order["items"]]
            status, _ = await admin.request(
                "POST", f"/admin/orders/{order['id']}/fulfillments", {"items": items}
            )
            self.sent += status == 200
        return len(orders)

    async def _resolve_doubts(self, admin: Program) -> int:
        rows = (await admin.request_ok("GET", "/admin/attention?status=open&kind=label_in_doubt"))[
            "attention"
        ]
        for row in rows:
            labels = [
                label
                for label in await self.cluster.carrier.ledger.list_labels()
                if label.reference == row["data"]["reference"]
            ]
            decision: dict[str, Any] = {"action": "dismissed", "note": "The carrier's desk shows none"}
            if labels:
                decision = {
                    "action": "honor",
                    "label": {"carrier_order_id": labels[0].order_id, "carrier": labels[0].carrier},
                }
            await admin.request("POST", f"/admin/attention/{row['id']}/resolve", decision)
            self.doubts += 1
        return len(rows)
