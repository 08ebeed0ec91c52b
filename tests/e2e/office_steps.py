"""What somebody of the staff does again and again: sign in, and find something to resolve."""

import re
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
from backend.payment.sessions import decisive_session
from backend.payment.transitions import apply_report
from backend.staff.models import StaffSession
from tests.e2e.conftest import STAFF, ShopServer
from tests.e2e.shopper import PATIENCE
from tests.store_steps import PSE, bought

AT_ENTRY = re.compile(r"/oficina/entrar\?next=")


async def enter(page: Page, shop: ShopServer, path: str = "/oficina") -> None:
    """Sign the browser in, without the page for it, and open a screen of the office."""
    await sign_in(page, shop)
    await visit(page, path)


async def sign_in(page: Page, shop: ShopServer) -> None:
    """Sign the browser in, without any page."""
    email, password = STAFF
    answer = await page.request.post(
        "/auth/staff/login", data={"email": email, "password": password}, headers={"origin": shop.url}
    )
    assert answer.ok, await answer.text()


async def visit(page: Page, path: str) -> None:
    """Open a screen and wait until it shows what it knows, and reacts."""
    await page.goto(path)
    await page.wait_for_function("() => window.__reflex")
    await expect(page.locator(".bone")).to_have_count(0, timeout=PATIENCE)
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def fill_in_entry(page: Page, password: str = STAFF[1], code: str = "") -> None:
    """Say who one is on the page for it, with the second factor's code if there is one, and send that."""
    await page.get_by_test_id("office-email").fill(STAFF[0])
    await page.get_by_test_id("office-password").fill(password)
    await page.get_by_test_id("office-code").fill(code)
    await page.get_by_test_id("office-enter").click()


async def prove(shop: ShopServer) -> None:
    """Every session has the second factor: tests of the code itself set one up."""
    books = _books(shop)
    try:
        async with books.transaction() as session:
            await session.execute(update(StaffSession).values(second_factor_at=db_now()))
    finally:
        await books.close()


async def raise_rows(shop: ShopServer, *kinds: AttentionKind) -> None:
    """Put something to resolve into the shop's books."""
    database = Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
    try:
        async with database.transaction() as session:
            for kind in kinds:
                await raise_attention(
                    session, kind, subject_id=f"office-{kind}", message="The bank said so", amount=33_528
                )
    finally:
        await database.close()


@dataclass(frozen=True)
class Sold:
    """An order of one toy: what people call it, its id, its page for its buyer, and the toy's SKU."""

    number: int
    id: str
    page: str
    sku: str


async def order_over_the_api(shop: ShopServer, units: int = 1) -> Sold:
    """Order units of a toy by PSE, over the Store API; the bank has not decided yet."""
    books = _books(shop)
    try:
        async with books.read() as session:
            key = (await session.execute(select(PublishableKey.token))).scalar_one()
            plenty = select(InventoryLevel.variant_id).order_by(InventoryLevel.stocked.desc()).limit(1)
            variant = (await session.execute(plenty)).scalar_one()
    finally:
        await books.close()
    headers = {"x-publishable-api-key": key}
    async with httpx.AsyncClient(base_url=shop.url, headers=headers, timeout=60) as store:
        order = await bought(store, variant, units, PSE, "calculated")
    page = f"/order/{order['id']}?token={order['access_token']}"
    return Sold(order["display_id"], order["id"], page, order["items"][0]["variant_sku"])


async def paid_order(shop: ShopServer, units: int = 1) -> Sold:
    """Order units of a toy; the bank has approved it."""
    sold = await order_over_the_api(shop, units)
    await report(shop, sold.id, ProviderState.CAPTURED)
    return sold


async def report(shop: ShopServer, order_id: str, state: ProviderState, amount: str = "") -> None:
    """The bank reports on the order's payment; without an amount, of what was asked for."""
    books = _books(shop)
    try:
        async with books.read() as session:
            order = await read_order(session, order_id)
            payment = await decisive_session(session, order.cart_id)
        assert payment is not None
        said = ProviderReport(
            state=state,
            amount=Decimal(amount or payment.amount),
            currency="COP",
            invoice=payment.invoice,
            reference=payment.reference,
        )
        await apply_report(books, payment.id, said)
    finally:
        await books.close()


def _books(shop: ShopServer) -> Database:
    return Database(f"sqlite+aiosqlite:///{shop.folder / 'data' / 'trompo.db'}")
