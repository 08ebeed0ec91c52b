"""Responses of the carrier are parsed leniently (wire: carrier 2.1 to 2.4)."""

import math
import re
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.sandbox.carrier.labels import Status
from backend.shipping.providers.base import TrackingStage, TrackingUpdate
from backend.shipping.providers.carrier.responses import (
    MAX_RATE,
    MAX_WORDS,
    Rate,
    find_cheapest_rate,
    parse_label,
    parse_problem,
    parse_rate,
    parse_tracking,
    parse_whole,
)
from backend.shipping.providers.carrier.statuses import parse_stage
from tests.backend.shipping.samples import make_rate

# errors


def error_body(error: object, *, older: bool = False) -> dict[str, Any]:
    message = {"error": error}
    return {"status": "NOT OK", "status_codes": [422], "status_messages": message if older else [message]}


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (["Unauthorized.", "API Key inválido o inactivo."], "Unauthorized. API Key inválido o inactivo."),
        ("No se pudo generar la guía", "No se pudo generar la guía"),
        (
            ["Unprocessed Entity.", "No tiene suficiente crédito disponible en su cuenta."],
            "Unprocessed Entity. No tiene suficiente crédito disponible en su cuenta.",
        ),
        (
            ["Unprocessed Entity.", {"pickupDate": ["el campo debe ser de tipo fecha AAAA-MM-DD"]}],
            "Unprocessed Entity. pickupDate: el campo debe ser de tipo fecha AAAA-MM-DD",
        ),
        ({"email": "Dato inválido"}, "email: Dato inválido"),
    ],
)
def test_error_body_of_each_format_is_parsed_into_one_text(error: object, text: str, older: bool) -> None:
    assert str(parse_problem(error_body(error, older=older))) == text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (["Unprocessed Entity.", "No tiene\n crédito."], "No tiene crédito."),
        (["Unprocessed Entity.", {"email": "Dato inválido"}], "email: Dato inválido"),
        ("No se pudo generar la guía", "No se pudo generar la guía"),
        ([], ""),
    ],
)
def test_words_parsed_from_an_error_body_exclude_its_title(error: object, words: str) -> None:
    assert parse_problem(error_body(error)).words == words


def test_nested_fields_have_dotted_names() -> None:
    problem = parse_problem(
        error_body(
            [
                "Unprocessed Entity.",
                {
                    "destination": {
                        "firstName": ["El campo debe tener entre 2 y 14 caracteres.", "Otro."],
                        "email": "Malo.",
                    }
                },
            ]
        )
    )
    assert problem.sentences == ("Unprocessed Entity.",)
    assert problem.fields == {
        "destination.firstName": "El campo debe tener entre 2 y 14 caracteres. Otro.",
        "destination.email": "Malo.",
    }


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        5,
        {},
        {"status_messages": None},
        {"status_messages": [None, 5, {"x": 1}]},
        error_body(None),
        error_body(5),
    ],
)
def test_error_body_without_messages_becomes_an_empty_problem(body: object) -> None:
    problem = parse_problem(body)
    assert str(problem) == ""
    assert problem.fields == {}


# rates


def find_price(rates: list[Any]) -> int | None:
    offer = find_cheapest_rate(rates)
    return offer.price if offer else None


def test_price_of_a_rate_is_flete_plus_minimum_insurance() -> None:
    assert find_price([make_rate(flete=14696, minimumInsurance=899, extraInsurance=5000)]) == 15595


def test_rate_with_the_lowest_sum_is_chosen_and_not_that_with_the_lowest_flete() -> None:
    assert (
        find_price(
            [make_rate(flete=10_000, minimumInsurance=4000), make_rate(flete=12_000, minimumInsurance=500)]
        )
        == 12_500
    )


def test_rate_is_parsed_with_courier_product_and_delivery_days() -> None:
    assert find_cheapest_rate([make_rate(idRate=7)]) == Rate(
        id=7,
        price=15595,
        carrier="Envía",
        product="Terrestre",
        delivery_days=2,
        data={"idRate": 7, "idProduct": 11, "idCarrier": 1, "flete": 14696.0, "minimumInsurance": 899.0},
    )


def test_centavos_are_rounded_up() -> None:
    assert find_price([make_rate(flete=14696.01, minimumInsurance=899)]) == 15596
    assert find_price([make_rate(flete=14696.5, minimumInsurance=899.5)]) == 15596
    assert find_price([make_rate(flete=14696.0, minimumInsurance=899.0)]) == 15595
    assert find_price([make_rate(flete=0.1, minimumInsurance=0.2)]) == 1


def test_faster_rate_is_chosen_among_equal_prices() -> None:
    slow, fast, later = (
        make_rate(idRate=1, deliveryDays=3),
        make_rate(idRate=2, deliveryDays=1),
        make_rate(idRate=3, deliveryDays=1),
    )
    unknown = make_rate(idRate=4, deliveryDays=None)
    offer = find_cheapest_rate([unknown, slow, fast, later])
    assert offer is not None
    assert offer.id == 2


@pytest.mark.parametrize(
    "number", [-1, -0.01, math.nan, math.inf, -math.inf, None, "9.000", "", True, [], {}, 1e15, 10**400]
)
def test_invalid_number_makes_a_rate_invalid(number: object) -> None:
    assert parse_rate(make_rate(flete=number)) is None
    assert parse_rate(make_rate(minimumInsurance=number)) is None


@pytest.mark.parametrize("name", ["idRate", "flete", "minimumInsurance"])
def test_missing_number_makes_a_rate_invalid(name: str) -> None:
    incomplete = make_rate()
    del incomplete[name]
    assert parse_rate(incomplete) is None


def test_rate_with_flete_0_is_invalid_and_with_insurance_0_is_valid() -> None:
    assert parse_rate(make_rate(flete=0)) is None
    assert find_price([make_rate(flete=9000, minimumInsurance=0)]) == 9000


@pytest.mark.parametrize("rate_id", [None, "7a", 2**64, 7.5, True, math.nan])
def test_rate_without_a_valid_id_is_invalid(rate_id: object) -> None:
    assert parse_rate(make_rate(idRate=rate_id)) is None


def test_rate_with_an_absurd_sum_is_invalid() -> None:
    assert parse_rate(make_rate(flete=MAX_RATE - 1, minimumInsurance=1)) is None
    assert find_price([make_rate(flete=MAX_RATE - 2, minimumInsurance=1)]) == MAX_RATE - 1


@pytest.mark.parametrize("junk", [None, 5, "rate", [], [make_rate()], {}, math.nan])
def test_invalid_elements_among_rates_are_ignored(junk: object) -> None:
    assert find_price([junk, make_rate()]) == 15595
    assert find_price([junk]) is None


def test_invalid_optional_fields_are_left_out() -> None:
    offer = parse_rate(
        make_rate(carrier=5, product=None, deliveryDays="2 días", idProduct="x", idCarrier=None)
    )
    assert offer is not None
    assert (offer.carrier, offer.product, offer.delivery_days) == ("", "", None)
    assert offer.data == {"idRate": 1, "flete": 14696.0, "minimumInsurance": 899.0}
    assert parse_rate(make_rate(deliveryDays=-1)).delivery_days is None  # type: ignore[union-attr]


numbers = st.one_of(
    st.integers(-100, 60_000),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 60_000).map(lambda value: round(value, 2)),
    st.none(),
    st.text(max_size=5),
    st.booleans(),
)


@given(
    st.lists(
        st.builds(
            lambda flete, insurance: make_rate(flete=flete, minimumInsurance=insurance), numbers, numbers
        )
    )
)
def test_price_is_the_lowest_sum_of_a_valid_rate(rates: list[dict[str, Any]]) -> None:
    def is_amount(value: Any) -> bool:
        if isinstance(value, str):
            return bool(re.fullmatch(r"\s*[0-9]+(\.[0-9]{1,2})?\s*", value, re.ASCII))
        return type(value) in (int, float) and math.isfinite(value) and 0 <= value < MAX_RATE

    amounts = [
        (Decimal(str(each["flete"]).strip()), Decimal(str(each["minimumInsurance"]).strip()))
        for each in rates
        if is_amount(each["flete"]) and is_amount(each["minimumInsurance"])
    ]
    sums = [math.ceil(flete + insurance) for flete, insurance in amounts if flete > 0]
    valid = [total for total in sums if total < MAX_RATE]
    assert find_price(rates) == (min(valid) if valid else None)


names = st.sampled_from(["idRate", "flete", "minimumInsurance", "deliveryDays", "carrier"])
junk = st.recursive(
    numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5),
    max_leaves=8,
)


@given(st.lists(junk, max_size=5))
def test_search_for_the_cheapest_rate_raises_no_error_for_any_list(rates: list[Any]) -> None:
    find_cheapest_rate(rates)


# texts and numbers that no database can store


def assert_storable(value: Any) -> None:
    """Fail unless both databases can store every text, number and time inside the value."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            assert_storable(getattr(value, one.name))
    elif isinstance(value, dict | list | tuple):
        for inner in (*value, *value.values()) if isinstance(value, dict) else value:
            assert_storable(inner)
    elif isinstance(value, str):
        assert "\0" not in value
        value.encode()  # it fails for half a pair of surrogates
    elif isinstance(value, int | float):
        assert abs(value) < 2**63
    elif isinstance(value, datetime):
        assert value.tzinfo is UTC


ODD = [
    "a\0b", "\ud83d", "x\r\ny", 2**64, -(2**64), "18446744073709551616", 10**12, 1e300, math.inf, math.nan, "1e400",
    "9" * 5000, [], {"a": "\0"}, True, "0001-01-01 00:00:00", "9999-12-31 23:59:59", "x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_invalid_response_field_is_omitted_or_cleaned_without_affecting_others(odd: object) -> None:
    for name in make_rate():
        assert_storable(parse_rate(make_rate(**{name: odd})))
    label = {
        "idOrder": 132456,
        "tracker": "240",
        "url": "https://c.test/a.pdf",
        "guide": "",
        "carrier": "TCC",
    }
    for name in set(label) - {"idOrder"}:
        made = parse_label({**label, name: odd})
        assert_storable(made)
        assert made.carrier_order_id == 132456
    tracking = {"status": "Entregado", "statusDetail": "En portería", "receivedBy": "Ana"} | dict.fromkeys(
        ("arrivalDate", "realPickupDate", "realDeliveryDate"), "2026-11-27 10:00:00"
    )
    for name in tracking:
        update = parse_tracking({**tracking, name: odd})
        assert_storable(update)
        assert update is not None or name == "status"


def test_numbers_sent_as_texts_and_texts_sent_as_numbers_are_converted() -> None:
    offer = parse_rate(make_rate(idRate="7", flete="8500", minimumInsurance="899.50", deliveryDays="2"))
    assert offer is not None
    assert (offer.id, offer.price, offer.delivery_days) == (7, 9400, 2)
    label = parse_label({"idOrder": "132456", "tracker": 240031234567})
    assert (label.carrier_order_id, label.tracking_number) == (132456, "240031234567")


@pytest.mark.parametrize("days", [366, 2**64, "2**64", -1, 1.5])
def test_delivery_days_above_the_maximum_are_left_out(days: object) -> None:
    offer = parse_rate(make_rate(deliveryDays=days))
    assert offer is not None
    assert offer.delivery_days is None


# tracking


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
def test_tracking_status_is_parsed_in_any_case(status: str, stage: TrackingStage) -> None:
    assert parse_stage(status) is stage


def test_embedded_carrier_has_a_status_for_every_tracking_stage() -> None:
    assert {parse_stage(status) for status in Status} == set(TrackingStage)


def test_text_of_a_tracking_update_is_short_and_on_one_line() -> None:
    local, moment = "2026-11-20 07:00:00", datetime(2026, 11, 20, 12, tzinfo=UTC)
    update = parse_tracking(
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
    assert len(update.words) == MAX_WORDS


def test_text_of_a_tracking_update_without_a_detail_is_its_status() -> None:
    update = parse_tracking({"status": "En tránsito", "statusDetail": " "})
    assert update == TrackingUpdate(TrackingStage.IN_TRANSIT, "En tránsito")


@pytest.mark.parametrize(
    "moment",
    [
        "9999-12-31 23:59:59",
        "0001-01-01 00:00:00",
        "1999-12-31 23:59:59",
        "2101-01-01 00:00:00",
        "ayer",
        None,
    ],
)
def test_invalid_tracking_time_becomes_none(moment: object) -> None:
    names = ("realPickupDate", "realDeliveryDate", "arrivalDate")
    update = parse_tracking({"status": "Entregado", **dict.fromkeys(names, moment)})
    assert update is not None
    assert (update.stage, update.picked_up_at, update.delivered_at, update.expected_at) == (
        TrackingStage.DELIVERED,
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (12, 12),
        ("12", 12),
        (str(2**63 - 1), 2**63 - 1),
        *(
            (odd, None)
            for odd in (2**63, str(2**63), "9" * 5_000, "-1", "1.0", "\uff11", "", True, 1.0, None)
        ),
    ],
    ids=str,
)
def test_whole_number_outside_the_databases_range_is_not_parsed(value: object, number: int | None) -> None:
    assert parse_whole(value) == number
