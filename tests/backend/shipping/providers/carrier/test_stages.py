"""The carrier's words for where a parcel is (wire: carrier 2.4, statuses)."""

from datetime import UTC, datetime

import pytest

from backend.sandbox.carrier.labels import Status
from backend.shipping.providers.base import TrackingStage, TrackingUpdate
from backend.shipping.providers.carrier.answers import MOST_WORDS, read_tracking, stage_of


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("Pendiente de recolección", TrackingStage.AWAITING_PICKUP),
        ("PENDIENTE DE RECOLECCION", TrackingStage.AWAITING_PICKUP),
        ("Envío Recolectado", TrackingStage.COLLECTED),
        ("envio recolectado", TrackingStage.COLLECTED),
        ("Recolectado", TrackingStage.COLLECTED),
        ("En tránsito", TrackingStage.IN_TRANSIT),
        ("EN TRANSITO", TrackingStage.IN_TRANSIT),
        ("En distribución", TrackingStage.OUT_FOR_DELIVERY),
        ("En reparto", TrackingStage.OUT_FOR_DELIVERY),
        (" en  reparto ", TrackingStage.OUT_FOR_DELIVERY),
        ("Entregado", TrackingStage.DELIVERED),
        ("ENTREGADO", TrackingStage.DELIVERED),
        ("Cancelado", TrackingStage.CANCELED),
        ("cancelada por el cliente", TrackingStage.CANCELED),
        ("Devuelto", TrackingStage.RETURNED),
        ("Dirección errada", TrackingStage.INCIDENT),
        ("No entregado: nadie recibe", TrackingStage.INCIDENT),
        ("Recolección fallida", TrackingStage.INCIDENT),
        ("", TrackingStage.INCIDENT),
    ],
)
def test_every_status_is_understood_in_any_capitals(status: str, stage: TrackingStage) -> None:
    assert stage_of(status) is stage


def test_the_sandbox_knows_a_status_of_every_stage() -> None:
    assert {stage_of(status) for status in Status} == set(TrackingStage)


def test_an_update_keeps_the_carriers_words_short_and_on_one_line() -> None:
    local, moment = "2026-11-20 07:00:00", datetime(2026, 11, 20, 12, tzinfo=UTC)
    update = read_tracking(
        {
            "status": "Entregado",
            "statusDetail": "Dejado\n con el\tportero " + "x" * 300,
            "arrivalDate": local,
            "realPickupDate": local,
            "realDeliveryDate": local,
            "receivedBy": " Ana ",
        }
    )
    assert update is not None
    assert update == TrackingUpdate(TrackingStage.DELIVERED, update.words, moment, moment, moment, "Ana")
    assert update.words.startswith("Dejado con el portero xxx")
    assert len(update.words) == MOST_WORDS


def test_without_a_detail_the_status_speaks() -> None:
    update = read_tracking({"status": "En tránsito", "statusDetail": " "})
    assert update == TrackingUpdate(TrackingStage.IN_TRANSIT, "En tránsito")
