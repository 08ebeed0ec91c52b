"""What the carrier answers, read leniently: one missing or odd field is no reason to lose the others."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from backend.shipping.providers.carrier.errors import CarrierError
from backend.tables import JsonObject

COLOMBIA = timezone(timedelta(hours=-5), "Colombia")
"""Colombia's time, which knows no summer time. The carrier's times are local and say no zone."""

PDF_START = b"%PDF"


@dataclass(frozen=True, slots=True)
class MadeLabel:
    """The answer of a shipment: a label exists and is paid for."""

    order_id: int
    tracking_number: str | None
    label_url: str | None
    label_pdf: bytes | None
    carrier: str | None


@dataclass(frozen=True, slots=True)
class Tracking:
    """Where a shipment is, in the carrier's words, with times in UTC."""

    status: str
    detail: str
    arrival_at: datetime | None
    picked_up_at: datetime | None
    delivered_at: datetime | None
    received_by: str | None

    @property
    def is_cancelled(self) -> bool:
        """Whether the label is cancelled. The carrier's capitals vary."""
        return self.status.casefold().startswith("cancelad")


def read_label(data: JsonObject) -> MadeLabel:
    """The label that a shipment made (wire: carrier 2.3).

    Raises:
        CarrierError: without an idOrder nothing can be done with it. It may exist all the same.
    """
    order_id = whole(data.get("idOrder"))
    if order_id is None:
        raise CarrierError("the carrier's answer to a shipment has no idOrder", may_have_acted=True)
    return MadeLabel(
        order_id=order_id,
        tracking_number=_text(data.get("tracker")),
        label_url=_text(data.get("url")),
        label_pdf=_pdf(data.get("guide")),
        carrier=_text(data.get("carrier")),
    )


def read_tracking(data: object) -> Tracking | None:
    """Where a shipment is; None when the carrier does not know it and sends a sentence (wire: carrier 2.4)."""
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        return None
    return Tracking(
        status=data["status"],
        detail=_text(data.get("statusDetail")) or "",
        arrival_at=_moment(data.get("arrivalDate")),
        picked_up_at=_moment(data.get("realPickupDate")),
        delivered_at=_moment(data.get("realDeliveryDate")),
        received_by=_text(data.get("receivedBy")),
    )


def read_cancelled(data: JsonObject) -> frozenset[int]:
    """The cancelled orders: those to refund or only to cancel, and no others (wire: carrier 2.5)."""
    return frozenset(
        order_id
        for name in ("to_refund_orders", "only_cancel_orders")
        for order_id in _wholes(data.get(name))
    )


def whole(value: object) -> int | None:
    """A whole number, also one that comes as text; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


def _wholes(value: object) -> Iterable[int]:
    candidates = map(whole, value) if isinstance(value, list) else ()
    return [number for number in candidates if number is not None]


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=COLOMBIA).astimezone(UTC)
    except ValueError:
        return None  # null, or a text that is no time: known only later


def _pdf(value: object) -> bytes | None:
    try:
        content = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except binascii.Error:
        return None  # the label stands without its label, which can be had from its url
    return content if content.startswith(PDF_START) else None
