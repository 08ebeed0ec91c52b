"""A document is issued once in spite of any failure, and obstacles open attention."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision
from backend.core.errors import Conflict, Forbidden, InvalidData
from backend.core.web.http_client import NoAnswer, ServiceUnavailable
from backend.invoices import issue_job
from backend.invoices.attention_checks import InvoiceWatch
from backend.invoices.configuration import save_configuration
from backend.invoices.creation import ISSUE
from backend.invoices.documents import Document, restore_document
from backend.invoices.models import Invoice
from backend.invoices.numbering import take_number
from backend.invoices.providers.base import DocumentRejected
from backend.invoices.retry import retry_invoice
from backend.jobs import JobRun, RunAgain
from backend.jobs.models import Job
from backend.office_settings.invoicing import read_invoicing
from backend.office_settings.models import StoredSetting
from backend.orders.models import Order
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.invoices.desk import (
    OWNER,
    RANGE,
    Desk,
    Killed,
    book_refund,
    crash_at_lock,
    enable_invoices,
    list_documents,
    place_paid_order,
    run_issue_job,
)
from tests.store_defaults import Defaults

WATCH = JobRun(1, "invoices.watch", "", {}, 1)


async def open_attention(shop: Shop) -> list[Attention]:
    async with shop.database.read() as session:
        rows = select(Attention).where(Attention.resolved_at.is_(None)).order_by(Attention.id)
        return list((await session.execute(rows)).scalars())


async def list_open_kinds(shop: Shop) -> list[str]:
    return [row.kind for row in await open_attention(shop)]


def crash(_document: Document) -> None:
    raise Killed


async def test_shop_without_a_provider_has_no_documents(shop: Shop, shop_defaults: Defaults) -> None:
    sold = await place_paid_order(shop)
    await book_refund(shop, sold, 20_000, {"book": 1})
    await InvoiceWatch(shop.database).watch(WATCH)
    async with shop.database.read() as session:
        jobs = (await session.execute(select(Job.kind).where(Job.kind == ISSUE))).scalars().all()
    assert (await list_documents(shop), jobs, await list_open_kinds(shop)) == ([], [], [])


async def test_invoice_is_issued_for_an_order_and_a_credit_note_for_its_refund(
    shop: Shop, shop_defaults: Defaults
) -> None:
    desk = Desk()
    await enable_invoices(shop, desk)
    sold = await place_paid_order(shop, shipping=11_900)
    await book_refund(shop, sold, 119_000, {"trompo": 1})
    await shop.worker.run_due(ISSUE)
    invoice, note = await list_documents(shop)
    assert (invoice.state, invoice.full_number, invoice.code) == (
        "issued", "SETP990000000", "cufe of SETP990000000",
    )  # fmt: skip
    assert (note.state, note.full_number, note.amount) == ("issued", "NC1", 119_000)
    told = desk.made["SETP990000000"]
    assert [(line.title, line.quantity, line.gross, line.rate, line.tax) for line in told.lines] == [
        ("book", 1, 20_000, 0, 0),
        ("trompo", 2, 200_000, 19, 38_000),
        ("Envío", 1, 10_000, 19, 1_900),
    ]
    credit = desk.made["NC1"]
    assert [(line.title, line.quantity, line.gross, line.tax) for line in credit.lines] == [
        ("trompo", 1, 100_000, 19_000)
    ]
    assert credit.corrects is not None
    assert (credit.corrects.number, credit.corrects.code, credit.corrects.concept) == (
        "SETP990000000", "cufe of SETP990000000", "1",
    )  # fmt: skip
    assert credit.range is None


@pytest.mark.parametrize("now_by", ["desk", ""])
async def test_credit_note_uses_the_provider_of_its_invoice(
    shop: Shop, shop_defaults: Defaults, now_by: str
) -> None:
    """Check a shop that has changed its provider, or has none now: only the earlier one knows the invoice."""
    desk = Desk()
    invoices = await enable_invoices(shop)
    sold = await place_paid_order(shop)
    (invoice,) = await list_documents(shop)
    await run_issue_job(invoices, invoice)
    await enable_invoices(shop, desk, provider=now_by)
    await book_refund(shop, sold, 119_000, {"trompo": 1})
    _, note = await list_documents(shop)
    assert await run_issue_job(invoices, note) is None
    _, note = await list_documents(shop)
    assert (note.provider_id, note.state, note.full_number) == ("file", "issued", "NC1")
    assert desk.told == []


async def test_credit_note_waits_for_its_invoice(shop: Shop, shop_defaults: Defaults) -> None:
    desk = Desk(before=lambda _: (_ for _ in ()).throw(ServiceUnavailable("away")))
    invoices = await enable_invoices(shop, desk)
    sold = await place_paid_order(shop)
    await book_refund(shop, sold, 258_000, {})
    invoice, note = await list_documents(shop)
    assert await run_issue_job(invoices, note) == RunAgain(issue_job.INVOICE_CHECK_INTERVAL, reset=True)
    with pytest.raises(ServiceUnavailable):
        await run_issue_job(invoices, invoice)
    desk.before = lambda _: None
    await run_issue_job(invoices, invoice)
    assert await run_issue_job(invoices, note) is None
    corrects = desk.made["NC1"].corrects
    assert corrects is not None
    assert (corrects.concept, corrects.description) == ("2", "Anulación de factura electrónica")


async def _crash_before_the_number(monkeypatch: pytest.MonkeyPatch, _desk: Desk) -> None:
    async def number(*_arguments: Any) -> int:
        raise Killed

    monkeypatch.setattr(issue_job, "take_number", number)


async def _crash_with_the_number(monkeypatch: pytest.MonkeyPatch, _desk: Desk) -> None:
    real = take_number

    async def number(*arguments: Any) -> int:
        await real(*arguments)
        raise Killed

    monkeypatch.setattr(issue_job, "take_number", number)


async def _crash_after_the_number(monkeypatch: pytest.MonkeyPatch, _desk: Desk) -> None:
    crash_at_lock(monkeypatch, 2)


async def _crash_before_the_issue(_monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    desk.before = crash


async def _crash_after_the_issue(_monkeypatch: pytest.MonkeyPatch, desk: Desk) -> None:
    desk.after = crash


async def _crash_with_the_response(monkeypatch: pytest.MonkeyPatch, _desk: Desk) -> None:
    crash_at_lock(monkeypatch, 3)


@pytest.mark.parametrize(
    ("dying", "told", "found"),
    [
        (_crash_before_the_number, 1, 0),
        (_crash_with_the_number, 1, 0),
        (_crash_after_the_number, 1, 0),
        (_crash_before_the_issue, 2, 1),
        (_crash_after_the_issue, 1, 1),
        (_crash_with_the_response, 1, 1),
    ],
)
async def test_crash_at_any_step_of_issuing_uses_no_second_invoice_number(
    shop: Shop, shop_defaults: Defaults, dying: Callable[..., Any], told: int, found: int
) -> None:
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with pytest.MonkeyPatch.context() as patch:
        await dying(patch, desk)
        with pytest.raises(Killed):
            await run_issue_job(invoices, row)
    desk.before = desk.after = lambda _: None
    assert await run_issue_job(invoices, row) is None
    (row,) = await list_documents(shop)
    assert (row.state, row.full_number) == ("issued", "SETP990000000")
    assert list(desk.made) == ["SETP990000000"]
    assert (len(desk.told), len(desk.found)) == (told, found)
    await place_paid_order(shop)  # the next number follows: none was skipped
    await shop.worker.run_due(ISSUE)
    assert list(desk.made) == ["SETP990000000", "SETP990000001"]


@pytest.mark.parametrize("dying", [_crash_after_the_number, _crash_before_the_issue])
async def test_document_that_is_sent_on_a_later_day_has_the_date_of_that_day(
    shop: Shop, shop_defaults: Defaults, dying: Callable[..., Any]
) -> None:
    """Test a crash on the day before, either before the document was sent or when it may have been sent."""
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with pytest.MonkeyPatch.context() as patch:
        await dying(patch, desk)
        with pytest.raises(Killed):
            await run_issue_job(invoices, row)
    desk.before = lambda _: None
    (row,) = await list_documents(shop)
    first = restore_document(row.document)
    earlier = replace(first, issued_at=first.issued_at - timedelta(days=1))
    async with shop.database.transaction() as session:
        await session.execute(update(Invoice).values(document=earlier.as_json()))
    assert await run_issue_job(invoices, row) is None
    (row,) = await list_documents(shop)
    sent = restore_document(row.document)
    assert (row.state, sent.number) == ("issued", first.number)
    assert sent.issued_at >= first.issued_at


async def test_unsent_document_of_another_day_waits_until_the_shops_data_are_valid(
    shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> None:
        raise InvalidData("The NIT is wrong", staff_text="El NIT de la tienda no es válido.")

    invoices = await enable_invoices(shop, Desk())
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with pytest.MonkeyPatch.context() as patch:
        crash_at_lock(patch, 2)
        with pytest.raises(Killed):
            await run_issue_job(invoices, row)
    (row,) = await list_documents(shop)
    first = restore_document(row.document)
    async with shop.database.transaction() as session:
        earlier = replace(first, issued_at=first.issued_at - timedelta(days=1))
        await session.execute(update(Invoice).values(document=earlier.as_json()))
    with monkeypatch.context() as broken:
        broken.setattr(issue_job, "build_seller", refuse)
        assert await run_issue_job(invoices, row) == RunAgain(timedelta(hours=1), reset=True)
    assert await list_open_kinds(shop) == ["invoice_waits"]
    assert await run_issue_job(invoices, row) is None
    (row,) = await list_documents(shop)
    assert (row.state, row.full_number, await list_open_kinds(shop)) == ("issued", "SETP990000000", [])


async def test_document_without_a_response_is_looked_up(shop: Shop, shop_defaults: Defaults) -> None:
    def no_answer(_document: Document) -> None:
        raise NoAnswer("no answer")

    desk = Desk(after=no_answer)
    invoices = await enable_invoices(shop, desk)
    await place_paid_order(shop)
    (row,) = await list_documents(shop)
    with pytest.raises(NoAnswer):
        await run_issue_job(invoices, row)
    await run_issue_job(invoices, row)
    assert (desk.told, desk.found) == (["SETP990000000"], ["SETP990000000"])


async def test_concurrent_issue_jobs_use_distinct_invoice_numbers(
    shop: Shop, shop_defaults: Defaults
) -> None:
    desk = Desk()
    invoices = await enable_invoices(shop, desk)
    for _ in range(8):
        await place_paid_order(shop)
    rows = await list_documents(shop)
    await asyncio.gather(*(run_issue_job(invoices, row) for row in rows))
    assert sorted(desk.made) == [f"SETP{990_000_000 + n}" for n in range(8)]


async def test_order_that_was_paid_twice_has_one_invoice(shop: Shop, shop_defaults: Defaults) -> None:
    from backend.invoices.creation import create_invoice_of_order
    from backend.orders.events import OrderPaid

    await enable_invoices(shop, Desk())
    sold = await place_paid_order(shop)
    async with shop.database.transaction() as session:
        await create_invoice_of_order(session, OrderPaid(f"order_{sold.number}"))
    assert len(await list_documents(shop)) == 1


async def test_rejected_document_raises_attention_and_its_retry_keeps_the_number(
    shop: Shop, shop_defaults: Defaults
) -> None:
    def refuse(_document: Document) -> None:
        raise DocumentRejected("FAK21: the customer's document is not known")

    desk = Desk(before=refuse)
    invoices = await enable_invoices(shop, desk)
    sold = await place_paid_order(shop)
    (row,) = await list_documents(shop)
    assert await run_issue_job(invoices, row) is None
    (row,) = await list_documents(shop)
    assert (row.state, row.reason) == ("rejected", "FAK21: the customer's document is not known")
    assert await list_open_kinds(shop) == ["invoice_rejected"]
    assert await run_issue_job(invoices, row) is None  # it was not sent again
    assert len(desk.told) == 1
    async with shop.database.transaction() as session:
        payer = {"person_type": "0", "doc_type": "CC", "doc_number": "1020304050"}
        await session.execute(
            update(Order)
            .where(Order.id == f"order_{sold.number}")
            .values(payer=payer, billing_address={"first_name": "Ana", "last_name": "Gómez"})
        )
    desk.before = lambda _: None
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await retry_invoice(session, Actor("user_2", Role.ACCOUNTANT), row.id)
    async with shop.database.transaction() as session:
        await retry_invoice(session, OWNER, row.id)
    await shop.worker.run_due(ISSUE)
    (row,) = await list_documents(shop)
    assert (row.state, row.full_number, row.reason, await list_open_kinds(shop)) == (
        "issued",
        "SETP990000000",
        "",
        [],
    )
    assert restore_document(row.document).buyer.name == "Ana Gómez"  # with the current data
    with pytest.raises(Conflict):
        async with shop.database.transaction() as session:
            await retry_invoice(session, OWNER, row.id)


async def test_accepting_the_attention_of_a_rejected_document_issues_the_document(
    shop: Shop, shop_defaults: Defaults
) -> None:
    def refuse(_document: Document) -> None:
        raise DocumentRejected("no")

    desk = Desk(before=refuse)
    await enable_invoices(shop, desk)
    await place_paid_order(shop)
    await shop.worker.run_due(ISSUE)
    desk.before = lambda _: None
    (raised,) = await open_attention(shop)
    await shop.attention.resolve(raised.id, Decision(Action.HONOR, COMMAND_LINE))
    await shop.worker.run_due(ISSUE)
    (row,) = await list_documents(shop)
    assert (row.state, await list_open_kinds(shop)) == ("issued", [])


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"last": "990000000"}, "ends with SETP990000000"),
        ({"valid_until": "2026-01-31"}, "is valid from 2026-01-01 to 2026-01-31"),
        ({"valid_from": "2035-01-01"}, "is valid from 2035-01-01"),
    ],
)
async def test_document_waits_if_its_number_would_be_outside_the_range(
    shop: Shop, shop_defaults: Defaults, typed: dict[str, str], says: str
) -> None:
    desk = Desk()
    invoices = await enable_invoices(shop, desk, **typed)
    await place_paid_order(shop)
    await place_paid_order(shop)
    for row in await list_documents(shop):
        await run_issue_job(invoices, row)
    *_, last = await list_documents(shop)
    assert (last.state, last.number) == ("pending", None)
    raised = (await open_attention(shop))[-1]
    assert raised.kind == "invoice_waits"
    assert says in raised.message
    await enable_invoices(shop, desk, last="995000000", valid_from="2026-01-01", valid_until="2036-01-01")
    await shop.worker.run_due(ISSUE)  # saving the range tried it immediately
    assert [row.state for row in await list_documents(shop)] == ["issued", "issued"]
    assert await list_open_kinds(shop) == []


async def test_attention_is_raised_before_the_invoice_numbers_are_used_up(
    shop: Shop, shop_defaults: Defaults
) -> None:
    desk = Desk()
    await enable_invoices(shop, desk, first="1", last="10")
    watch = InvoiceWatch(shop.database)
    for count in range(9):
        await watch.watch(WATCH)
        assert await list_open_kinds(shop) == [], count
        await place_paid_order(shop)
        await shop.worker.run_due(ISSUE)
    await watch.watch(WATCH)
    await watch.watch(WATCH)
    (raised,) = await open_attention(shop)
    assert (raised.kind, raised.message) == (
        "invoice_numbers", "Resolution 18760000001 SETP1-10: 1 numbers are left",
    )  # fmt: skip
    await shop.attention.resolve(raised.id, Decision(Action.DISMISSED, COMMAND_LINE, note="asked for"))
    await watch.watch(WATCH)
    assert await list_open_kinds(shop) == []


async def test_document_that_is_not_issued_in_time_raises_one_attention(
    shop: Shop, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop, Desk())
    await place_paid_order(shop)
    async with shop.database.transaction() as session:
        old = (await list_documents(shop))[0].created_at - timedelta(hours=25)
        await session.execute(update(Invoice).values(created_at=old))
    watch = InvoiceWatch(shop.database)
    await watch.watch(WATCH)
    await watch.watch(WATCH)
    assert await list_open_kinds(shop) == ["invoice_late"]
    await shop.worker.run_due(ISSUE)
    assert await list_open_kinds(shop) == []  # it was issued in the meantime


async def test_number_range_may_be_typed_with_thousands_separators(shop: Shop) -> None:
    await enable_invoices(shop, Desk(), first="1.000", last="5,000")
    async with shop.database.read() as session:
        invoicing = await read_invoicing(session)
        stored = select(StoredSetting.value).where(StoredSetting.name.in_(["invoice_first", "invoice_last"]))
        texts = (await session.execute(stored.order_by(StoredSetting.name))).scalars().all()
    assert (invoicing.first, invoicing.last) == (1_000, 5_000)
    assert texts == ["1000", "5000"]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"first": "abc"}, "first"),
        ({"first": "0"}, "first"),
        ({"first": "1.5"}, "first"),
        ({"first": "1_000"}, "first"),
        ({"last": "+995000000"}, "last"),
        ({"last": "1"}, "last"),
        ({"valid_until": "2025-12-31"}, "valid_until"),
        ({"valid_from": "31/12/2025"}, "valid_from"),
        ({"prefix": "SETPX"}, "prefix"),
        ({"credit_prefix": "setp"}, "credit_prefix"),
        ({"resolution": ""}, "resolution"),
        ({"technical_key": "=1+1"}, "technical_key"),
        ({"provider": "nobody"}, "provider"),
    ],
)
async def test_invalid_numbering_is_not_saved(shop: Shop, typed: dict[str, str], field: str) -> None:
    async with shop.database.transaction() as session:
        with pytest.raises(InvalidData) as refused:
            await save_configuration(session, OWNER, shop.invoices, {**RANGE, "provider": "file", **typed})
        with pytest.raises(Forbidden):
            await save_configuration(session, Actor("user_2", Role.SHOP), shop.invoices, RANGE)
    assert list(refused.value.fields) == [field]
