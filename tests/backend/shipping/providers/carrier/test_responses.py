"""What the carrier answers is read leniently (wire: carrier 2.1 to 2.4)."""

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
    cheapest,
    problem_in,
    read_label,
    read_rate,
    read_tracking,
    whole,
)
from backend.shipping.providers.carrier.statuses import stage_of
from tests.backend.shipping.samples import rate

# errors


def told(error: object, *, older: bool = False) -> dict[str, Any]:
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
def test_every_shape_becomes_one_sentence(error: object, text: str, older: bool) -> None:
    assert str(problem_in(told(error, older=older))) == text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (["Unprocessed Entity.", "No tiene\n crédito."], "No tiene crédito."),
        (["Unprocessed Entity.", {"email": "Dato inválido"}], "email: Dato inválido"),
        ("No se pudo generar la guía", "No se pudo generar la guía"),
        ([], ""),
    ],
)
def test_people_are_told_what_stands_after_the_title(error: object, words: str) -> None:
    assert problem_in(told(error)).words == words


def test_fields_are_named_with_dots_however_deep_they_are() -> None:
    problem = problem_in(
        told(
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
        told(None),
        told(5),
    ],
)
def test_what_says_nothing_is_an_empty_problem(body: object) -> None:
    problem = problem_in(body)
    assert str(problem) == ""
    assert problem.fields == {}


# rates


def price(rates: list[Any]) -> int | None:
    offer = cheapest(rates)
    return offer.price if offer else None


def test_the_price_is_flete_and_the_minimum_insurance_and_nothing_else() -> None:
    assert price([rate(flete=14696, minimumInsurance=899, extraInsurance=5000)]) == 15595


def test_the_cheapest_sum_is_charged_not_the_cheapest_flete() -> None:
    assert (
        price([rate(flete=10_000, minimumInsurance=4000), rate(flete=12_000, minimumInsurance=500)]) == 12_500
    )


def test_the_offer_says_who_carries_and_how_long() -> None:
    assert cheapest([rate(idRate=7)]) == Rate(
        id=7,
        price=15595,
        carrier="Envía",
        product="Terrestre",
        delivery_days=2,
        data={"idRate": 7, "idProduct": 11, "idCarrier": 1, "flete": 14696.0, "minimumInsurance": 899.0},
    )


def test_centavos_are_rounded_up_so_that_the_shop_never_pays_the_rest() -> None:
    assert price([rate(flete=14696.01, minimumInsurance=899)]) == 15596
    assert price([rate(flete=14696.5, minimumInsurance=899.5)]) == 15596
    assert price([rate(flete=14696.0, minimumInsurance=899.0)]) == 15595
    assert price([rate(flete=0.1, minimumInsurance=0.2)]) == 1


def test_among_equals_the_faster_and_then_the_first_is_taken() -> None:
    slow, fast, later = (
        rate(idRate=1, deliveryDays=3),
        rate(idRate=2, deliveryDays=1),
        rate(idRate=3, deliveryDays=1),
    )
    unknown = rate(idRate=4, deliveryDays=None)
    offer = cheapest([unknown, slow, fast, later])
    assert offer is not None
    assert offer.id == 2


@pytest.mark.parametrize(
    "number", [-1, -0.01, math.nan, math.inf, -math.inf, None, "9.000", "", True, [], {}, 1e15, 10**400]
)
def test_a_number_that_is_none_makes_no_rate(number: object) -> None:
    assert read_rate(rate(flete=number)) is None
    assert read_rate(rate(minimumInsurance=number)) is None


@pytest.mark.parametrize("name", ["idRate", "flete", "minimumInsurance"])
def test_a_missing_number_makes_no_rate(name: str) -> None:
    incomplete = rate()
    del incomplete[name]
    assert read_rate(incomplete) is None


def test_nothing_is_carried_for_nothing_but_an_insurance_may_be_free() -> None:
    assert read_rate(rate(flete=0)) is None
    assert price([rate(flete=9000, minimumInsurance=0)]) == 9000


@pytest.mark.parametrize("rate_id", [None, "7a", 2**64, 7.5, True, math.nan])
def test_a_rate_that_no_label_can_be_made_with_is_none(rate_id: object) -> None:
    assert read_rate(rate(idRate=rate_id)) is None


def test_an_absurd_sum_of_plausible_parts_is_no_rate() -> None:
    assert read_rate(rate(flete=MAX_RATE - 1, minimumInsurance=1)) is None
    assert price([rate(flete=MAX_RATE - 2, minimumInsurance=1)]) == MAX_RATE - 1


@pytest.mark.parametrize("junk", [None, 5, "rate", [], [rate()], {}, math.nan])
def test_junk_among_the_rates_does_no_harm(junk: object) -> None:
    assert price([junk, rate()]) == 15595
    assert price([junk]) is None


def test_odd_extras_are_left_out_and_do_no_harm() -> None:
    offer = read_rate(rate(carrier=5, product=None, deliveryDays="2 días", idProduct="x", idCarrier=None))
    assert offer is not None
    assert (offer.carrier, offer.product, offer.delivery_days) == ("", "", None)
    assert offer.data == {"idRate": 1, "flete": 14696.0, "minimumInsurance": 899.0}
    assert read_rate(rate(deliveryDays=-1)).delivery_days is None  # type: ignore[union-attr]


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
        st.builds(lambda flete, insurance: rate(flete=flete, minimumInsurance=insurance), numbers, numbers)
    )
)
def test_the_charged_price_is_the_least_valid_sum(rates: list[dict[str, Any]]) -> None:
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
    assert price(rates) == (min(valid) if valid else None)


names = st.sampled_from(["idRate", "flete", "minimumInsurance", "deliveryDays", "carrier"])
junk = st.recursive(
    numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5),
    max_leaves=8,
)


@given(st.lists(junk, max_size=5))
def test_no_list_of_anything_breaks_it(rates: list[Any]) -> None:
    cheapest(rates)


# text and numbers that nobody can store


def assert_storable(value: Any) -> None:
    """Fail unless both databases can store every text, number and moment inside the value."""
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
def test_an_odd_field_is_left_out_or_cleaned_and_loses_nothing_else(odd: object) -> None:
    for name in rate():
        assert_storable(read_rate(rate(**{name: odd})))
    label = {
        "idOrder": 132456,
        "tracker": "240",
        "url": "https://c.test/a.pdf",
        "guide": "",
        "carrier": "TCC",
    }
    for name in set(label) - {"idOrder"}:
        made = read_label({**label, name: odd})
        assert_storable(made)
        assert made.carrier_order_id == 132456
    tracking = {"status": "Entregado", "statusDetail": "En portería", "receivedBy": "Ana"} | dict.fromkeys(
        ("arrivalDate", "realPickupDate", "realDeliveryDate"), "2026-11-27 10:00:00"
    )
    for name in tracking:
        update = read_tracking({**tracking, name: odd})
        assert_storable(update)
        assert update is not None or name == "status"


def test_numbers_come_as_texts_and_texts_as_numbers() -> None:
    offer = read_rate(rate(idRate="7", flete="8500", minimumInsurance="899.50", deliveryDays="2"))
    assert offer is not None
    assert (offer.id, offer.price, offer.delivery_days) == (7, 9400, 2)
    label = read_label({"idOrder": "132456", "tracker": 240031234567})
    assert (label.carrier_order_id, label.tracking_number) == (132456, "240031234567")


@pytest.mark.parametrize("days", [366, 2**64, "2**64", -1, 1.5])
def test_nobody_is_told_to_wait_for_years(days: object) -> None:
    offer = read_rate(rate(deliveryDays=days))
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
    assert len(update.words) == MAX_WORDS


def test_without_a_detail_the_status_speaks() -> None:
    update = read_tracking({"status": "En tránsito", "statusDetail": " "})
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
def test_a_moment_that_cannot_be_is_none(moment: object) -> None:
    names = ("realPickupDate", "realDeliveryDate", "arrivalDate")
    update = read_tracking({"status": "Entregado", **dict.fromkeys(names, moment)})
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
def test_a_whole_number_is_one_that_can_be_stored(value: object, number: int | None) -> None:
    assert whole(value) == number
