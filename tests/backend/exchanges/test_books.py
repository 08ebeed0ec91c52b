"""Invoices, ledger and e-mails of an exchange agree to the peso."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.clock import now
from backend.draft_orders.contact import parse_contact
from backend.draft_orders.counter_sale import ReceivedMoney, sell
from backend.draft_orders.drafts import add_units, open_current_draft
from backend.exchanges.preparation import add_outbound_units, open_exchange, set_inbound_units
from backend.exchanges.settlement import SeenExchange, settle_exchange
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.order_edits.difference import DifferenceReceipt
from backend.orders.models import Order
from backend.orders.service import list_order_lines
from backend.payment.cash import sum_cash
from tests.amounts import cop
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import OWNER, SELLER, prepare, take_money
from tests.backend.exchanges.exchange_kit import CASH, settle, write_exchange
from tests.backend.invoices.desk import enable_invoices, list_documents
from tests.store_defaults import Defaults, add_product

EMAIL = "ana@example.com"


async def sum_books(till: Till) -> int:
    """Return the captures minus the refunds in the ledger, in pesos, from an hour ago to an hour from now."""
    async with till.database.read() as session:
        period = (now() - timedelta(hours=1), now() + timedelta(hours=1))
        [cash] = await sum_cash(session, [period])
        return cash.captured - cash.refunded


async def compose_mails(till: Till) -> list[tuple[str, dict[str, Any]]]:
    """Compose all stored mails. Return kind and template values of those that would be sent, the oldest first."""
    found = []
    async with till.database.read() as session:
        for mail in (await session.execute(select(Mail).order_by(Mail.created_at, Mail.id))).scalars():
            message = await compose_message(session, till.checkout.settings, mail)
            if message is not None:
                found.append((mail.kind, message.values))
    return found


async def sell_to_ana(till: Till, variant: str) -> Order:
    contact = parse_contact({"email": EMAIL})
    return await take_money(till, await prepare(till, {variant: 1}), PRICE, contact=contact)


@pytest.mark.parametrize("price", [PRICE - 7_000, PRICE, PRICE + 7_000])
async def test_ledger_after_an_exchange_contains_only_the_price_of_the_new_order(
    till: Till, price: int
) -> None:
    old = await till.make_variant("trompo")
    new = await till.make_variant("balero", price=price)
    order = await sell_to_ana(till, old)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    money = DifferenceReceipt(abs(price - PRICE), CASH) if price != PRICE else None
    await settle(till, exchange, price - PRICE, money, actor=OWNER)
    assert await sum_books(till) == price


async def test_customer_gets_one_mail_about_the_new_order(till: Till) -> None:
    old = await till.make_variant("trompo")
    new = await till.make_variant("balero", price=PRICE + 7_000)
    order = await sell_to_ana(till, old)
    before = len(await compose_mails(till))
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    await settle(till, exchange, 7_000, DifferenceReceipt(7_000, CASH))
    [(kind, values)] = (await compose_mails(till))[before:]
    assert (kind, values["exchange"]["number"], values["exchange"]["credit"]) == (
        "order_paid",
        order.number,
        cop("$ 40.000"),
    )
    assert (values["exchange"]["owed"], values["exchange"]["surplus"], values["missing"]) == ("", "", "")


@pytest.mark.parametrize("price", [33_000, 47_000])
async def test_exchange_has_a_credit_note_and_a_new_invoice(
    shop: Shop, shop_defaults: Defaults, price: int
) -> None:
    """Exchange for a cheaper and a dearer product: the invoice is credited fully, and a new one is issued."""
    await enable_invoices(shop)
    async with shop.database.transaction() as session:
        old = await add_product(session, shop_defaults, "trompo", price=PRICE)
        new = await add_product(session, shop_defaults, "balero", price=price)
        draft = await open_current_draft(session, SELLER)
        await add_units(session, SELLER, draft.id, old)
        received = ReceivedMoney(PRICE, CASH)
        order = await sell(session, SELLER, shop.settings, draft.id, received=received)
        (line,) = await list_order_lines(session, order.id)
    async with shop.database.transaction() as session:
        exchange = await open_exchange(session, OWNER, order.id)
        await set_inbound_units(session, OWNER, exchange.id, line.id, 1)
        await add_outbound_units(session, OWNER, exchange.id, new)
    async with shop.database.transaction() as session:
        money = DifferenceReceipt(abs(price - PRICE), CASH)
        made = await settle_exchange(session, OWNER, exchange.id, SeenExchange(price - PRICE), money)
    documents = [(row.kind, row.order_id, row.amount) for row in await list_documents(shop)]
    assert sorted(documents) == sorted(
        [
            ("invoice", order.id, PRICE),
            ("credit_note", order.id, PRICE),
            ("invoice", made.id, price),
        ]
    )
