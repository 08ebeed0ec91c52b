"""Queries of fulfillments. They do not load the label files, which are large and needed only for printing."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from backend.orders.models import Fulfillment
from backend.shipping.providers.base import TrackingStage

FULFILLMENTS = select(Fulfillment).options(defer(Fulfillment.label_pdf)).order_by(Fulfillment.id)
"""Query of all fulfillments, the oldest first."""


async def list_order_fulfillments(session: AsyncSession, order_id: str) -> Sequence[Fulfillment]:
    """Return the order's fulfillments, the oldest first."""
    return (await session.execute(FULFILLMENTS.where(Fulfillment.order_id == order_id))).scalars().all()


def count_units_by_variant(fulfillment: Fulfillment) -> dict[str, int]:
    """Return the fulfillment's units by variant id."""
    units: Counter[str] = Counter()
    for item in fulfillment.items:
        units[item["variant_id"]] += item["quantity"]
    return dict(units)


def has_left(fulfillment: Fulfillment) -> bool:
    """Return True if the fulfillment is on its way or was delivered.

    If the carrier cancelled the label after the fulfillment was marked as shipped, return False: the parcel was
    never collected.
    """
    is_sent = fulfillment.shipped_at is not None and not is_canceled_by_carrier(fulfillment)
    return is_sent or fulfillment.delivered_at is not None


def is_canceled_by_carrier(fulfillment: Fulfillment) -> bool:
    """Return True if the carrier has cancelled the label and the parcel was not delivered."""
    return fulfillment.stage == TrackingStage.CANCELED and fulfillment.delivered_at is None
