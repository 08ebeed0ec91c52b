"""A carrier that hangs or is slow: the form stays usable, and the displayed price is the price paid."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from backend.core.db.database import Database
from backend.sandbox.carrier.app import BASE_PATH, SandboxCarrier
from backend.sandbox.carrier.faults import Fault, Operation
from tests.e2e.conftest import WIDTHS, PageWatch, ShopServer, build_page_opener
from tests.e2e.shopper import (
    ANA,
    BANK,
    MEDELLIN,
    accept_terms,
    decide_at_bank,
    expect_status,
    field,
    go_to_bank,
    open_checkout,
    pick_town,
    put_in_cart,
)
from tests.gateway_kit import serve_app

KEY = "a key"


@pytest_asyncio.fixture(loop_scope="session")
async def carrier(tmp_path: Path) -> AsyncIterator[tuple[SandboxCarrier, str]]:
    """Start a carrier for this test. Yield the carrier and its URL.

    Its database needs no tables, because the carrier only quotes.
    """
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'carrier.db'}")
    carrier = SandboxCarrier(KEY, database, labels_url="http://localhost/labels", allow_control=False)
    async with serve_app(carrier.app) as url:
        yield carrier, f"{url}{BASE_PATH}"
    await database.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(
    carrier: tuple[SandboxCarrier, str],
    new_server: Callable[..., ShopServer],
    browser: Browser,
    watch: PageWatch,
) -> AsyncIterator[Page]:
    """Open the checkout of a shop that waits 20 seconds at most for this carrier, with a product in the cart."""
    shop = new_server(CARRIER_API_URL=carrier[1], CARRIER_API_KEY=KEY, CARRIER_TIMEOUT="20")
    async with build_page_opener(shop, browser, watch)(*WIDTHS["320"]) as page:
        await put_in_cart(page, "yoyo-de-madera")
        await open_checkout(page)
        yield page


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.SLOW])
async def test_checkout_stays_usable_while_the_carrier_is_slow(
    page: Page, carrier: tuple[SandboxCarrier, str], fault: Fault
) -> None:
    carrier[0].faults.plan(fault, Operation.QUOTATION, times=1, seconds=15)
    button, option = page.get_by_test_id("place-order"), page.get_by_test_id("shipping-option").first
    for name, text in ANA.items():
        await field(page, name).fill(text)
    await pick_town(page, MEDELLIN)
    await expect(button).to_have_text("Calculando el envío…")
    await field(page, "email").fill("ana@")
    await field(page, "email").blur()
    await expect(field(page, "email")).to_have_attribute(
        "aria-invalid", "true"
    )  # the server answers in the meantime
    await field(page, "email").fill(ANA["email"])
    await expect(
        page.locator(".card-choice__note", has_text="La transportadora está tardando")
    ).to_be_visible()
    await expect(button).to_have_text("Calculando el envío…")
    await expect(option.locator(".card-choice__price")).to_contain_text("$")
    fixed = option.get_by_text("Tarifa fija")
    await expect(fixed).to_have_count(1 if fault is Fault.HANG else 0)
    price = await option.locator(".card-choice__price").inner_text()
    await page.get_by_test_id("bank-select").select_option(BANK)
    await expect(page.get_by_test_id("checkout-shipping")).to_have_text(price)
    await expect(button).to_contain_text("Pagar $")
    await accept_terms(page)
    total = (await button.inner_text()).removeprefix("Pagar ").removesuffix(" con PSE")
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")
    await expect(page.get_by_test_id("order-total")).to_have_text(total)
