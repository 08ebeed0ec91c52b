"""Steps of a shopper in the browser, and queries of the shop's database, for tests of purchases."""

import json
import sqlite3
from contextlib import closing, suppress
from typing import Any

from playwright.async_api import Error, Locator, Page, expect

from tests.e2e import conftest
from tests.e2e.conftest import ShopServer

TIMEOUT_MS = conftest.TIMEOUT_MS
WAIT_FOR_TRANSITIONS = """() => Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)).then(() => null)
"""
BANK = "1022"
ANY_WIDTHS = (320, 359, 413, 480, 600, 700, 767, 768, 900, 1023, 1024, 1100)
"""Widths of windows up to a small desktop; the layout changes between most of them."""
MEDELLIN = ("medel", "Medellín, Antioquia", "05001000")
LETICIA = ("leti", "Leticia, Amazonas", "91001000")

ANA = {
    "email": "ana@example.com",
    "first_name": "Ana María",
    "last_name": "Gómez Peña",
    "phone": "300 123 4567",
    "address": "Carrera 43A # 1-50, apto. 302",
    "suburb": "El Poblado",
    "reference": "Portería",
    "doc_number": "1020304050",
}
"""A shopper's input, by the name of the field."""


async def put_in_cart(page: Page, handle: str) -> None:
    """Add a product to the cart, and wait until it is there."""
    await page.goto(f"/product/{handle}")
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible()


async def open_checkout(page: Page) -> None:
    """Go to the checkout and wait for its form."""
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible()


def field(page: Page, name: str) -> Any:
    """Return a field of the form by its name."""
    return page.locator(f'[name="{name}"]')


async def pick_town(page: Page, town: tuple[str, str, str]) -> None:
    """Type the beginning of a municipality's name and pick it from the list."""
    typed, name, code = town
    await field(page, "town").fill(typed)
    await page.get_by_test_id("town-option").filter(has_text=name).click(timeout=TIMEOUT_MS)
    await expect(field(page, "town")).to_have_value(name)
    await expect(field(page, "dane_code")).to_have_value(code)


async def open_estimate(page: Page) -> Locator:
    """Open the box that estimates the shipping, and return it."""
    box = page.get_by_test_id("shipping-estimate")
    await box.locator("summary").click()
    await expect(box.get_by_role("combobox", name="Municipio")).to_be_visible()
    return box


async def fill_in_checkout(page: Page, **other: str) -> None:
    """Fill in the whole form with Ana's data, except the fields in `other`, and wait for the price."""
    for name, text in {**ANA, **other}.items():
        await field(page, name).fill(text)
    await pick_town(page, MEDELLIN)
    await page.get_by_test_id("bank-select").select_option(BANK)
    await accept_terms(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $")


async def accept_terms(page: Page) -> None:
    """Tick the consents that every purchase and every new account needs."""
    for box in ("consent-data", "consent-terms"):
        await page.get_by_test_id(box).check()


async def prepare_payment(page: Page, handle: str) -> None:
    """Add a product to the cart, and fill in the whole checkout."""
    await put_in_cart(page, handle)
    await open_checkout(page)
    await fill_in_checkout(page)


async def expect_bank_or_link(page: Page) -> None:
    """Wait for the bank's page, or for the link to it, which is shown if the page does not go there automatically."""
    bank = page.get_by_test_id("bank-approve")
    await expect(bank.or_(page.get_by_test_id("go-to-bank"))).to_be_visible()


async def reach_bank(page: Page) -> None:
    """Wait for the bank's page, or follow the link to it if the page does not go there automatically."""
    bank, link = page.get_by_test_id("bank-approve"), page.get_by_test_id("go-to-bank")
    await expect_bank_or_link(page)
    shown = await bank.or_(link).get_attribute("data-testid")  # `is_visible` would wait without a limit
    if shown == "go-to-bank":
        with suppress(Error):  # the page was already going to the bank
            await link.click(timeout=10_000)
    await expect(bank).to_be_visible()


async def go_to_bank(page: Page) -> None:
    """Click the payment button and wait for the bank's page."""
    await page.get_by_test_id("place-order").click()
    await expect(page.get_by_test_id("bank-approve")).to_be_visible()


async def decide_at_bank(page: Page, decision: str) -> None:
    """Decide at the bank, and return to the order's page."""
    await page.get_by_test_id(f"bank-{decision}").click()
    await expect(page.get_by_test_id("order-status")).to_be_visible()


async def expect_status(page: Page, status: str) -> None:
    """Wait until the order's page shows this status."""
    await expect(page.get_by_test_id("order-status")).to_have_attribute("data-status", status)


async def resize(page: Page, width: int, height: int) -> None:
    """Resize the page's window, and wait until the page has its layout for this size.

    With reduced motion, each change of a style is a transition of one millisecond (`assets/styles/base.css`): until it
    ends, an element has its size for the former window.
    """
    await page.set_viewport_size({"width": width, "height": height})
    await page.evaluate(WAIT_FOR_TRANSITIONS)


async def wait_until_hydrated(page: Page) -> None:
    """Wait until the page is hydrated: before that, its scripts may replace the plain page."""
    await page.wait_for_function("() => window.__reflex && !window.pageIsHydrated")


async def expect_no_overflow(page: Page) -> None:
    """Check that nothing is wider than the window."""
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def expect_no_overflow_at_any_width(page: Page) -> None:
    """Check that nothing is wider than the window, from the smallest phone to a small desktop and back."""
    for width in (*ANY_WIDTHS, ANY_WIDTHS[0]):
        await resize(page, width, 640)
        shown = await page.evaluate("document.documentElement.scrollWidth")
        assert shown <= width, f"{shown} pixels at {width}: {page.url}"


async def expect_no_overflow_with_large_text(page: Page) -> None:
    """Check that nothing is wider than the window of a phone if the text has twice its size."""
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (390, 320):
        await resize(page, width, 640)
        await expect_no_overflow(page)
    await page.evaluate("document.documentElement.style.fontSize = ''")


def read_stock(shop: ShopServer, handle: str) -> int:
    """Return the units of a product that can be sold now."""
    return int(
        _execute_sql(
            shop,
            "SELECT sum(level.stocked - level.reserved) FROM inventory_level level JOIN variant ON variant.id ="
            " level.variant_id JOIN product ON product.id = variant.product_id WHERE product.handle = ?",
            handle,
        )
    )


def read_bank_request(shop: ShopServer) -> dict[str, str]:
    """Return the decrypted fields of the newest request to the gateway."""
    newest = "SELECT fields FROM sandbox_transaction ORDER BY ref_payco DESC LIMIT 1"
    return dict(json.loads(_execute_sql(shop, newest)))


def count_orders(shop: ShopServer, email: str) -> int:
    """Return the number of orders with this e-mail address."""
    return int(_execute_sql(shop, 'SELECT count(*) FROM "order" WHERE email = ?', email))


def count_carts(shop: ShopServer) -> int:
    """Return the number of carts that have a line."""
    return int(_execute_sql(shop, "SELECT count(DISTINCT cart_id) FROM line_item"))


def count_payments(shop: ShopServer) -> int:
    """Return the number of payment sessions."""
    return int(_execute_sql(shop, "SELECT count(*) FROM payment_session"))


def list_attention_kinds(shop: ShopServer) -> list[str]:
    """Return the kinds of the unresolved attentions."""
    kinds = _execute_sql(shop, "SELECT group_concat(kind) FROM attention WHERE resolved_at IS NULL")
    return str(kinds).split(",") if kinds else []


def set_payment_providers(shop: ShopServer, *providers: str) -> None:
    """Set the region's payment providers, as staff do."""
    _execute_sql(shop, "UPDATE region SET payment_providers = ?", json.dumps(providers))


def delete_shipping_options(shop: ShopServer) -> None:
    """Delete every shipping option, as staff do."""
    _execute_sql(shop, "UPDATE shipping_option SET deleted_at = CURRENT_TIMESTAMP")


def change_price(shop: ShopServer, handle: str, price: int) -> None:
    """Change a product's price, as staff do while a customer is shopping."""
    _execute_sql(
        shop,
        "UPDATE variant SET price = ? WHERE product_id = (SELECT id FROM product WHERE handle = ?)",
        price,
        handle,
    )


def sell_out(shop: ShopServer, handle: str) -> None:
    """Set the stock to the reserved units, as if other customers had bought the rest."""
    _execute_sql(
        shop,
        "UPDATE inventory_level SET stocked = reserved WHERE variant_id IN (SELECT variant.id FROM variant"
        " JOIN product ON product.id = variant.product_id WHERE product.handle = ?)",
        handle,
    )


def authorize_payment(shop: ShopServer, number: str) -> None:
    """Set the order's payment to authorized in the database: staff must still confirm the money."""
    _execute_sql(
        shop,
        "UPDATE payment_session SET state = 'authorized' WHERE collection_id = (SELECT id FROM payment_collection"
        ' WHERE cart_id = (SELECT cart_id FROM "order" WHERE number = ?))',
        number,
    )
    _execute_sql(shop, "UPDATE \"order\" SET payment_status = 'authorized' WHERE number = ?", number)


def send_parcel(shop: ShopServer, number: str) -> None:
    """Give the order a label and mark its parcel as collected by the carrier."""
    _execute_sql(
        shop,
        "INSERT INTO fulfillment (created_at, updated_at, id, order_id, reference, location_id, provider_id, state,"
        " items, tracking_number, data, stage, shipped_at)"
        " SELECT created_at, created_at, 'ful_' || id, id, number || '-1', (SELECT id FROM stock_location),"
        " 'carrier_standard', 'created', '[]', 'TRM' || number, ?, 'in_transit', created_at"
        ' FROM "order" WHERE number = ?',
        '{"carrier": "Envía", "packed_at": "x", "tracking": {"expected_at": "2026-11-24T17:00:00+00:00"}}',
        number,
    )
    _execute_sql(shop, "UPDATE \"order\" SET fulfillment_status = 'shipped' WHERE number = ?", number)


def deliver_parcel(shop: ShopServer, number: str) -> None:
    """Mark the parcel as delivered."""
    _execute_sql(
        shop,
        "UPDATE fulfillment SET stage = 'delivered', delivered_at = shipped_at WHERE reference = ?",
        f"{number}-1",
    )
    _execute_sql(shop, "UPDATE \"order\" SET fulfillment_status = 'delivered' WHERE number = ?", number)


def _execute_sql(shop: ShopServer, query: str, *values: object) -> Any:
    database = shop.folder / "data" / "trompo.db"
    with closing(sqlite3.connect(database, timeout=TIMEOUT_MS / 1000)) as connection, connection:
        row = connection.execute(query, values).fetchone()
    return row[0] if row else None
