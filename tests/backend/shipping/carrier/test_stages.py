"""The carrier's words for where a parcel is (wire: carrier 2.4, statuses)."""

from datetime import UTC, datetime

import pytest

from backend.sandbox.carrier.guides import Status
from backend.shipping.carrier.answers import Tracking
from backend.shipping.carrier.stages import MOST_WORDS, sighting_of, stage_of
from backend.shipping.stages import Sighting, Stage


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("Pendiente de recolección", Stage.AWAITING_PICKUP),
        ("PENDIENTE DE RECOLECCION", Stage.AWAITING_PICKUP),
        ("Envío Recolectado", Stage.COLLECTED),
        ("envio recolectado", Stage.COLLECTED),
        ("Recolectado", Stage.COLLECTED),
        ("En tránsito", Stage.IN_TRANSIT),
        ("EN TRANSITO", Stage.IN_TRANSIT),
        ("En distribución", Stage.OUT_FOR_DELIVERY),
        ("En reparto", Stage.OUT_FOR_DELIVERY),
        (" en  reparto ", Stage.OUT_FOR_DELIVERY),
        ("Entregado", Stage.DELIVERED),
        ("ENTREGADO", Stage.DELIVERED),
        ("Cancelado", Stage.CANCELED),
        ("cancelada por el cliente", Stage.CANCELED),
        ("Devuelto", Stage.RETURNED),
        ("Dirección errada", Stage.INCIDENT),
        ("No entregado: nadie recibe", Stage.INCIDENT),
        ("Recolección fallida", Stage.INCIDENT),
        ("", Stage.INCIDENT),
    ],
)
def test_every_status_is_understood_in_any_capitals(status: str, stage: Stage) -> None:
    assert stage_of(status) is stage


def test_the_sandbox_knows_a_status_of_every_stage() -> None:
    assert {stage_of(status) for status in Status} == set(Stage)


def test_a_sighting_keeps_the_carriers_words_short_and_on_one_line() -> None:
    moment = datetime(2026, 11, 20, 12, tzinfo=UTC)
    tracking = Tracking("Entregado", "Dejado\n con el\tportero " + "x" * 300, moment, moment, moment, " Ana ")
    seen = sighting_of(tracking)
    assert seen == Sighting(Stage.DELIVERED, seen.words, moment, moment, moment, "Ana")
    assert seen.words.startswith("Dejado con el portero xxx")
    assert len(seen.words) == MOST_WORDS


def test_without_a_detail_the_status_speaks() -> None:
    assert sighting_of(Tracking("En tránsito", "", None, None, None, None)) == Sighting(
        Stage.IN_TRANSIT, "En tránsito"
    )
