"""A day of a shop with two sellers at the same time: every peso is in the books, and every sold unit leaves stock once.

| sale | how it is paid |
|---|---|
| web, two units; one of them is sent | at the bank |
| counter | cash |
| WhatsApp, by a payment link | at the bank |
| counter, 2×1 | Nequi |
| telephone, with own delivery | transfer |
| exchange of the product that was sold for cash, for a dearer one | the returned product, and the difference in cash |

Both sellers make all these sales at the same time. In the evening both close the day: it is closed once,
and its summary has the same total as the books.
"""

import asyncio
from dataclasses import dataclass

import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.cash_closings.models import DayClosing
from backend.cash_closings.service import OpenDay, close_day, read_open_day
from backend.checkout.service import Checkout
from backend.core.clock import now
from backend.core.dates import today_in_colombia
from backend.core.errors import Conflict
from backend.core.money import format_cop
from backend.draft_orders.delivery import set_delivery
from backend.draft_orders.drafts import set_origin
from backend.draft_orders.links import create_link
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.packing import fulfill
from backend.inventory.models import InventoryLevel
from backend.invoices.creation import ISSUE
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceKind
from backend.jobs import Worker
from backend.order_edits.difference import DifferenceReceipt
from backend.orders.models import Order, OrderLine
from backend.orders.origins import OrderOrigin
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.providers.system_default import SystemDefault
from backend.payment.service import PaymentService
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.reports.ledger import read_ledger
from backend.reports.periods import Period
from backend.reports.product_sales import read_product_sales
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.registry import ManualProvider, OwnDeliveryProvider
from backend.staff.rights import COMMAND_LINE, Actor
from backend.staff_notices.summary_content import read_summary
from tests.backend.checkout.paying_kit import PRICE, Till, create_settings_reader
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.draft_orders.selling import OTHER_SELLER, SELLER, prepare, read_total, take_money
from tests.backend.exchanges.exchange_kit import settle, write_exchange
from tests.backend.invoices.desk import Desk, enable_invoices
from tests.checkout_steps import add_own_delivery
from tests.store_defaults import Defaults

BALL_PRICE, DELIVERY, DIFFERENCE = 10_000, 8_000, 5_000
DEARER_PRICE = PRICE + DIFFERENCE
STOCK = 20
TWO_FOR_ONE = {
    "code": "2x1",
    "type": "buyget",
    "status": "active",
    "is_automatic": True,
    "application_method": {
        "type": "percentage", "allocation": "each", "max_quantity": 5, "target_type": "items", "value": 100,
        "buy_rules_min_quantity": 1, "apply_to_quantity": 1,
    },
}  # fmt: skip
ADDRESS = {
    "email": "ana@example.com", "first_name": "Ana", "last_name": "Gómez", "phone": "3001234567",
    "town": "Medellín, Antioquia", "address": "Carrera 43A # 1-50", "suburb": "El Poblado",
}  # fmt: skip


@dataclass
class Day:
    """A shop with a bank, own delivery and invoices. It has a top, a dearer product, and a ball that is sold 2×1."""

    shop: Shop
    till: Till
    desk: Desk
    trompo: str
    ball: str
    dearer: str


@pytest.fixture
async def day(shop: Shop, shop_defaults: Defaults) -> Day:
    bank, desk = ScriptedBank(), Desk()
    payments = PaymentService(shop.database, {bank.id: bank, "pp_system_default": SystemDefault()})
    carriers: dict[str, FulfillmentProvider] = {
        "manual_manual": ManualProvider(),
        "own_delivery": OwnDeliveryProvider(),
    }
    read_settings = create_settings_reader(shop.database, shop.settings)
    checkout = Checkout(shop.settings, shop.database, payments, carriers, read_settings)
    till = Till(shop.database, checkout, bank, Worker(shop.database, [payments]), shop_defaults)
    trompo = await till.make_variant(stock=STOCK)
    ball = await till.make_variant("pelota", stock=STOCK, price=BALL_PRICE)
    dearer = await till.make_variant("balero", stock=STOCK, price=DEARER_PRICE)
    rules = [{"attribute": "items.variant.id", "operator": "in", "values": [ball]}]
    method = {**TWO_FOR_ONE["application_method"], "target_rules": rules, "buy_rules": rules}  # type: ignore[dict-item]
    offer = NewPromotion.model_validate({**TWO_FOR_ONE, "application_method": method})
    async with shop.database.transaction() as session:
        await create_promotion(session, COMMAND_LINE, to_create_promotion(offer))
    await add_own_delivery(shop.database, DELIVERY)
    await enable_invoices(shop, desk)
    return Day(shop, till, desk, trompo, ball, dearer)


async def sell_everything(day: Day, seller: Actor) -> list[str]:
    """Make every sale of the module's table as this seller. Return the ids of the orders."""
    till = day.till
    web, payment = await till.order(day.trompo, 2)
    await till.decide(payment, ProviderState.CAPTURED)
    async with till.database.read() as session:
        line = (await session.execute(select(OrderLine.id).where(OrderLine.order_id == web.id))).scalar_one()
    providers = till.checkout.fulfillment_providers
    await fulfill(
        till.database, COMMAND_LINE, day.shop.settings, providers, web.id, CreateFulfillment(units={line: 1})
    )
    draft = await prepare(till, {day.trompo: 1}, seller)
    cash = await take_money(till, draft, PRICE, actor=seller)
    draft = await prepare(till, {day.trompo: 1}, seller)
    async with till.database.transaction() as session:
        await set_origin(session, seller, draft.id, OrderOrigin.WHATSAPP)
        await create_link(session, seller, day.shop.settings, draft.id)
    await till.ship(draft.cart_id)
    payment = await till.start(draft.cart_id)
    linked = (await till.checkout.complete(draft.cart_id)).order
    await till.decide(payment, ProviderState.CAPTURED)
    draft = await prepare(till, {day.ball: 2}, seller)
    offer = await take_money(till, draft, BALL_PRICE, ManualMethod.NEQUI, actor=seller)
    draft = await prepare(till, {day.trompo: 1}, seller)
    async with till.database.transaction() as session:
        await set_origin(session, seller, draft.id, OrderOrigin.PHONE)
    choices = (await set_delivery(till.checkout, seller, draft.id, ADDRESS)).choices
    own = next(choice for choice in choices if choice.is_own)
    await till.checkout.offer_shipping(draft.cart_id, own.id, ip="", is_choice=True)
    total = await read_total(till, draft)
    delivered = await take_money(till, draft, total, ManualMethod.TRANSFER, actor=seller)
    exchange = await write_exchange(till, cash, {day.trompo: 1}, {day.dearer: 1}, actor=seller)
    receipt = DifferenceReceipt(DIFFERENCE, ManualMethod.CASH)
    exchanged = await settle(till, exchange, DIFFERENCE, receipt, actor=seller)
    return [web.id, cash.id, linked.id, offer.id, delivered.id, exchanged.id]


async def close(day: Day, seller: Actor, seen: OpenDay) -> DayClosing:
    async with day.till.database.transaction() as session:
        return await close_day(
            session,
            seller,
            seen_expected=seen.expected_cash,
            seen_previous=seen.previous_id,
            counted=seen.expected_cash,
            left=0,
        )


async def read_stock(day: Day) -> dict[str, tuple[int, int]]:
    """Return stocked and reserved units by variant."""
    async with day.till.database.read() as session:
        levels = (await session.execute(select(InventoryLevel))).scalars()
        return {level.variant_id: (level.stocked, level.reserved) for level in levels}


async def test_all_reports_have_the_same_total_for_the_sales_of_two_sellers(day: Day) -> None:
    sold = await asyncio.gather(sell_everything(day, SELLER), sell_everything(day, OTHER_SELLER))
    assert len({order_id for orders in sold for order_id in orders}) == 12
    goods = 2 * (2 * PRICE + DEARER_PRICE + PRICE + BALL_PRICE + PRICE)
    takings, returned = goods + 2 * DELIVERY, 2 * PRICE

    async with day.till.database.read() as session:
        orders = (await session.execute(select(Order))).scalars().all()
        captured = (await session.execute(select(func.sum(PaymentSession.captured_amount)))).scalar_one()
        today = today_in_colombia(now())
        ledger = await read_ledger(session, Period("rango", today, today))
        products = await read_product_sales(session, Period("rango", today, today))
        seen = await read_open_day(session, SELLER)
    sales = sum(order.total for order in orders)
    assert (sales, captured, ledger.captured) == (takings + returned,) * 3
    assert ledger.refunded == returned
    assert sum(one.total for one in ledger.shipping.values()) == 2 * DELIVERY
    assert sorted((one.title, one.units, one.pesos) for one in products) == [
        ("Balero", 2, 2 * DEARER_PRICE),
        ("Pelota", 4, 2 * BALL_PRICE),
        ("Trompo", 8, 8 * PRICE),
    ]
    assert sorted(order.origin for order in orders) == sorted(
        ["web", "counter", "whatsapp", "counter", "phone", "counter"] * 2
    )

    # per seller: one of the two web units is gone, the unit sold at the counter came back, the others are reserved
    assert await read_stock(day) == {
        day.trompo: (STOCK - 2, 6),
        day.ball: (STOCK - 4, 0),
        day.dearer: (STOCK - 2, 0),
    }

    await day.shop.worker.run_due(ISSUE)
    async with day.till.database.read() as session:
        invoices = (await session.execute(select(Invoice))).scalars().all()
    notes = [one for one in invoices if one.kind == InvoiceKind.CREDIT_NOTE]
    assert [one.amount for one in notes] == [PRICE, PRICE]
    assert (len(invoices), sum(one.amount for one in invoices)) == (14, takings + 2 * returned)
    assert {one.state for one in invoices} == {"issued"}
    assert len(day.desk.made) == 14

    cash = 2 * DEARER_PRICE
    assert (seen.received, seen.expected_cash) == (
        {"cash": cash, "nequi": 2 * BALL_PRICE, "transfer": 2 * (PRICE + DELIVERY)},
        cash,
    )
    results = await asyncio.gather(
        close(day, SELLER, seen), close(day, OTHER_SELLER, seen), return_exceptions=True
    )
    assert sorted(isinstance(one, Conflict) for one in results) == [False, True]
    (closing,) = [one for one in results if isinstance(one, DayClosing)]
    assert (closing.expected_cash, closing.received) == (cash, seen.received)
    async with day.till.database.read() as session:
        assert (await read_open_day(session, SELLER)).received == {}
        summary = await read_summary(session, [today.isoformat()])
    assert f"12 pedidos, {format_cop(takings)}" in summary.title
