"""The way to a review from what a buyer sees of an order: its page, and the list of the account."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.orders.models import Order
from backend.reviews.models import Review, ReviewState
from backend.reviews.reviewable_products import bought_toys_of
from backend.reviews.tokens import review_path


@dataclass(frozen=True, slots=True)
class ReviewLink:
    """Where a toy of an order is reviewed.

    Attributes:
        line_id: the order's line, the first one with this toy.
        toy: its title.
        page: the path of the signed link.
        is_written: whether there is a review already, which may still be changed.
    """

    line_id: str
    toy: str
    page: str
    is_written: bool


async def review_links(
    session: AsyncSession, signing_key: str, orders: Sequence[Order]
) -> dict[str, list[ReviewLink]]:
    """What of these orders may be reviewed now, by the order's id; the caller has checked that they are the buyer's.

    A review that the staff decided on cannot be changed: its toy is left out.
    """
    toys = await bought_toys_of(session, orders)
    query = select(Review.order_id, Review.product_id, Review.state).where(
        Review.order_id.in_([order_id for order_id, some in toys.items() if some])
    )
    states = {(row.order_id, row.product_id): row.state for row in await session.execute(query)}
    return {
        order_id: [
            ReviewLink(
                toy.line_id,
                toy.title,
                review_path(signing_key, toy.line_id),
                (order_id, toy.product_id) in states,
            )
            for toy in some
            if states.get((order_id, toy.product_id), ReviewState.WAITING) == ReviewState.WAITING
        ]
        for order_id, some in toys.items()
    }
