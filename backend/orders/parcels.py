"""Orders' parcels as their buyers see them."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from backend.dates import day_label, time_label
from backend.orders.views import ParcelView
from backend.shipping.guides import GuideState
from backend.shipping.models import Fulfillment
from backend.shipping.stages import Stage
from backend.shipping.tracking import TRACKING


async def parcel_views(session: AsyncSession, order_ids: Sequence[str]) -> dict[str, list[ParcelView]]:
    """The parcels of these orders by the order's id, the oldest first."""
    views: dict[str, list[ParcelView]] = defaultdict(list)
    found = await session.execute(
        select(Fulfillment)
        .options(defer(Fulfillment.label_pdf))
        .where(Fulfillment.order_id.in_(order_ids))
        .order_by(Fulfillment.id)
    )
    for parcel in found.scalars():
        views[parcel.order_id].append(parcel_view(parcel))
    return views


def parcel_view(parcel: Fulfillment) -> ParcelView:
    """A parcel for whoever waits for it."""
    stage, told = stage_shown(parcel), parcel.data.get(TRACKING) or {}
    is_expected = stage not in (Stage.DELIVERED, Stage.RETURNED, Stage.CANCELED)
    return ParcelView(
        carrier=str(parcel.data.get("carrier") or ""),
        tracking_number=parcel.tracking_number or "",
        stage=stage,
        note=str(told.get("words") or "") if stage == Stage.INCIDENT else "",
        expected_label=_expected(told.get("expected_at")) if is_expected else "",
        shipped_label=time_label(parcel.shipped_at) if parcel.shipped_at else "",
        delivered_label=time_label(parcel.delivered_at) if parcel.delivered_at else "",
        received_by=str(told.get("received_by") or "") if stage == Stage.DELIVERED else "",
    )


def stage_shown(parcel: Fulfillment) -> str:
    """Where the parcel is, from what the shop did and what the carrier saw; what is certain comes first."""
    if parcel.state == GuideState.CANCELED:
        return Stage.CANCELED
    if parcel.state != GuideState.CREATED:
        return "preparing"
    if parcel.delivered_at is not None:
        return Stage.DELIVERED
    if parcel.stage is not None and parcel.stage != Stage.AWAITING_PICKUP:
        return parcel.stage
    return "shipped" if parcel.shipped_at is not None else "ready"


def _expected(kept: object) -> str:
    return day_label(datetime.fromisoformat(kept)) if isinstance(kept, str) else ""
