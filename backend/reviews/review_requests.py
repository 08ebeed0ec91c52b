"""Asking a buyer, once, what the toys are like: some days after all of the order has arrived."""

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
from backend.reviews.reviewable_products import bought_toys

ASK = "reviews.ask"
"""The job that has an order's buyer asked; its key is the order's id."""
ASK_AFTER = timedelta(days=4)
"""Toys are played with first."""


@dataclass(frozen=True, slots=True)
class ReviewsAsked:
    """The buyer of an order is to be asked for reviews."""

    order_id: str


@subscribe(FulfillmentDelivered)
async def delivered(session: AsyncSession, event: FulfillmentDelivered) -> None:
    """Have the buyer asked later."""
    await enqueue(session, ASK, key=event.order_id, after=ASK_AFTER)


class ReviewRequests:
    """The job that asks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(ASK, give_up_after=timedelta(days=3))
    async def ask(self, run: JobRun) -> None:
        """Note the mail, unless some of the order has not arrived yet: its arrival has it asked again."""
        async with self._database.transaction() as session:
            try:
                order = await read_order(session, str(run.key))
            except NotFound:
                return
            is_there = order.fulfillment_status == FulfillmentStatus.DELIVERED
            if is_there and await bought_toys(session, order):
                await publish(session, ReviewsAsked(order.id))
