"""The carrier's words for where a shipment is, understood (wire: carrier 2.4)."""

import unicodedata

from backend.shipping.providers.base import TrackingStage, TrackingUpdate
from backend.shipping.providers.carrier.answers import Tracking
from backend.shipping.providers.carrier.fitting import one_line

MOST_WORDS = 200
"""Characters of the carrier's own words that are kept."""

_BEGINNINGS = (
    ("pendiente de recol", TrackingStage.AWAITING_PICKUP),
    ("envio recolectado", TrackingStage.COLLECTED),
    ("recolectado", TrackingStage.COLLECTED),
    ("en transito", TrackingStage.IN_TRANSIT),
    ("en distribucion", TrackingStage.OUT_FOR_DELIVERY),
    ("en reparto", TrackingStage.OUT_FOR_DELIVERY),
    ("entregado", TrackingStage.DELIVERED),
    ("cancelad", TrackingStage.CANCELED),
    ("devuelto", TrackingStage.RETURNED),
)
"""How the known statuses begin, without accents and capitals, which vary. «No entregado» is none of them."""


def stage_of(status: str) -> TrackingStage:
    """What the status means. What is none of the known ones is the text of an incident."""
    plain = _plain(status)
    return next((stage for start, stage in _BEGINNINGS if plain.startswith(start)), TrackingStage.INCIDENT)


def update_of(tracking: Tracking) -> TrackingUpdate:
    """Where the carrier says that a shipment is."""
    return TrackingUpdate(
        stage=stage_of(tracking.status),
        words=one_line(tracking.detail or tracking.status)[:MOST_WORDS],
        picked_up_at=tracking.picked_up_at,
        delivered_at=tracking.delivered_at,
        expected_at=tracking.arrival_at,
        received_by=one_line(tracking.received_by or "")[:MOST_WORDS],
    )


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", one_line(text).casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
