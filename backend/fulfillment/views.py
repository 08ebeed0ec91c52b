"""Views of fulfillments for customers, on the order's page and in the account."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import day_label, time_label
from backend.orders.fulfillments import FULFILLMENTS
from backend.orders.models import Fulfillment
from backend.orders.states import TRACKING, TRACKING_URL, LabelState
from backend.shipping.providers.base import TrackingStage as Stage


@dataclass(frozen=True, slots=True)
class FulfillmentView:
    """A fulfillment as shown to its customer. The fields `*_label` are times as text; empty without a time."""

    carrier: str
    tracking_number: str
    tracking_url: str
    """Address of the tracking page; empty unless staff sent one."""
    stage: str
    """`preparing`, `ready` (it has its label), `shipped`, or a `backend.shipping.providers.base.TrackingStage`."""
    note: str
    """The carrier's own words about an incident."""
    expected_label: str
    shipped_label: str
    delivered_label: str
    received_by: str


async def list_fulfillment_views(
    session: AsyncSession, order_ids: Sequence[str]
) -> dict[str, list[FulfillmentView]]:
    """Return the fulfillments of these orders by order id, the oldest first."""
    views: dict[str, list[FulfillmentView]] = defaultdict(list)
    found = await session.execute(FULFILLMENTS.where(Fulfillment.order_id.in_(order_ids)))
    for fulfillment in found.scalars():
        views[fulfillment.order_id].append(fulfillment_view(fulfillment))
    return views


def fulfillment_view(fulfillment: Fulfillment) -> FulfillmentView:
    """Return the view of the fulfillment for its customer."""
    stage, tracking = get_display_stage(fulfillment), fulfillment.data.get(TRACKING) or {}
    is_expected = stage not in (Stage.DELIVERED, Stage.RETURNED, Stage.CANCELED)
    return FulfillmentView(
        carrier=str(fulfillment.data.get("carrier") or ""),
        tracking_number=fulfillment.tracking_number or "",
        tracking_url=str(fulfillment.data.get(TRACKING_URL) or ""),
        stage=stage,
        note=str(tracking.get("words") or "") if stage == Stage.INCIDENT else "",
        expected_label=_format_expected_day(tracking.get("expected_at")) if is_expected else "",
        shipped_label=time_label(fulfillment.shipped_at) if fulfillment.shipped_at else "",
        delivered_label=time_label(fulfillment.delivered_at) if fulfillment.delivered_at else "",
        received_by=str(tracking.get("received_by") or "") if stage == Stage.DELIVERED else "",
    )


def get_display_stage(fulfillment: Fulfillment) -> str:
    """Return the `FulfillmentView.stage`. The shop's own data take precedence over the carrier's."""
    if fulfillment.state == LabelState.CANCELED:
        return Stage.CANCELED
    if fulfillment.state != LabelState.CREATED:
        return "preparing"
    if fulfillment.delivered_at is not None:
        return Stage.DELIVERED
    if fulfillment.stage is not None and fulfillment.stage != Stage.AWAITING_PICKUP:
        return fulfillment.stage
    return "shipped" if fulfillment.shipped_at is not None else "ready"


def _format_expected_day(stored: object) -> str:
    return day_label(datetime.fromisoformat(stored)) if isinstance(stored, str) else ""
