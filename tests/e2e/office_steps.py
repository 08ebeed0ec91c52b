"""What somebody of the staff does again and again: sign in, and find something to resolve."""

import re

from playwright.async_api import Page, expect

from backend.attention import AttentionKind, raise_attention
from backend.database import Database
from tests.e2e.conftest import STAFF, ShopServer
from tests.e2e.shopper import PATIENCE

AT_ENTRY = re.compile(r"/oficina/entrar\?next=")


async def enter(page: Page, shop: ShopServer, path: str = "/oficina") -> None:
    """Sign the browser in, without the page for it, and open a screen of the office."""
    email, password = STAFF
    answer = await page.request.post(
        "/auth/staff/login", data={"email": email, "password": password}, headers={"origin": shop.url}
    )
    assert answer.ok, await answer.text()
    await visit(page, path)


async def visit(page: Page, path: str) -> None:
    """Open a screen and wait until it shows what it knows."""
    await page.goto(path)
    await expect(page.locator(".bone")).to_have_count(0, timeout=PATIENCE)
    await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def fill_in_entry(page: Page, password: str = STAFF[1]) -> None:
    """Say who one is on the page for it, and send that."""
    await page.get_by_test_id("office-email").fill(STAFF[0])
    await page.get_by_test_id("office-password").fill(password)
    await page.get_by_test_id("office-enter").click()


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
