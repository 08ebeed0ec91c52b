"""Conversion of couriers' status texts to stages (wire: carrier 2.4).

fault                                        | result
---------------------------------------------|----------------------------------------------------------
delivered to the sender, in status or detail | returned: attention is raised, the order is not delivered
handed over between couriers                 | in transit: the order is not delivered
usual stage in a courier's own words         | its stage: no attention
usual stage with a problem in its words      | incident: attention is raised
unknown words                                | incident: attention is raised
return requested, denied or of documents     | incident or the status's stage: tracking continues
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.shipping.providers.base import TrackingStage
from backend.shipping.providers.carrier.statuses import join_words, parse_stage

S = TrackingStage


@pytest.mark.parametrize(
    ("status", "detail"),
    [
        ("Entregado a remitente", ""),
        ("ENTREGADA AL REMITENTE", ""),
        ("Envío entregado al remitente en Bogotá", ""),
        ("Entrega a remitente", ""),
        ("Entregado", "Devolución entregada"),
        ("Entregado", "Entregado  a\nremitente"),
        ("Entregado", "Se entregó: devuelto a la tienda"),
        ("Entrega verificada", "Retorno a origen"),
        ("Devolución entregada", "Ana Pérez"),
        ("DEVOLUCION", ""),
        ("Devuelto", "Entregado"),
        ("Devuelta al origen", ""),
        ("En devolución", ""),
        ("En proceso de devolución", ""),
        ("En tránsito", "En devolución al remitente"),
        ("Retornado", ""),
        ("Regresado al comercio", ""),
        ("Novedad", "Devuelto: el destinatario rehúsa"),
        ("No entregado, para devolución", ""),
    ],
)
def test_status_of_a_parcel_on_its_way_to_the_sender_is_a_return(status: str, detail: str) -> None:
    assert parse_stage(status, detail) is S.RETURNED


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("Guía generada", S.AWAITING_PICKUP),
        ("GUIA IMPRESA", S.AWAITING_PICKUP),
        ("Envío creado", S.AWAITING_PICKUP),
        ("En alistamiento", S.AWAITING_PICKUP),
        ("Recolección programada", S.AWAITING_PICKUP),
        ("Admitido", S.COLLECTED),
        ("Envío admitido", S.COLLECTED),
        ("Recogido", S.COLLECTED),
        ("Recogida por Envía", S.COLLECTED),
        ("En bodega destino", S.IN_TRANSIT),
        ("En bodega origen", S.IN_TRANSIT),
        ("Bodega Medellín", S.IN_TRANSIT),
        ("En terminal destino", S.IN_TRANSIT),
        ("En centro de distribución Cali", S.IN_TRANSIT),
        ("Viajando en ruta nacional", S.IN_TRANSIT),
        ("En transporte", S.IN_TRANSIT),
        ("Despachada", S.IN_TRANSIT),
        ("Entregado a transportadora", S.IN_TRANSIT),
        ("Entregado al mensajero", S.IN_TRANSIT),
        ("En ruta de entrega", S.OUT_FOR_DELIVERY),
        ("En zona de distribución", S.OUT_FOR_DELIVERY),
        ("Reparto", S.OUT_FOR_DELIVERY),
        ("Entregada", S.DELIVERED),
        ("Entrega exitosa", S.DELIVERED),
        ("Reportado entregado", S.DELIVERED),
        ("Entregado a Juan Pérez", S.DELIVERED),
        ("Anulada", S.CANCELED),
    ],
)
def test_usual_status_text_of_a_courier_is_converted_to_its_stage(status: str, stage: TrackingStage) -> None:
    assert parse_stage(status) is stage


@pytest.mark.parametrize(
    "status",
    [
        "En bodega por dirección errada",
        "En bodega: destinatario ausente",
        "Entregado parcialmente",
        "Entrega fallida",
        "Intento de entrega",
        "No entregado a remitente",
        "No fue devuelto",
        "Solicitud de devolución",
        "Devolución solicitada",
        "En custodia",
        "Reclame en oficina",
        "Siniestro",
        "x" * 5_000,
        "",
    ],
)
def test_unknown_status_text_is_converted_to_an_incident(status: str) -> None:
    assert parse_stage(status) is S.INCIDENT


@pytest.mark.parametrize("detail", ["No devuelto", "Devolución de documentos", "Entregado por el remitente"])
def test_status_detail_that_mentions_no_return_does_not_change_the_stage(detail: str) -> None:
    assert parse_stage("En tránsito", detail) is S.IN_TRANSIT


def test_cancelled_label_whose_parcel_was_returned_is_cancelled() -> None:
    assert parse_stage("Cancelado", "Devuelto al remitente") is S.CANCELED


@pytest.mark.parametrize(
    ("status", "detail", "words"),
    [
        ("Entregado", "Dejado con el portero", "Dejado con el portero"),
        ("En bodega destino", "Cali", "En bodega destino: Cali"),
        ("En bodega destino", "EN BODEGA DESTINO", "EN BODEGA DESTINO"),
        (
            "Novedad: dirección errada",
            "Novedad: dirección errada (Envía)",
            "Novedad: dirección errada (Envía)",
        ),
        ("En tránsito", "  ", "En tránsito"),
        ("", "Sin estado", "Sin estado"),
    ],
)
def test_text_for_customers_joins_status_and_detail(status: str, detail: str, words: str) -> None:
    assert join_words(status, detail) == words


@given(st.text(max_size=300), st.text(max_size=300))
def test_delivery_to_the_sender_is_a_return_with_any_detail(status: str, detail: str) -> None:
    parse_stage(status, detail)
    assert parse_stage("Entregado", f"Entregado a remitente {detail}") is S.RETURNED


@pytest.mark.parametrize(
    ("status", "detail", "stage"),
    [
        ("Entregado sin novedad", "", S.DELIVERED),
        ("Entrega exitosa sin novedad", "", S.DELIVERED),
        ("Entregado en segundo intento", "", S.DELIVERED),
        ("Entregado", "Sin inconvenientes", S.DELIVERED),
        ("Entregado", "Cumplido devuelto", S.DELIVERED),
        ("Entregado", "documentos devueltos", S.DELIVERED),
        ("Entregado", "Devuelto documento firmado", S.DELIVERED),
        ("Entregado", "Entregado a la tienda del barrio", S.DELIVERED),
        ("Entregado en tienda", "", S.DELIVERED),
        ("En tránsito sin novedad", "", S.IN_TRANSIT),
    ],
)
def test_harmless_words_in_a_status_do_not_change_the_stage(
    status: str, detail: str, stage: TrackingStage
) -> None:
    assert parse_stage(status, detail) is stage
