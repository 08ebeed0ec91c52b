"""What the office shows of reviews: those that nobody has read yet, the oldest first, and the newest of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.catalog.views import PictureView
from backend.core.dates import time_label
from backend.office.listing import ListView, count_new_rows, exclude_next_pages, read_page
from backend.orders.models import Order
from backend.reviews.models import STATE_NAMES, Review, ReviewState
from backend.reviews.views import review_pictures
from backend.staff.rights import Actor, Right

MOST_ROWS = 100
"""How many are shown of those that wait, and of the rest."""
KEY = (Review.written_at, Review.id)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review.

    Attributes:
        version: what its buyer's last change is known by.
        order: the number and the id of the order; empty for a review of the demo shop.
    """

    id: str
    version: str
    toy: str
    handle: str
    stars: int
    name: str
    written: str
    text: str
    pictures: list[PictureView]
    state: str
    state_label: str
    refusal: str
    answer: str
    order: str
    order_id: str
    is_demo: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsList(ListView):
    """Reviews that wait to be read, the oldest first, and on the first page the newest decided ones."""

    rows: list[ReviewRow]
    decided: list[ReviewRow] = field(default_factory=list)


async def waiting_reviews(session: AsyncSession) -> int:
    """How many wait to be read."""
    query = select(func.count()).select_from(Review).where(Review.state == ReviewState.WAITING)
    return (await session.execute(query)).scalar_one()


async def reviews_list(session: AsyncSession, actor: Actor, cursor: str = "") -> ReviewsList:
    """Return a page of the reviews.

    Raises:
        Forbidden: the role may not see orders and who bought them.
        InvalidData: the cursor is not one of this list.
    """
    actor.require(Right.READ_ORDERS)
    query = (
        select(Review, Product.title, Product.handle, Order.number)
        .join(Product, Product.id == Review.product_id)
        .outerjoin(Order, Order.id == Review.order_id)
    )
    waits = Review.state == ReviewState.WAITING
    found, following = await read_page(session, query.where(waits), KEY, cursor, MOST_ROWS)
    decided = query.where(~waits).order_by(Review.written_at.desc(), Review.id).limit(MOST_ROWS)
    return ReviewsList(
        rows=[_row(one) for one in found],
        cursor=following,
        decided=[] if cursor else [_row(one) for one in (await session.execute(decided)).all()],
    )


async def count_new_reviews(
    session: AsyncSession, actor: Actor, known: Sequence[ReviewRow], cursor: str = ""
) -> int:
    """Count the reviews up to the cursor that wait to be read and are not among the known ones, or not as they are now.

    Raises:
        Forbidden: the role may not see orders and who bought them.
    """
    actor.require(Right.READ_ORDERS)
    versions = [datetime.fromisoformat(row.version) for row in known]
    query = select(Review.id).where(Review.state == ReviewState.WAITING, Review.written_at.not_in(versions))
    return await count_new_rows(session, exclude_next_pages(query, KEY, cursor))


def _row(found: Sequence[object]) -> ReviewRow:
    row, toy, handle, number = found
    assert isinstance(row, Review)  # noqa: S101 - the first column of the query
    return ReviewRow(
        id=row.id,
        version=row.written_at.isoformat(),
        toy=str(toy),
        handle=str(handle),
        stars=row.stars,
        name=row.name,
        written=time_label(row.written_at),
        text=row.text,
        pictures=review_pictures(row.pictures),
        state=row.state,
        state_label=STATE_NAMES[ReviewState(row.state)],
        refusal=row.refusal,
        answer=row.answer,
        order=str(number or ""),
        order_id=row.order_id or "",
        is_demo=row.is_demo,
    )
