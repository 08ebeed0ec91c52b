"""A day of the shop on telephones of 390 px: in the evening, all books have the same amounts, to the peso.

| sale | by | how it is paid |
|---|---|---|
| web, two units; the seller's telephone gets a push message, and one unit is sent | shopper | at the bank |
| counter, one unit, from two sellers at the same time | both sellers | cash |
| counter, 2×1 | seller | Nequi |
| telephone, own delivery | seller | transfer |
| WhatsApp, payment link | seller and shopper | at the bank |
| exchange of the seller's counter sale, for the dearer product | seller | the returned unit, and cash |

In the evening the seller closes the day. Orders, captures, ledger, products, stock, invoices, closing and daily summary
are compared. No push service takes part: the test delivers the messages that the shop has stored for the telephone.
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from playwright.async_api import Browser, Page, expect
from sqlalchemy import func, select

from backend.cash_closings.models import DayClosing
from backend.core.clock import now
from backend.core.config.modules import INVOICE_FILE
from backend.core.dates import today_in_colombia
from backend.core.money import format_cop
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceKind, InvoiceState
from backend.jobs import JobRun
from backend.office_settings.invoicing import save_invoicing
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.reports.ledger import read_ledger
from backend.reports.periods import Period
from backend.reports.product_sales import read_product_sales
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import create_staff
from backend.staff_notices.batches import NoticeBatches
from backend.staff_notices.choices import Channel
from backend.staff_notices.content import read_batch
from backend.staff_notices.kinds import NoticeKind
from backend.staff_notices.models import StaffNotice
from backend.staff_notices.push.models import PushSubscription
from backend.staff_notices.push.sending import build_payload
from backend.staff_notices.recording import SEND_BATCH, record_notice
from tests.backend.invoices.desk import RANGE
from tests.checkout_steps import add_own_delivery
from tests.e2e.conftest import OWNER_SETTINGS, PageWatch, ShopServer, build_page_opener
from tests.e2e.office_steps import open_database, sign_in, visit
from tests.e2e.push_steps import click_shown, deliver, read_shown, subscribe
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
    """Record the payment of the sale, and wait until the sale is saved."""
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


async def sell_for_cash(page: Page, sku: str) -> None:
    await scan(page, sku)
    await expect_no_overflow(page)
    await take_money(page, "cash")


async def exchange_for_cash(page: Page, order_id: str, sku: str) -> None:
    """Exchange the unit of an order for the dearer product with this SKU, and take the difference in cash."""
    await visit(page, f"/oficina/pedidos/cambio?pedido={order_id}")
    inbound = page.get_by_test_id("exchange-inbound")
    await inbound.get_by_role("button", name=re.compile("Agregar")).click()
    await expect(inbound.locator(".o-sell__count")).to_have_text("1")
    await page.get_by_test_id("exchange-search").fill(sku)
    await page.get_by_test_id("exchange-search").press("Enter")
    await expect(page.get_by_test_id("exchange-difference")).to_contain_text("El cliente paga")
    await expect_no_overflow(page)
    form = page.get_by_test_id("exchange-settle")
    await form.locator('[name="method"]').select_option("cash")
    await form.get_by_test_id("save").click()
    await expect(page.get_by_test_id("order-events")).to_contain_text("pagó con lo que devolvió")


async def enable_invoices(shop: ShopServer) -> None:
    async with open_database(shop) as database, database.transaction() as session:
        await save_invoicing(session, COMMAND_LINE, {**RANGE, "provider": INVOICE_FILE})


async def hire_seller(shop: ShopServer) -> tuple[str, str]:
    """Return the address and the password of a new staff member who may sell."""
    login = ("luis@trompo.example", "otra clave muy larga")
    async with open_database(shop) as database:
        await create_staff(database, COMMAND_LINE, *login, role=Role.SHOP)
    return login


async def read_message(shop: ShopServer, kind: NoticeKind, subject_id: str) -> dict[str, Any]:
    """Create the batch of the notice of this kind and subject. Return the push message for its subscriber."""
    async with open_database(shop) as database:
        async with database.read() as session:
            about = select(StaffNotice.id).where(
                StaffNotice.kind == kind, StaffNotice.subject_id == subject_id
            )
            notice_id = (await session.execute(about)).scalar_one()
            staff_id = (await session.execute(select(PushSubscription.staff_id))).scalar_one()
        await NoticeBatches(database).send_batch(JobRun(0, SEND_BATCH, notice_id, {}, 1))
        async with database.read() as session:
            batch_id = (await session.get_one(StaffNotice, notice_id)).batch_id
            batch = await read_batch(session, str(batch_id), staff_id, Channel.PUSH)
    assert batch is not None
    message: dict[str, Any] = json.loads(build_payload(batch[1], str(batch_id)))
    return message


async def record_summary(shop: ShopServer) -> str:
    """Record the notice of today's summary, as the daily job does. Return the day."""
    day = today_in_colombia(now()).isoformat()
    async with open_database(shop) as database, database.transaction() as session:
        await record_notice(session, NoticeKind.DAILY_SUMMARY, day)
    return day


@dataclass(frozen=True)
class Books:
    """The day's sums in pesos in each part of the shop, and the closings of the cash.

    `products` has (units, pesos) by product title.
    """

    sold: int
    captured: int
    ledger: int
    invoiced: int
    products: dict[str, tuple[int, int]]
    closings: list[DayClosing]


async def read_books(shop: ShopServer) -> Books:
    async with open_database(shop) as database, database.read() as session:
        sold = (await session.execute(select(func.sum(Order.total)))).scalar_one()
        captured = (await session.execute(select(func.sum(PaymentSession.captured_amount)))).scalar_one()
        issued = (
            await session.execute(select(Invoice).where(Invoice.state == InvoiceState.ISSUED))
        ).scalars()
        invoiced = sum(one.amount if one.kind == InvoiceKind.INVOICE else -one.amount for one in issued)
        moments = select(func.min(Order.created_at), func.max(Order.created_at))
        first, last = (await session.execute(moments)).one()
        period = Period("rango", first.date() - timedelta(days=1), last.date())
        ledger = await read_ledger(session, period)
        sales = await read_product_sales(session, period)
        closings = list((await session.execute(select(DayClosing))).scalars())
    products = {one.title: (one.units, one.pesos) for one in sales}
    return Books(sold, captured or 0, ledger.captured, invoiced, products, closings)


async def test_sales_of_a_day_on_telephones_agree_in_all_reports_and_stock(
    new_server: Callable[..., ShopServer], browser: Browser, watch: PageWatch
) -> None:
    shop = new_server(**OWNER_SETTINGS)
    async with open_database(shop) as database:
        await add_own_delivery(database, DELIVERY)
    await enable_invoices(shop)
    login = await hire_seller(shop)
    opener = build_page_opener(shop, browser, watch)
    with_worker = build_page_opener(shop, browser, watch, service_workers="allow")
    async with with_worker(*PHONE) as seller, opener(*PHONE) as second, opener(*PHONE) as shopper:
        await sign_in(seller, shop)
        await subscribe(seller)
        await visit(seller, "/oficina/vender")
        await sign_in(second, shop, login)
        await visit(second, "/oficina/vender")
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
        (web,) = (await send(seller, shop, "/admin/orders"))["orders"]
        message = await read_message(shop, NoticeKind.ORDER_PAID, web["id"])
        await deliver(seller, shop, message)
        assert (await read_shown(seller))[
            "title"
        ] == f"Pedido {web['display_id']} pagado: {format_cop(web['total'])}"
        assert web["id"] in await click_shown(seller)

        await asyncio.gather(sell_for_cash(seller, yoyo["sku"]), sell_for_cash(second, yoyo["sku"]))
        order_link = seller.get_by_test_id("sell-done").get_by_role("link")
        counter_order = str(await order_link.get_attribute("href")).rsplit("/", 1)[1]

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
        one_unit = {"items": [{"id": web["items"][0]["id"], "quantity": 1}]}
        sent = await send(seller, shop, f"/admin/orders/{web['id']}/fulfillments", one_unit)
        assert sent["order"]["fulfillment_status"] == "partially_fulfilled"

        await exchange_for_cash(seller, counter_order, ball["sku"])
        cash_total = yoyo_price + ball_price

        await visit(seller, "/oficina/vender/cierre")
        cash = seller.get_by_test_id("closing-sums")
        await expect(cash).to_contain_text("Nequi")
        await field(seller, "counted").fill(str(cash_total))
        await field(seller, "left").fill("0")
        await seller.get_by_test_id("save").click()
        await expect(seller.get_by_test_id("closing-row")).to_contain_text("Cuadra")
        await expect_no_overflow(seller)

        await visit(seller, "/oficina/facturas?estado=emitidas")
        await expect(seller.get_by_test_id("invoice-row")).to_have_count(
            len(orders) + 2
        )  # the exchange has a credit note and an invoice
        await expect_no_overflow(seller)

        shipping = sum(one["shipping_total"] for one in orders)
        takings = 5 * yoyo_price + 2 * ball_price + shipping
        summary = await read_message(shop, NoticeKind.DAILY_SUMMARY, await record_summary(shop))
        await deliver(seller, shop, summary)
        assert f"7 pedidos, {format_cop(takings)}" in (await read_shown(seller))["title"]
        await visit(seller, "/oficina/informes")
        await expect(seller.get_by_text(format_cop(takings)).first).to_be_visible()

    books = await read_books(shop)
    gross = takings + yoyo_price  # the returned unit paid a part of the new order
    assert (books.sold, books.captured, books.ledger, books.invoiced) == (gross, gross, gross, takings)
    assert sorted(books.products.values()) == sorted([(3, 2 * ball_price), (5, 5 * yoyo_price)])
    (closing,) = books.closings
    assert closing.received == {
        "cash": cash_total,
        "nequi": ball_price,
        "transfer": yoyo_price + DELIVERY,
    }
    assert stock[OFFER] - read_stock(shop, OFFER) == 3
    assert stock[HANDLE] - read_stock(shop, HANDLE) == 5
