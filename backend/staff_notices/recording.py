"""Recording of notices in the transactions of their events."""

from datetime import timedelta

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention.service import AttentionRaised, read_attention
from backend.core.db.database import db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.events import subscribe
from backend.core.ids import new_id
from backend.jobs import enqueue
from backend.orders.events import OrderPaid
from backend.orders.origins import OrderOrigin
from backend.pqrs.service import PqrsReceived
from backend.returns.events import ReturnMoved
from backend.returns.models import Return
from backend.reviews.submission import ReviewSubmitted
from backend.staff_notices.kinds import PAYMENT_ATTENTION_KINDS, NoticeKind
from backend.staff_notices.models import StaffNotice

SEND_BATCH = "staff_notices.batch"
"""The job that sends the unsent notices of a kind.

Its key is a notice's id, so concurrent events enqueue different jobs and do not wait for each other.
"""
WINDOW = timedelta(minutes=1)
"""Delay between a notice and its batch, so that further notices can join the batch."""


async def record_notice(session: AsyncSession, kind: NoticeKind, subject_id: str) -> None:
    """Store a notice about this object (such as an order), and enqueue the job that sends it.

    Do nothing if there already is a notice of this kind about it.
    """
    row = {"id": new_id("snotice"), "kind": kind, "subject_id": subject_id}
    notice_id = (await session.execute(_INSERT, row)).scalar_one_or_none()
    if notice_id is not None:
        await enqueue(session, SEND_BATCH, key=notice_id, after=WINDOW)


@subscribe(OrderPaid)
async def record_order_paid(session: AsyncSession, event: OrderPaid) -> None:
    """Record a notice of a paid order. Do nothing for a sale that staff make at the counter."""
    if event.origin == OrderOrigin.COUNTER:
        return
    await record_notice(session, NoticeKind.ORDER_PAID, event.order_id)


@subscribe(PqrsReceived)
async def record_pqrs(session: AsyncSession, event: PqrsReceived) -> None:
    """Record a notice of a PQRS request."""
    await record_notice(session, NoticeKind.PQRS, event.id)


@subscribe(ReturnMoved)
async def record_return(session: AsyncSession, event: ReturnMoved) -> None:
    """Record a notice of a return that a customer requested. Returns that staff opened have no notice."""
    asked_by = (await session.execute(_ASKED_BY, {"return_id": event.return_id})).scalar_one_or_none()
    if asked_by == "":
        await record_notice(session, NoticeKind.RETURN, event.return_id)


@subscribe(ReviewSubmitted)
async def record_review(session: AsyncSession, event: ReviewSubmitted) -> None:
    """Record a notice of a review. Later changes of the same review cause no further notice."""
    await record_notice(session, NoticeKind.REVIEW, event.review_id)


@subscribe(AttentionRaised)
async def record_payment(session: AsyncSession, event: AttentionRaised) -> None:
    """Record a notice of an attention row whose kind is in `PAYMENT_ATTENTION_KINDS`. Ignore other rows."""
    row = await read_attention(session, event.attention_id)
    if row.kind in PAYMENT_ATTENTION_KINDS:
        await record_notice(session, NoticeKind.PAYMENT, row.id)


_NOTICES = table_of(StaffNotice)
_INSERT = (
    insert_into(_NOTICES)
    .values(created_at=db_now())
    .on_conflict_do_nothing(index_elements=["kind", "subject_id"])
    .returning(_NOTICES.c.id)
)
_ASKED_BY = select(Return.asked_by).where(Return.id == bindparam("return_id"))
