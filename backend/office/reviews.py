"""Views of reviews in the office: first the unread ones, oldest first, then the newest accepted or rejected ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product
from backend.catalog.views import PictureView
from backend.core.dates import time_label
from backend.office.listing import ListView, count_new_rows, exclude_next_pages, read_page
from backend.orders.models import Order
from backend.reviews.models import STATE_NAMES, Review, ReviewState
from backend.reviews.views import review_pictures
from backend.staff.rights import Actor, Right

PAGE_SIZE = 100
"""Number of unread reviews on a page. It is also the maximum number of accepted or rejected reviews."""
KEY = (Review.written_at, Review.id)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review.

    Attributes:
        version: time of the customer's newest change.
        order: number of the order, `order_id` its id; both are empty for a review of the demo shop.
    """

    id: str
    version: str
    product: str
    handle: str
    stars: int
    name: str
    written_label: str
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
    """Unread reviews, the oldest first. The first page also has the newest accepted or rejected reviews."""

    rows: list[ReviewRow]
    decided: list[ReviewRow] = field(default_factory=list)


async def reviews_list(session: AsyncSession, actor: Actor, cursor: str = "") -> ReviewsList:
    """Return a page of the reviews.

    Raises:
        Forbidden: the actor may not see orders and their customers.
        InvalidData: the cursor does not belong to this list.
    """
    actor.require(Right.READ_ORDERS)
    query = (
        select(Review, Product.title, Product.handle, Order.number)
        .join(Product, Product.id == Review.product_id)
        .outerjoin(Order, Order.id == Review.order_id)
    )
    waits = Review.state == ReviewState.WAITING
    found, following = await read_page(session, query.where(waits), KEY, cursor, PAGE_SIZE)
    decided = query.where(~waits).order_by(Review.written_at.desc(), Review.id).limit(PAGE_SIZE)
    return ReviewsList(
        rows=[_review_row(one) for one in found],
        cursor=following,
        decided=[] if cursor else [_review_row(one) for one in (await session.execute(decided)).all()],
    )


async def count_new_reviews(
    session: AsyncSession, actor: Actor, known: Sequence[ReviewRow], cursor: str = ""
) -> int:
    """Count the unread reviews before `cursor` that are new or have changed since the rows `known` were read.

    Raises:
        Forbidden: the actor may not see orders and their customers.
    """
    actor.require(Right.READ_ORDERS)
    versions = [datetime.fromisoformat(row.version) for row in known]
    query = select(Review.id).where(Review.state == ReviewState.WAITING, Review.written_at.not_in(versions))
    return await count_new_rows(session, exclude_next_pages(query, KEY, cursor))


def _review_row(found: Sequence[object]) -> ReviewRow:
    row, title, handle, number = found
    assert isinstance(row, Review)  # noqa: S101 - the first column of the query
    return ReviewRow(
        id=row.id,
        version=row.written_at.isoformat(),
        product=str(title),
        handle=str(handle),
        stars=row.stars,
        name=row.name,
        written_label=time_label(row.written_at),
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
