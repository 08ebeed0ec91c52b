"""Links to the review form, for the pages of an order and the order list of the account."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.orders.models import Order
from backend.reviews.models import Review, ReviewState
from backend.reviews.reviewable_products import reviewable_products_by_order
from backend.reviews.tokens import review_path


@dataclass(frozen=True, slots=True)
class ReviewLink:
    """Link to the review form of a product of an order.

    Attributes:
        line_id: the first line of the order with this product.
        title: title of the product.
        page: path of the signed link.
        is_written: True if there is already a review, which may still be changed.
    """

    line_id: str
    title: str
    page: str
    is_written: bool


async def review_links(
    session: AsyncSession, signing_key: str, orders: Sequence[Order]
) -> dict[str, list[ReviewLink]]:
    """Return links to the review forms of products that can be reviewed, by order id.

    The caller must check who owns the orders. A product is left out if staff have already decided on its review.
    """
    products = await reviewable_products_by_order(session, orders)
    query = select(Review.order_id, Review.product_id, Review.state).where(
        Review.order_id.in_([order_id for order_id, some in products.items() if some])
    )
    states = {(row.order_id, row.product_id): row.state for row in await session.execute(query)}
    return {
        order_id: [
            ReviewLink(
                product.line_id,
                product.title,
                review_path(signing_key, product.line_id),
                (order_id, product.product_id) in states,
            )
            for product in some
            if states.get((order_id, product.product_id), ReviewState.WAITING) == ReviewState.WAITING
        ]
        for order_id, some in products.items()
    }
