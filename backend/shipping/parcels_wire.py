"""Parcels as the platform shows them: fulfilments."""

from backend.edge.wire import JsonDict, iso, sibling_id, stamps
from backend.shipping.models import Fulfillment
from backend.shipping.tracking import TRACKING


def fulfillment_wire(parcel: Fulfillment, option_id: str | None = None) -> JsonDict:
    """The parcel with its label. `data.state` says how far its guide is, `data.stage` where the parcel is."""
    return {
        "id": parcel.id,
        "location_id": parcel.location_id,
        "provider_id": parcel.provider_id,
        "provider": {"id": parcel.provider_id},
        "shipping_option_id": option_id,
        "shipping_option": {"id": option_id} if option_id else None,
        "delivery_address_id": sibling_id("fuladdr", parcel.id),
        "requires_shipping": True,
        "packed_at": parcel.data.get("packed_at"),
        "shipped_at": iso(parcel.shipped_at),
        "delivered_at": iso(parcel.delivered_at),
        "canceled_at": iso(parcel.canceled_at),
        "marked_shipped_by": None,
        "created_by": None,
        "data": {
            "state": parcel.state,
            "reference": parcel.reference,
            "carrier": parcel.data.get("carrier"),
            "carrier_order_id": parcel.carrier_order_id,
            "stage": parcel.stage,
            "tracking": parcel.data.get(TRACKING),
            "tracked_at": iso(parcel.tracked_at),
        },
        "metadata": None,
        "labels": _labels(parcel),
        "items": [
            {
                "id": f"fulit_{parcel.id.partition('_')[2]}{place}",
                "line_item_id": item.get("line_item_id"),
                "title": item.get("title"),
                "sku": item.get("sku"),
                "quantity": item.get("quantity"),
                "fulfillment_id": parcel.id,
            }
            for place, item in enumerate(parcel.items)
        ],
        **stamps(parcel.created_at, parcel.updated_at),
        "deleted_at": None,
    }


def _labels(parcel: Fulfillment) -> list[JsonDict]:
    if parcel.tracking_number is None and parcel.label_url is None:
        return []
    return [
        {
            "id": sibling_id("fulla", parcel.id),
            "tracking_number": parcel.tracking_number or "",
            "tracking_url": "",
            "label_url": parcel.label_url or "",
            "fulfillment_id": parcel.id,
        }
    ]
