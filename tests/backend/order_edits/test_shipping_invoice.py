"""An edit after the invoice that changes only the shipping: documents, money and books agree to the peso.

| case | outcome |
|---|---|
| dearer shipping | a credit note of the whole invoice, a new invoice, and the difference is owed |
| cheaper shipping | the same, and the difference is to be given back; giving it back creates no further document |
| the transaction of the edit fails | no document, no new price, no shipping |
| two staff members confirm at the same time | one credit note and one new invoice |
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention.models import Attention
from backend.checkout.service import Checkout
from backend.core.clock import now
from backend.core.money import Cop
from backend.invoices.models import Invoice
from backend.invoices.states import InvoiceKind
from backend.jobs import Worker
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.difference import DifferenceReceipt, give_back_difference
from backend.order_edits.models import OrderEdit
from backend.orders.models import Order
from backend.payment.cash import sum_cash
from backend.payment.manual_methods import ManualMethod
from backend.payment.providers.system_default import SystemDefault
from backend.payment.service import PaymentService
from backend.pricing import tax_inside
from backend.shipping.providers.registry import ManualProvider, OwnDeliveryProvider
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import PRICE, Till, create_settings_reader
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.checkout.scripted_carrier import ScriptedCarrier
from tests.backend.draft_orders.selling import OTHER_SELLER, OWNER, SELLER
from tests.backend.invoices.desk import Desk, enable_invoices, list_documents, run_issue_job
from tests.backend.order_edits.editing_kit import choose_shipping, confirm, place_paid_order, receive
from tests.checkout_steps import add_own_delivery
from tests.store_defaults import Defaults

DELIVERY, QUOTED = 8_700, 12_000
Documents = list[tuple[str, int, bool]]


@dataclass
class Office:
    """A shop with own delivery and a carrier, and a pickup order whose invoice is issued."""

    shop: Shop
    till: Till
    desk: Desk
    order: Order

    async def choose(self, provider_id: str) -> OrderEdit:
        """Choose the shipping option of this provider in the open edit of the order."""
        return await choose_shipping(self.till, self.order, provider_id)

    async def issue(self) -> None:
        """Issue the pending documents. A second round issues the credit notes that waited for their invoice."""
        for _turn in range(2):
            for row in await list_documents(self.shop):
                if row.state == "pending":
                    await run_issue_job(self.shop.invoices, row)

    async def read_documents(self) -> Documents:
        """Return all documents: kind, amount, and True if the document is annulled."""
        rows = await list_documents(self.shop)
        return sorted((row.kind, row.amount, row.annulled_at is not None) for row in rows)

    async def list_attention(self) -> list[tuple[str, int | None]]:
        """Return kind and amount of the open attention rows."""
        async with self.shop.database.read() as session:
            query = select(Attention.kind, Attention.amount).where(Attention.resolved_at.is_(None))
            return [(kind, amount) for kind, amount in await session.execute(query)]

    async def read_ledger(self) -> Cop:
        """Return the captured pesos of the latest hour minus the refunded ones."""
        async with self.shop.database.read() as session:
            period = (now() - timedelta(hours=1), now() + timedelta(hours=1))
            [cash] = await sum_cash(session, [period])
            return cash.captured - cash.refunded


@pytest.fixture
async def office(shop: Shop, shop_defaults: Defaults) -> Office:
    bank, desk = ScriptedBank(), Desk()
    payments = PaymentService(shop.database, {bank.id: bank, "pp_system_default": SystemDefault()})
    providers = {
        "manual_manual": ManualProvider(),
        "own_delivery": OwnDeliveryProvider(),
        "carrier_standard": ScriptedCarrier(),
    }
    read_settings = create_settings_reader(shop.database, shop.settings)
    checkout = Checkout(shop.settings, shop.database, payments, providers, read_settings)
    till = Till(shop.database, checkout, bank, Worker(shop.database, [payments]), shop_defaults)
    await add_own_delivery(shop.database, DELIVERY)
    await enable_invoices(shop, desk)
    order = await place_paid_order(till, await till.make_variant(stock=5))
    found = Office(shop, till, desk, order)
    await found.issue()
    return found


def sum_invoiced(rows: Sequence[Invoice]) -> Cop:
    return sum(row.amount if row.kind == InvoiceKind.INVOICE else -row.amount for row in rows)


async def test_dearer_shipping_creates_a_credit_note_and_a_new_invoice(office: Office) -> None:
    edited = await confirm(office.till, await office.choose("own_delivery"), PRICE + DELIVERY)
    assert (edited.item_total, edited.shipping_total, edited.total) == (PRICE, DELIVERY, PRICE + DELIVERY)
    assert await office.read_documents() == [
        ("credit_note", PRICE, False),
        ("invoice", PRICE, True),
        ("invoice", PRICE + DELIVERY, False),
    ]
    assert await office.list_attention() == [("edit_owed", DELIVERY)]
    await office.issue()
    rows = await list_documents(office.shop)
    (current,) = [row for row in rows if row.kind == InvoiceKind.INVOICE and row.annulled_at is None]
    made = office.desk.made[current.full_number]
    assert (made.total, made.tax) == (PRICE + DELIVERY, tax_inside(PRICE, 19) + tax_inside(DELIVERY, 19))
    assert sorted(line.total for line in made.lines) == [DELIVERY, PRICE]
    await receive(office.till, office.order, DELIVERY)
    assert (await office.till.read_order(edited.id)).payment_status == "captured"
    assert await office.list_attention() == []
    assert await office.read_ledger() == sum_invoiced(await list_documents(office.shop)) == PRICE + DELIVERY


async def test_refund_of_cheaper_shipping_creates_no_further_document(office: Office) -> None:
    await confirm(office.till, await office.choose("carrier_standard"), PRICE + QUOTED)
    await receive(office.till, office.order, QUOTED)
    await office.issue()
    await confirm(office.till, await office.choose("own_delivery"), PRICE + DELIVERY)
    await office.issue()
    surplus = QUOTED - DELIVERY
    assert await office.list_attention() == [("edit_refund", surplus)]
    receipt = DifferenceReceipt(surplus, ManualMethod.TRANSFER, "T-1")
    await give_back_difference(office.shop.database, OWNER, office.order.id, receipt)
    assert await office.read_documents() == [
        ("credit_note", PRICE, False),
        ("credit_note", PRICE + QUOTED, False),
        ("invoice", PRICE, True),
        ("invoice", PRICE + DELIVERY, False),
        ("invoice", PRICE + QUOTED, True),
    ]
    assert {row.state for row in await list_documents(office.shop)} == {"issued"}
    assert await office.read_ledger() == sum_invoiced(await list_documents(office.shop)) == PRICE + DELIVERY
    assert await office.list_attention() == []


async def test_failed_transaction_changes_neither_order_nor_documents(office: Office) -> None:
    edit = await office.choose("own_delivery")
    before = await office.read_documents()

    async def confirm_and_fail() -> None:
        async with office.shop.database.transaction() as session:
            await confirm_edit(session, SELLER, edit.id, expected_total=PRICE + DELIVERY)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await confirm_and_fail()
    order = await office.till.read_order(office.order.id)
    assert (order.total, order.shipping_total, order.shipping_name) == (PRICE, 0, office.order.shipping_name)
    assert await office.read_documents() == before == [("invoice", PRICE, False)]
    assert await office.list_attention() == []


async def test_concurrent_confirmations_create_one_credit_note(office: Office) -> None:
    edit = await office.choose("own_delivery")
    actors: tuple[Actor, ...] = (SELLER, OTHER_SELLER, OWNER)
    await asyncio.gather(*(confirm(office.till, edit, PRICE + DELIVERY, actor) for actor in actors))
    assert await office.read_documents() == [
        ("credit_note", PRICE, False),
        ("invoice", PRICE, True),
        ("invoice", PRICE + DELIVERY, False),
    ]
