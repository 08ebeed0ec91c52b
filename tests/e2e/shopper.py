"""A shopper at the browser, and a look into the shop's books: what the tests of buying do again and again."""

import json
import sqlite3
from contextlib import closing, suppress
from typing import Any

from playwright.async_api import Error, Page, expect

from tests.e2e.conftest import ShopServer

PATIENCE = 20_000
"""Milliseconds: the tests share two cores with other servers and browsers."""
BANK = "1022"
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
"""What a shopper types, by the name of the field."""


async def put_in_cart(page: Page, handle: str) -> None:
    """Put a toy into the cart, and wait until it is there."""
    await page.goto(f"/product/{handle}")
    await page.get_by_test_id("add-to-cart").locator("visible=true").first.click()
    await expect(page.get_by_test_id("added-notice")).to_be_visible(timeout=PATIENCE)


async def open_checkout(page: Page) -> None:
    """Go to the checkout and wait for its form."""
    await page.goto("/checkout")
    await expect(field(page, "email")).to_be_visible(timeout=PATIENCE)


def field(page: Page, name: str) -> Any:
    """A field of the form, by its name."""
    return page.locator(f'[name="{name}"]')


async def pick_town(page: Page, town: tuple[str, str, str]) -> None:
    """Type the beginning of a municipality's name and pick it from the list."""
    typed, name, code = town
    await field(page, "town").fill(typed)
    await page.get_by_test_id("town-option").filter(has_text=name).click(timeout=PATIENCE)
    await expect(field(page, "town")).to_have_value(name)
    await expect(field(page, "dane_code")).to_have_value(code)


async def fill_in(page: Page, **other: str) -> None:
    """Fill in the whole form, with `other` texts here and there, and wait for the price."""
    for name, text in {**ANA, **other}.items():
        await field(page, name).fill(text)
    await pick_town(page, MEDELLIN)
    await page.get_by_test_id("bank-select").select_option(BANK)
    await agree(page)
    await expect(page.get_by_test_id("place-order")).to_contain_text("Pagar $", timeout=PATIENCE)


async def agree(page: Page) -> None:
    """Tick the boxes that nobody buys or makes an account without."""
    for box in ("consent-data", "consent-terms"):
        await page.get_by_test_id(box).check()


async def be_ready_to_pay(page: Page, handle: str) -> None:
    """Put a toy into the cart, and fill in the whole checkout."""
    await put_in_cart(page, handle)
    await open_checkout(page)
    await fill_in(page)


async def expect_bank_within_reach(page: Page) -> None:
    """Wait for the bank's page or, when the page was just being told how things stand, for the way there."""
    bank = page.get_by_test_id("bank-approve")
    await expect(bank.or_(page.get_by_test_id("go-to-bank"))).to_be_visible(timeout=PATIENCE)


async def reach_bank(page: Page) -> None:
    """Wait for the bank's page, or take the way there when it is shown and the page does not leave by itself."""
    bank = page.get_by_test_id("bank-approve")
    await expect_bank_within_reach(page)
    while not await bank.is_visible():
        with suppress(Error):  # the page was leaving for the bank already
            await page.get_by_test_id("go-to-bank").click(timeout=1_000)
        await expect_bank_within_reach(page)


async def go_to_bank(page: Page) -> None:
    """Press the button and wait for the bank's page."""
    await page.get_by_test_id("place-order").click()
    await expect(page.get_by_test_id("bank-approve")).to_be_visible(timeout=PATIENCE)


async def decide(page: Page, decision: str) -> None:
    """Decide at the bank, and come back to the order's page."""
    await page.get_by_test_id(f"bank-{decision}").click()
    await expect(page.get_by_test_id("order-status")).to_be_visible(timeout=PATIENCE)


async def expect_status(page: Page, status: str) -> None:
    """Wait until the order's page says so."""
    await expect(page.get_by_test_id("order-status")).to_have_attribute(
        "data-status", status, timeout=PATIENCE
    )


async def expect_no_overflow(page: Page) -> None:
    """Nothing sticks out of the window at the side."""
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def stock_of(shop: ShopServer, handle: str) -> int:
    """Units of a toy that can be sold now."""
    return int(
        _ask(
            shop,
            "SELECT sum(level.stocked - level.reserved) FROM inventory_level level JOIN variant ON variant.id ="
            " level.variant_id JOIN product ON product.id = variant.product_id WHERE product.handle = ?",
            handle,
        )
    )


def orders_of(shop: ShopServer, email: str) -> int:
    """How many orders a shopper has placed."""
    return int(_ask(shop, 'SELECT count(*) FROM "order" WHERE email = ?', email))


def carts_of(shop: ShopServer) -> int:
    """Return the number of carts that have a line."""
    return int(_ask(shop, "SELECT count(DISTINCT cart_id) FROM line_item"))


def payments_of(shop: ShopServer) -> int:
    """How many tries to pay there were."""
    return int(_ask(shop, "SELECT count(*) FROM payment_session"))


def attention_of(shop: ShopServer) -> list[str]:
    """The kinds of what waits for a person."""
    kinds = _ask(shop, "SELECT group_concat(kind) FROM attention WHERE resolved_at IS NULL")
    return str(kinds).split(",") if kinds else []


def offer_payments(shop: ShopServer, *providers: str) -> None:
    """What staff do to say how can be paid."""
    _ask(shop, "UPDATE region SET payment_providers = ?", json.dumps(providers))


def ship_nothing(shop: ShopServer) -> None:
    """What staff do who delete every way to ship."""
    _ask(shop, "UPDATE shipping_option SET deleted_at = CURRENT_TIMESTAMP")


def change_price(shop: ShopServer, handle: str, price: int) -> None:
    """What staff do while somebody is shopping."""
    _ask(
        shop,
        "UPDATE variant SET price = ? WHERE product_id = (SELECT id FROM product WHERE handle = ?)",
        price,
        handle,
    )


def sell_out(shop: ShopServer, handle: str) -> None:
    """Somebody else took the last ones."""
    _ask(
        shop,
        "UPDATE inventory_level SET stocked = reserved WHERE variant_id IN (SELECT variant.id FROM variant"
        " JOIN product ON product.id = variant.product_id WHERE product.handle = ?)",
        handle,
    )


def pay_by_hand(shop: ShopServer, number: str) -> None:
    """The order is paid by another way than the bank's page, which staff have yet to confirm."""
    _ask(
        shop,
        "UPDATE payment_session SET state = 'authorized' WHERE collection_id = (SELECT id FROM payment_collection"
        ' WHERE cart_id = (SELECT cart_id FROM "order" WHERE number = ?))',
        number,
    )
    _ask(shop, "UPDATE \"order\" SET payment_status = 'authorized' WHERE number = ?", number)


def send_parcel(shop: ShopServer, number: str) -> None:
    """The order has its guide, and the carrier has collected the parcel."""
    _ask(
        shop,
        "INSERT INTO fulfillment (created_at, updated_at, id, order_id, reference, location_id, provider_id, state,"
        " items, tracking_number, data, stage, shipped_at)"
        " SELECT created_at, created_at, 'ful_' || id, id, number || '-1', (SELECT id FROM stock_location),"
        " 'carrier_standard', 'created', '[]', 'TRM' || number, ?, 'in_transit', created_at"
        ' FROM "order" WHERE number = ?',
        '{"carrier": "Envía", "packed_at": "x", "tracking": {"expected_at": "2026-11-24T17:00:00+00:00"}}',
        number,
    )
    _ask(shop, "UPDATE \"order\" SET fulfillment_status = 'shipped' WHERE number = ?", number)


def deliver_parcel(shop: ShopServer, number: str) -> None:
    """The carrier has handed it over."""
    _ask(
        shop,
        "UPDATE fulfillment SET stage = 'delivered', delivered_at = shipped_at WHERE reference = ?",
        f"{number}-1",
    )
    _ask(shop, "UPDATE \"order\" SET fulfillment_status = 'delivered' WHERE number = ?", number)


def _ask(shop: ShopServer, query: str, *values: object) -> Any:
    with closing(sqlite3.connect(shop.folder / "data" / "trompo.db", timeout=10)) as books, books:
        row = books.execute(query, values).fetchone()
    return row[0] if row else None
