"""Requests for reviews: customers get one e-mail, some days after their whole order was delivered."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database
from backend.core.errors import NotFound
from backend.core.events import publish, subscribe
from backend.jobs import JobRun, enqueue, job
from backend.orders.events import FulfillmentDelivered
from backend.orders.service import read_order
from backend.orders.states import FulfillmentStatus
from backend.reviews.reviewable_products import list_reviewable_products

REQUEST_JOB = "reviews.ask"
"""Job that requests reviews from an order's customer; its key is the order's id."""
REQUEST_DELAY = timedelta(days=4)
"""Delay after the delivery, so that the products are tried first."""


@dataclass(frozen=True, slots=True)
class ReviewsRequested:
    """Event: an e-mail that asks for reviews of an order must be sent."""

    order_id: str


@subscribe(FulfillmentDelivered)
async def enqueue_request(session: AsyncSession, event: FulfillmentDelivered) -> None:
    """Enqueue the job that requests reviews of the delivered order."""
    await enqueue(session, REQUEST_JOB, key=event.order_id, after=REQUEST_DELAY)


class ReviewRequests:
    """Job handler that asks customers to review the products of a delivered order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(REQUEST_JOB, give_up_after=timedelta(days=3))
    async def request_reviews(self, run: JobRun) -> None:
        """Publish `ReviewsRequested` if the whole order was delivered and has products to review.

        If a parcel is not delivered yet, do nothing: its delivery enqueues this job again.
        """
        async with self._database.transaction() as session:
            try:
                order = await read_order(session, str(run.key))
            except NotFound:
                return
            is_there = order.fulfillment_status == FulfillmentStatus.DELIVERED
            if is_there and await list_reviewable_products(session, order):
                await publish(session, ReviewsRequested(order.id))
