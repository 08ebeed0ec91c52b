"""Fulfillments as they are read: without the files of their labels, which are large and which only printing needs."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from backend.orders.models import Fulfillment
from backend.shipping.providers.base import TrackingStage

FULFILLMENTS = select(Fulfillment).options(defer(Fulfillment.label_pdf)).order_by(Fulfillment.id)
"""All of them, the oldest first."""


async def fulfillments_of_order(session: AsyncSession, order_id: str) -> Sequence[Fulfillment]:
    """The order's fulfillments, the oldest first."""
    return (await session.execute(FULFILLMENTS.where(Fulfillment.order_id == order_id))).scalars().all()


def units_in(fulfillment: Fulfillment) -> dict[str, int]:
    """The fulfillment's units by variant id."""
    units: Counter[str] = Counter()
    for item in fulfillment.items:
        units[item["variant_id"]] += item["quantity"]
    return dict(units)


def has_left(fulfillment: Fulfillment) -> bool:
    """Whether the fulfillment is on its way, or has arrived.

    One that was marked as sent is not, once the carrier says that it has cancelled the label: nobody collected it.
    """
    is_sent = fulfillment.shipped_at is not None and not carrier_canceled(fulfillment)
    return is_sent or fulfillment.delivered_at is not None


def carrier_canceled(fulfillment: Fulfillment) -> bool:
    """Whether the carrier has cancelled its label, and it was not delivered all the same: it does not leave."""
    return fulfillment.stage == TrackingStage.CANCELED and fulfillment.delivered_at is None
