"""A day of the shop on telephones of 390 px: in the evening, orders, payments and closings have the same amounts.

The shopper buys two units on the web, and pays a WhatsApp link. The seller sells at the counter in cash and 2×1, sells
with own delivery, sends half of the web order, and closes the day.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from playwright.async_api import Browser, Page, expect
from sqlalchemy import func, select

from backend.cash_closings.models import DayClosing
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.reports.ledger import read_ledger
from backend.reports.periods import Period
from tests.checkout_steps import add_own_delivery
from tests.e2e.conftest import OWNER_SETTINGS, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import enter_office, open_database, visit
from tests.e2e.shopper import (
    ANA,
    decide_at_bank,
    expect_no_overflow,
    expect_status,
    field,
    fill_in_checkout,
    go_to_bank,
    open_checkout,
    put_in_cart,
    read_stock,
)

PHONE = (390, 844)
HANDLE, OFFER = "yoyo-de-madera", "coca-balero"
DELIVERY = 8_000


async def send(page: Page, shop: ShopServer, path: str, body: Any = None) -> dict[str, Any]:
    """Send a request of the Admin API as the seller: GET without a body, else POST."""
    headers = {"origin": shop.url}
    answer = (
        await page.request.get(path, headers=headers)
        if body is None
        else await page.request.post(path, data=body, headers=headers)
    )
    assert answer.ok, await answer.text()
    found: dict[str, Any] = await answer.json()
    return found


async def read_variant(page: Page, shop: ShopServer, handle: str) -> dict[str, Any]:
    (product,) = (await send(page, shop, f"/admin/products?handle={handle}"))["products"]
    variant: dict[str, Any] = product["variants"][0]
    return variant


async def scan(page: Page, sku: str) -> None:
    """Add the product with this SKU to the sale."""
    units = await page.get_by_test_id("sell-line").count()
    await page.get_by_test_id("sell-search").fill(sku)
    await page.get_by_test_id("sell-search").press("Enter")
    await expect(page.get_by_test_id("sell-line")).to_have_count(max(units, 1))


async def take_money(page: Page, method: str, reference: str = "") -> None:
    """Record the money of the sale, and wait until it is an order."""
    form = page.get_by_test_id("sell-payment")
    await form.locator('[name="method"]').select_option(method)
    await form.locator('[name="reference"]').fill(reference)
    await form.get_by_test_id("save").click()
    await expect(page.get_by_test_id("sell-done")).to_contain_text("Venta guardada")
    await expect(page.get_by_test_id("sell-line")).to_have_count(0)


async def pay_at_bank(page: Page) -> None:
    await fill_in_checkout(page)
    await go_to_bank(page)
    await decide_at_bank(page, "approve")
    await expect_status(page, "paid")


async def read_books(shop: ShopServer) -> tuple[int, int, int, list[DayClosing]]:
    """Return the pesos of orders, captures and the ledger, and the closings."""
    async with open_database(shop) as database, database.read() as session:
        sold = (await session.execute(select(func.sum(Order.total)))).scalar_one()
        captured = (await session.execute(select(func.sum(PaymentSession.captured_amount)))).scalar_one()
        moments = select(func.min(Order.created_at), func.max(Order.created_at))
        first, last = (await session.execute(moments)).one()
        period = Period("rango", first.date() - timedelta(days=1), last.date())
        ledger = await read_ledger(session, period)
        closings = list((await session.execute(select(DayClosing))).scalars())
        return sold, captured or 0, ledger.captured, closings


async def test_day_on_telephones_is_equal_in_all_books(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(**OWNER_SETTINGS)
    async with open_database(shop) as database:
        await add_own_delivery(database, DELIVERY)
    opener = build_page_opener(shop, browser, watch)
    async with opener(*PHONE) as seller, opener(*PHONE) as shopper:
        await enter_office(seller, shop, "/oficina/vender")
        yoyo, ball = [await read_variant(seller, shop, handle) for handle in (HANDLE, OFFER)]
        yoyo_price, ball_price = [one["prices"][0]["amount"] for one in (yoyo, ball)]
        stock = {handle: read_stock(shop, handle) for handle in (HANDLE, OFFER)}
        rules = [{"attribute": "items.variant.id", "operator": "in", "values": [ball["id"]]}]
        method = {
            "type": "percentage", "allocation": "each", "max_quantity": 5, "target_type": "items", "value": 100,
            "buy_rules_min_quantity": 1, "apply_to_quantity": 1, "buy_rules": rules, "target_rules": rules,
        }  # fmt: skip
        offer = {"code": "DOSPORUNO", "type": "buyget", "status": "active", "is_automatic": True}
        await send(seller, shop, "/admin/promotions", {**offer, "application_method": method})

        await put_in_cart(shopper, HANDLE)
        await put_in_cart(shopper, HANDLE)
        await open_checkout(shopper)
        await pay_at_bank(shopper)

        await scan(seller, yoyo["sku"])
        await expect_no_overflow(seller)
        await take_money(seller, "cash")

        await scan(seller, ball["sku"])
        await scan(seller, ball["sku"])
        await expect(seller.get_by_test_id("sell-total")).to_contain_text("DOSPORUNO")
        await take_money(seller, "nequi", "N-1")

        await scan(seller, yoyo["sku"])
        await seller.get_by_text("Enviarlo a su casa").click()
        for name in ("first_name", "last_name", "email", "phone", "address", "suburb"):
            await seller.locator(f"#sell-{name}").fill(ANA[name])
        await seller.locator("#sell-town").fill("medel")
        await seller.get_by_test_id("town-option").filter(has_text="Medellín, Antioquia").click()
        await seller.get_by_role("button", name="Ver lo que cuesta").click()
        await (
            seller.get_by_test_id("sell-delivery").get_by_role("button", name=re.compile("Domicilio")).click()
        )
        await expect(seller.get_by_test_id("sell-total")).to_contain_text("8.000")
        await expect_no_overflow(seller)
        await take_money(seller, "transfer", "T-1")

        await scan(seller, yoyo["sku"])
        await seller.get_by_text("Cobrar con un enlace de pago").click()
        await seller.locator("#link-phone").fill("300 123 4567")
        await seller.locator("#link-mail_to").fill("ana@example.com")
        await seller.get_by_role("button", name="Hacer el enlace").click()
        link = seller.get_by_test_id("sell-link-url")
        await expect(link).to_have_value(re.compile("/pay/"))
        await expect_no_overflow(seller)
        await shopper.goto(await link.input_value())
        await shopper.get_by_test_id("pay-open").click()
        await expect(field(shopper, "email")).to_be_visible()
        await pay_at_bank(shopper)

        orders = (await send(seller, shop, "/admin/orders?limit=20"))["orders"]
        web = next(one for one in orders if one["item_total"] == 2 * yoyo_price)
        one_unit = {"items": [{"id": web["items"][0]["id"], "quantity": 1}]}
        sent = await send(seller, shop, f"/admin/orders/{web['id']}/fulfillments", one_unit)
        assert sent["order"]["fulfillment_status"] == "partially_fulfilled"

        await visit(seller, "/oficina/vender/cierre")
        cash = seller.get_by_test_id("closing-sums")
        await expect(cash).to_contain_text("Nequi")
        await field(seller, "counted").fill(str(yoyo_price))
        await field(seller, "left").fill("0")
        await seller.get_by_test_id("save").click()
        await expect(seller.get_by_test_id("closing-row")).to_contain_text("Cuadra")
        await expect_no_overflow(seller)

    sold, captured, ledger, (closing,) = await read_books(shop)
    shipping = sum(one["shipping_total"] for one in orders)
    assert sold == captured == ledger == 5 * yoyo_price + ball_price + shipping
    assert closing.received == {"cash": yoyo_price, "nequi": ball_price, "transfer": yoyo_price + DELIVERY}
    assert stock[OFFER] - read_stock(shop, OFFER) == 2
    assert stock[HANDLE] - read_stock(shop, HANDLE) == 5
