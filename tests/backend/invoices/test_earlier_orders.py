"""Orders that were paid before the shop issued invoices.

order                                            | outcome of «today»              | outcome of «elsewhere»
-------------------------------------------------|---------------------------------|--------------------------------
paid, without an invoice                         | an invoice of today             | none, also after later payments
paid and partly refunded                         | an invoice and its credit note  | none, and no note of the refund
unpaid, or with an invoice                       | left out                        | left out
paid while invoices were switched off again      | an invoice of today             | none
two staff members decide at the same time        | one invoice                     | only the first decision counts
"""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import Forbidden, NotFound
from backend.invoices.earlier_orders import (
    InvoicingOff,
    count_orders_without_invoice,
    invoice_earlier_orders,
    list_orders_without_invoice,
    mark_invoiced_elsewhere,
)
from backend.orders.models import Order
from backend.staff.rights import Actor, Role
from tests.backend.invoices.desk import (
    OWNER,
    Desk,
    book_refund,
    enable_invoices,
    list_documents,
    place_paid_order,
)
from tests.store_defaults import Defaults

STOCKROOM = Actor("user_2", Role.STOCKROOM)


async def place_earlier_order(shop: Shop) -> str:
    return f"order_{(await place_paid_order(shop)).number}"


async def read_waiting(shop: Shop) -> list[str]:
    async with shop.database.read() as session:
        orders = await list_orders_without_invoice(session, OWNER, 50)
        assert len(orders) == await count_orders_without_invoice(session)
        return [order.id for order in orders]


async def invoice(shop: Shop, *order_ids: str) -> int:
    async with shop.database.transaction() as session:
        return await invoice_earlier_orders(session, OWNER, order_ids)


async def mark(shop: Shop, *order_ids: str) -> int:
    async with shop.database.transaction() as session:
        return await mark_invoiced_elsewhere(session, OWNER, order_ids)


async def test_earlier_orders_are_invoiced_once_or_marked_as_invoiced_elsewhere(
    shop: Shop, shop_defaults: Defaults
) -> None:
    first, second, third = [await place_earlier_order(shop) for _number in range(3)]
    assert set(await read_waiting(shop)) == {first, second, third}
    with pytest.raises(InvoicingOff):
        await invoice(shop, first)
    await enable_invoices(shop, Desk())
    assert await invoice(shop, first) == 1
    assert await invoice(shop, first, first) == 0
    assert await mark(shop, second, first) == 1
    assert await invoice(shop, second) == 0
    assert await read_waiting(shop) == [third]
    later = await place_earlier_order(shop)
    assert [one.order_id for one in await list_documents(shop)] == [first, later]
    assert await read_waiting(shop) == [third]


async def test_order_paid_while_invoicing_was_switched_off_is_listed_as_uninvoiced(
    shop: Shop, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop, Desk())
    invoiced = await place_earlier_order(shop)
    await enable_invoices(shop, provider="")
    skipped = await place_earlier_order(shop)
    async with shop.database.transaction() as session:  # its order was placed after the first invoice
        later = update(Order).where(Order.id == skipped).values(created_at=now() + timedelta(days=1))
        await session.execute(later)
    assert await read_waiting(shop) == [skipped]
    with pytest.raises(InvoicingOff):
        await invoice(shop, skipped)
    await enable_invoices(shop, Desk())
    following = await place_earlier_order(shop)
    assert await read_waiting(shop) == [skipped]
    assert await invoice(shop, skipped) == 1
    assert await read_waiting(shop) == []
    assert [one.order_id for one in await list_documents(shop)] == [invoiced, following, skipped]


async def test_earlier_refund_gets_its_credit_note(shop: Shop, shop_defaults: Defaults) -> None:
    sold = await place_paid_order(shop)
    await book_refund(shop, sold, 20_000, {"book": 1})
    await enable_invoices(shop, Desk())
    assert await invoice(shop, f"order_{sold.number}") == 1
    documents = [(one.kind, one.amount) for one in await list_documents(shop)]
    assert documents == [("invoice", 258_000), ("credit_note", 20_000)]


async def test_two_concurrent_decisions_create_one_invoice(shop: Shop, shop_defaults: Defaults) -> None:
    order_id = await place_earlier_order(shop)
    await enable_invoices(shop, Desk())
    results = await asyncio.gather(
        invoice(shop, order_id), invoice(shop, order_id), mark(shop, order_id), invoice(shop, order_id)
    )
    assert sum(results) == 1
    assert len(await list_documents(shop)) == results[0] + results[1] + results[3]


async def test_decision_about_invoices_is_refused_without_the_right(
    shop: Shop, shop_defaults: Defaults
) -> None:
    order_id = await place_earlier_order(shop)
    await enable_invoices(shop, Desk())
    async with shop.database.transaction() as session:
        for decide in (invoice_earlier_orders, mark_invoiced_elsewhere):
            with pytest.raises(Forbidden):
                await decide(session, STOCKROOM, [order_id])
    with pytest.raises(NotFound):
        await invoice(shop, "order_nosuch")
    assert await list_documents(shop) == []
