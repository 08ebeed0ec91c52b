"""An edit after the invoice makes a credit note and a new invoice, in the transaction of the edit."""

from sqlalchemy import update

from backend.app import Shop
from backend.core.events import publish
from backend.invoices.documents import Document
from backend.invoices.providers.base import DocumentRejected
from backend.invoices.retry import retry_invoice
from backend.invoices.states import InvoiceKind
from backend.orders.events import OrderEdited
from backend.orders.models import Order, OrderLine
from backend.orders.service import compute_order_totals, list_order_lines, read_order
from tests.backend.invoices.desk import (
    OWNER,
    Desk,
    do_nothing,
    enable_invoices,
    list_documents,
    place_paid_order,
    run_issue_job,
)
from tests.backend.reports.selling import Sold
from tests.store_defaults import Defaults


async def edit(shop: Shop, sold: Sold) -> None:
    """Edit the order: reduce its line `trompo` from two units to one."""
    order_id = f"order_{sold.number}"
    async with shop.database.transaction() as session:
        change = update(OrderLine).where(OrderLine.id == sold.line_id("trompo"))
        await session.execute(change.values(quantity=1))
        order = await read_order(session, order_id)
        totals = compute_order_totals(order, await list_order_lines(session, order_id))
        await session.execute(update(Order).where(Order.id == order_id).values(total=totals.total))
        session.expire_all()
        await publish(session, OrderEdited(order_id, "ordch_1"))


async def test_edit_of_an_invoiced_order_creates_a_credit_note_and_a_new_invoice(
    shop: Shop, shop_defaults: Defaults
) -> None:
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    sold = await place_paid_order(shop)
    (first,) = await list_documents(shop)
    await run_issue_job(invoices, first)
    await edit(shop, sold)
    for row in await list_documents(shop):
        if row.state == "pending":
            await run_issue_job(invoices, row)
    documents = {row.id: row for row in await list_documents(shop)}
    first = documents.pop(first.id)
    note = next(row for row in documents.values() if row.kind == InvoiceKind.CREDIT_NOTE)
    second = next(row for row in documents.values() if row.kind == InvoiceKind.INVOICE)
    assert (first.annulled_at is not None, second.annulled_at) == (True, None)
    assert (note.corrects_id, note.refund_id, note.amount) == (first.id, None, first.amount)
    assert second.amount == first.amount - 119_000
    annulled, replaced = desk.made[note.full_number], desk.made[second.full_number]
    assert (annulled.total, annulled.tax) == (
        desk.made[first.full_number].total,
        desk.made[first.full_number].tax,
    )
    assert annulled.corrects is not None
    assert (annulled.corrects.number, annulled.corrects.concept) == (first.full_number, "2")
    assert (replaced.total, [line.quantity for line in replaced.lines][:2]) == (second.amount, [1, 1])


async def test_invoice_retried_before_an_edit_is_sent_with_its_original_lines(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Let the provider reject the numbered invoice; staff retry it, and edit the order before it is sent again."""
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    sold = await place_paid_order(shop)
    (first,) = await list_documents(shop)
    desk.before = reject
    await run_issue_job(invoices, first)
    async with shop.database.transaction() as session:
        await retry_invoice(session, OWNER, first.id)
    await edit(shop, sold)
    desk.before = do_nothing
    for _time in range(2):  # the note waits until its invoice is issued
        for row in await list_documents(shop):
            if row.state == "pending":
                await run_issue_job(invoices, row)
    documents = {row.id: row for row in await list_documents(shop)}
    first = documents.pop(first.id)
    assert (first.annulled_at is not None, first.state) == (True, "issued")
    assert desk.made[first.full_number].total == first.amount
    note = next(row for row in documents.values() if row.kind == InvoiceKind.CREDIT_NOTE)
    assert desk.made[note.full_number].total == first.amount


def reject(_document: Document) -> None:
    raise DocumentRejected("The buyer's document is not valid")


async def test_order_edit_changes_only_the_amount_of_an_unnumbered_invoice(
    shop: Shop, shop_defaults: Defaults
) -> None:
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    sold = await place_paid_order(shop)
    (first,) = await list_documents(shop)
    await edit(shop, sold)
    (row,) = await list_documents(shop)
    assert (row.id, row.amount) == (first.id, first.amount - 119_000)
    await run_issue_job(invoices, row)
    (made,) = desk.made.values()
    assert made.total == row.amount


async def test_edit_of_an_order_without_invoice_makes_no_document(
    shop: Shop, shop_defaults: Defaults
) -> None:
    sold = await place_paid_order(shop)
    await edit(shop, sold)
    assert await list_documents(shop) == []
