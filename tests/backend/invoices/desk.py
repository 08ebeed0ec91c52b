"""A provider that tests can inspect, the settings that enable it, and paid orders."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any, ClassVar

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.db.database import lock_rows
from backend.core.events import publish
from backend.invoices import issue_job
from backend.invoices.configuration import save_configuration
from backend.invoices.creation import ISSUE
from backend.invoices.documents import Document
from backend.invoices.issue_job import Invoices
from backend.invoices.models import Invoice
from backend.invoices.providers.base import InvoiceProvider, Issued
from backend.jobs import JobRun, RunAgain
from backend.orders.events import OrderPaid
from backend.payment.events import RefundBooked
from backend.payment.models import Refund
from backend.pricing import PricedLine
from backend.staff.rights import Actor, Role
from tests.backend.reports.selling import Sold, paid_order, store_orders

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
MARCH = datetime(2026, 3, 10, 15, tzinfo=UTC)
TROMPO, BOOK = PricedLine("trompo", 2, 119_000, 19), PricedLine("book", 1, 20_000, 0)
RANGE = {
    "resolution": "18760000001",
    "dated": "2026-01-02",
    "prefix": "SETP",
    "first": "990000000",
    "last": "995000000",
    "valid_from": "2026-01-01",
    "valid_until": "2036-01-01",
    "credit_prefix": "NC",
    "tax_level": "R-99-PN",
    "technical_key": "693ff6f2a553c3646a063436fd4dd9ded0311471",
}


class Killed(BaseException):
    """Simulates the end of the process."""


def crash_at_lock(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """End the process when the job locks the document for the n-th time, that is, at the start of a transaction.

    The transactions: 1 takes the number, 2 stores that the document is being sent, 3 stores the result.
    """
    locks = count(1)

    def lock_or_crash(query: Any) -> Any:
        if next(locks) == number:
            raise Killed
        return lock_rows(query)

    monkeypatch.setattr(issue_job, "lock_rows", lock_or_crash)


def do_nothing(_document: Document) -> None:
    """Do nothing: the default of `Desk.before` and `Desk.after`."""


@dataclass
class Desk(InvoiceProvider):
    """A provider that records its calls. It calls `before` and `after` around each issue; they may raise."""

    id: ClassVar[str] = "desk"
    before: Callable[[Document], None] = do_nothing
    after: Callable[[Document], None] = do_nothing
    made: dict[str, Document] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    async def issue(self, document: Document) -> Issued:
        """Issue the document. Fail if a document with its number was issued already."""
        self.told.append(document.full_number)
        self.before(document)
        assert document.full_number not in self.made, "told twice"
        self.made[document.full_number] = document
        self.after(document)
        return self._answer(document)

    async def credit(self, document: Document) -> Issued:
        """Issue the credit note."""
        return await self.issue(document)

    async def find(self, document: Document) -> Issued | None:
        """Return the result of the issued document; None if it was not issued."""
        self.found.append(document.full_number)
        made = self.made.get(document.full_number)
        return self._answer(made) if made is not None else None

    def _answer(self, document: Document) -> Issued:
        return Issued(code=f"cufe of {document.full_number}", xml=b"<Invoice/>")


async def enable_invoices(shop: Shop, desk: InvoiceProvider | None = None, **other: str) -> Invoices:
    """Let `desk` issue the invoices or, if it is None, the accountant's program. `other` are further settings."""
    if desk is not None:
        shop.invoices.providers[desk.id] = desk
    async with shop.database.transaction() as session:
        typed = {**RANGE, "provider": desk.id if desk is not None else "file", **other}
        await save_configuration(session, OWNER, shop.invoices, typed)
    return shop.invoices


async def place_paid_order(shop: Shop, *lines: PricedLine, **more: Any) -> Sold:
    """Store a paid order with its refunds, and publish the events that create their documents."""
    sold = paid_order(*(lines or (TROMPO, BOOK)), at=MARCH, **more)
    async with shop.database.transaction() as session:
        await store_orders(session, [sold])
        await publish(session, OrderPaid(f"order_{sold.number}"))
        for refund_id in [f"ref_{sold.number}_{place}" for place in range(len(sold.refunds))]:
            await publish(session, RefundBooked(refund_id))
    return sold


async def book_refund(shop: Shop, sold: Sold, amount: int, units: dict[str, int]) -> str:
    """Book a refund of the order and return its id."""
    lines = [{"line_id": sold.line_id(name), "quantity": count} for name, count in units.items()]
    async with shop.database.transaction() as session:
        refund = Refund(
            payment_session_id=f"payses_{sold.number}_0",
            order_id=f"order_{sold.number}",
            amount=amount,
            reference=f"T{amount}",
            lines=lines,
            created_by="user_1",
        )
        session.add(refund)
        await session.flush()
        await publish(session, RefundBooked(refund.id))
    return refund.id


async def list_documents(shop: Shop) -> list[Invoice]:
    """Return all documents, the oldest first."""
    async with shop.database.read() as session:
        rows = await session.execute(select(Invoice).order_by(Invoice.created_at, Invoice.id))
        return list(rows.scalars())


async def run_issue_job(invoices: Invoices, row: Invoice) -> RunAgain | None:
    """Run the document's job once."""
    again: RunAgain | None = await invoices.issue(JobRun(1, ISSUE, row.id, {}, 1))
    return again
