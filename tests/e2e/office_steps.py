"""Steps of a staff member in the browser: sign in, and create orders and attentions to work on."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal

import httpx
from playwright.async_api import Page, expect
from sqlalchemy import select, update

import backend.subscriptions  # noqa: F401 - an order follows its payment
from backend.attention import AttentionKind, raise_attention
from backend.channels.models import PublishableKey
from backend.core.db.database import Database, db_now
from backend.inventory.models import InventoryLevel
from backend.orders.service import read_order
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.sessions import find_decisive_session
from backend.payment.transitions import apply_report
from backend.staff.models import StaffSession
from tests.e2e.conftest import OWNER_LOGIN, ShopServer
from tests.e2e.shopper import TIMEOUT_MS, wait_until_hydrated
from tests.store_steps import PSE, complete_purchase

ENTRY_URL = re.compile(r"/oficina/entrar\?next=")


async def enter_office(page: Page, shop: ShopServer, path: str = "/oficina") -> None:
    """Sign the browser in without the entry page, and open a screen of the office."""
    await sign_in(page, shop)
    await visit(page, path)


async def sign_in(page: Page, shop: ShopServer, login: tuple[str, str] = OWNER_LOGIN) -> None:
    """Sign the browser in without any page."""
    email, password = login
    answer = await page.request.post(
        "/auth/staff/login", data={"email": email, "password": password}, headers={"origin": shop.url}
    )
    assert answer.ok, await answer.text()


async def visit(page: Page, path: str) -> None:
    """Open a screen and wait until it is hydrated and shows its data."""
    await page.goto(path)
    await wait_until_hydrated(page)
    await expect(page.locator(".bone")).to_have_count(0)
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def submit_entry_form(page: Page, password: str = OWNER_LOGIN[1], code: str = "") -> None:
    """Sign in on the entry page, with the second factor's code if there is one."""
    await page.get_by_test_id("office-email").fill(OWNER_LOGIN[0])
    await page.get_by_test_id("office-password").fill(password)
    await page.get_by_test_id("office-code").fill(code)
    await page.get_by_test_id("office-enter").click()


async def confirm_second_factors(shop: ShopServer) -> None:
    """Mark the second factor of every session as confirmed, so that a test need not set one up."""
    async with open_database(shop) as database, database.transaction() as session:
        await session.execute(update(StaffSession).values(second_factor_at=db_now()))


async def raise_attentions(shop: ShopServer, *kinds: AttentionKind) -> None:
    """Create attentions of these kinds in the shop's database."""
    async with open_database(shop) as database, database.transaction() as session:
        for kind in kinds:
            await raise_attention(
                session, kind, subject_id=f"office-{kind}", message="The bank said so", amount=33_528
            )


@dataclass(frozen=True)
class PlacedOrder:
    """An order of one product: its number, its id, its page for the customer, and the product's SKU."""

    number: int
    id: str
    page: str
    sku: str


async def place_order(shop: ShopServer, units: int = 1) -> PlacedOrder:
    """Order units of a product by PSE over the Store API; the bank has not decided yet."""
    async with open_database(shop) as database, database.read() as session:
        key = (await session.execute(select(PublishableKey.token))).scalar_one()
        most_stocked = select(InventoryLevel.variant_id).order_by(InventoryLevel.stocked.desc()).limit(1)
        variant = (await session.execute(most_stocked)).scalar_one()
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(base_url=shop.url, headers=headers, timeout=TIMEOUT_MS / 1000) as store:
        order = await complete_purchase(store, variant, units, PSE, "calculated")
    page = f"/order/{order['id']}?token={order['access_token']}"
    return PlacedOrder(order["display_id"], order["id"], page, order["items"][0]["variant_sku"])


async def place_paid_order(shop: ShopServer, units: int = 1) -> PlacedOrder:
    """Order units of a product; the bank has approved the payment."""
    placed_order = await place_order(shop, units)
    await report_payment(shop, placed_order.id, ProviderState.CAPTURED)
    return placed_order


async def report_payment(shop: ShopServer, order_id: str, state: ProviderState, amount: str = "") -> None:
    """Report this state of the order's payment, as the bank does. `amount` is the requested amount by default."""
    async with open_database(shop) as database:
        async with database.read() as session:
            order = await read_order(session, order_id)
            payment = await find_decisive_session(session, order.cart_id)
        assert payment is not None
        provider_report = ProviderReport(
            state=state,
            amount=Decimal(amount or payment.amount),
            currency="COP",
            invoice=payment.invoice,
            reference=payment.reference,
        )
        await apply_report(database, payment.id, provider_report)


@asynccontextmanager
async def open_database(shop: ShopServer) -> AsyncIterator[Database]:
    """Open the shop's database until the block ends."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        yield database
    finally:
        await database.close()
