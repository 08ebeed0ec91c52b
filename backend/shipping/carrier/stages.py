"""The carrier's words for where a parcel is, understood (wire: carrier 2.4)."""

import unicodedata

from backend.shipping.carrier.answers import Tracking
from backend.shipping.carrier.fitting import one_line
from backend.shipping.stages import Sighting, Stage

MOST_WORDS = 200
"""Characters of the carrier's own words that are kept."""

_BEGINNINGS = (
    ("pendiente de recol", Stage.AWAITING_PICKUP),
    ("envio recolectado", Stage.COLLECTED),
    ("recolectado", Stage.COLLECTED),
    ("en transito", Stage.IN_TRANSIT),
    ("en distribucion", Stage.OUT_FOR_DELIVERY),
    ("en reparto", Stage.OUT_FOR_DELIVERY),
    ("entregado", Stage.DELIVERED),
    ("cancelad", Stage.CANCELED),
    ("devuelto", Stage.RETURNED),
)
"""How the known statuses begin, without accents and capitals, which vary. «No entregado» is none of them."""


def stage_of(status: str) -> Stage:
    """What the status means. What is none of the known ones is the text of an incident."""
    plain = _plain(status)
    return next((stage for start, stage in _BEGINNINGS if plain.startswith(start)), Stage.INCIDENT)


def sighting_of(tracking: Tracking) -> Sighting:
    """Where the carrier says that a parcel is."""
    return Sighting(
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
