"""Views of fulfillments for customers, on the order's page and in the account."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import day_label, time_label
from backend.orders.delivery_kinds import DeliveryKind
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
    kind: str
    """A `DeliveryKind`: by a carrier, by the shop itself, or collected by the customer."""
    stage: str
    """`preparing`, `ready` (it has its label), `shipped`, or a `backend.shipping.providers.base.TrackingStage`.

    Without a carrier: `packing`, `packed`, `out_for_delivery`, `to_collect`, `picked_up`, `delivered` or `unpacked`.
    """
    note: str
    """The carrier's own words about an incident."""
    expected_label: str
    shipped_label: str
    delivered_label: str
    received_by: str


async def list_fulfillment_views(
    session: AsyncSession, kinds: Mapping[str, DeliveryKind]
) -> dict[str, list[FulfillmentView]]:
    """Return the views of these orders' fulfillments by order id, the oldest first.

    `kinds` maps the id of each order to the way in which the order reaches its customer.
    """
    views: dict[str, list[FulfillmentView]] = defaultdict(list)
    found = await session.execute(FULFILLMENTS.where(Fulfillment.order_id.in_(kinds)))
    for fulfillment in found.scalars():
        order_id = fulfillment.order_id
        views[order_id].append(fulfillment_view(fulfillment, kinds[order_id]))
    return views


def fulfillment_view(fulfillment: Fulfillment, kind: DeliveryKind) -> FulfillmentView:
    """Return the view of the fulfillment for its customer."""
    stage, tracking = get_display_stage(fulfillment), fulfillment.data.get(TRACKING) or {}
    is_expected = stage not in (Stage.DELIVERED, Stage.RETURNED, Stage.CANCELED)
    return FulfillmentView(
        carrier=str(fulfillment.data.get("carrier") or ""),
        tracking_number=fulfillment.tracking_number or "",
        tracking_url=str(fulfillment.data.get(TRACKING_URL) or ""),
        kind=kind,
        stage=_STAGES_BY_KIND[kind].get(stage, stage),
        note=str(tracking.get("words") or "") if stage == Stage.INCIDENT else "",
        expected_label=_format_expected_day(tracking.get("expected_at")) if is_expected else "",
        shipped_label=time_label(fulfillment.shipped_at) if fulfillment.shipped_at else "",
        delivered_label=time_label(fulfillment.delivered_at) if fulfillment.delivered_at else "",
        received_by=str(tracking.get("received_by") or "") if stage == Stage.DELIVERED else "",
    )


_STAGES_BY_KIND: Mapping[DeliveryKind, Mapping[str, str]] = {
    DeliveryKind.CARRIER: {},
    DeliveryKind.OWN: {
        "preparing": "packing",
        "ready": "packed",
        "shipped": Stage.OUT_FOR_DELIVERY,
        Stage.CANCELED: "unpacked",
    },
    DeliveryKind.PICKUP: {
        "preparing": "packing",
        "ready": "to_collect",
        "shipped": "to_collect",
        Stage.DELIVERED: "picked_up",
        Stage.CANCELED: "unpacked",
    },
}
"""The stage that the customer sees, by how the order reaches them."""


def get_display_stage(fulfillment: Fulfillment) -> str:
    """Return the value of `FulfillmentView.stage`. The shop's own data take precedence over the carrier's."""
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
