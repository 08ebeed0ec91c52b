"""The promise of delivery: one pure function of the approval's moment and the option's terms.

December 2026 in Colombia: Tuesday the 8th and Friday the 25th are holidays; in 2027 Friday January 1st and Monday
January 11th are. The examples are counted by hand.
"""

from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.config.settings import Settings
from backend.core.dates import TIME_ZONE
from backend.shipping.delivery_promise import (
    DELIVERY_TERMS,
    PROMISED_DAY,
    DeliveryPromise,
    DeliveryTerms,
    add_delivery_terms,
    add_promised_day,
    add_ready_day,
    build_delivery_terms,
    parse_delivery_terms,
    parse_promised_day,
    promise_delivery,
)
from backend.shipping.promise_texts import describe_delay, describe_offer, describe_pending, describe_promised
from backend.shipping.providers.base import Quote

HOME = DeliveryTerms(cutoff_hour=15, packing_days=1, carrier_days=3)
PICKUP = DeliveryTerms(cutoff_hour=15, packing_days=1, carrier_days=0)
HOLIDAYS = {date(2026, 12, 8), date(2026, 12, 25), date(2027, 1, 1), date(2027, 1, 11)}


def at(text: str) -> datetime:
    """Return a local time in Colombia as an aware time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=TIME_ZONE).astimezone(UTC)


@pytest.mark.parametrize(
    ("approved", "terms", "day", "pay_before"),
    [
        # Thursday: Friday to the carrier, then Monday, Wednesday (Tuesday is a holiday), Thursday
        ("2026-12-03T10:00", HOME, "2026-12-10", "2026-12-03T15:00"),
        ("2026-12-03T14:59:59.999999", HOME, "2026-12-10", "2026-12-03T15:00"),
        ("2026-12-03T15:00", HOME, "2026-12-11", "2026-12-04T15:00"),
        # Friday after the cut-off, and the weekend: as on Monday morning
        ("2026-12-04T15:00", HOME, "2026-12-14", "2026-12-07T15:00"),
        ("2026-12-05T09:00", HOME, "2026-12-14", "2026-12-07T15:00"),
        ("2026-12-06T23:59", HOME, "2026-12-14", "2026-12-07T15:00"),
        ("2026-12-07T00:00", HOME, "2026-12-14", "2026-12-07T15:00"),
        # a holiday, and the long weekend of a holiday on Monday
        ("2026-12-08T10:00", HOME, "2026-12-15", "2026-12-09T15:00"),
        ("2027-01-08T16:00", PICKUP, "2027-01-13", "2027-01-12T15:00"),
        ("2027-01-11T08:00", PICKUP, "2027-01-13", "2027-01-12T15:00"),
        # the end of the year
        ("2026-12-31T14:00", PICKUP, "2027-01-04", "2026-12-31T15:00"),
        ("2026-12-31T23:00", PICKUP, "2027-01-05", "2027-01-04T15:00"),
        ("2026-12-24T18:00", HOME, "2027-01-04", "2026-12-28T15:00"),
        # a slow bank: the day is counted from its approval, weeks after the order
        ("2026-12-21T09:00", HOME, "2026-12-28", "2026-12-21T15:00"),
        # the same day, and an evening that is already tomorrow in UTC
        ("2026-12-03T19:30", DeliveryTerms(20, 0, 0), "2026-12-03", "2026-12-03T20:00"),
        ("2026-12-03T20:30", DeliveryTerms(20, 0, 0), "2026-12-04", "2026-12-04T20:00"),
        ("2026-12-03T10:00", DeliveryTerms(15, 0, 1), "2026-12-04", "2026-12-03T15:00"),
        ("2026-12-03T10:00", DeliveryTerms(15, 5, 30), "2027-01-27", "2026-12-03T15:00"),
    ],
)
def test_promised_day_and_payment_deadline_follow_the_approval_and_terms(
    approved: str, terms: DeliveryTerms, day: str, pay_before: str
) -> None:
    expected = DeliveryPromise(date.fromisoformat(day), at(pay_before))
    assert promise_delivery(at(approved), terms) == expected


def test_no_day_is_promised_without_the_carriers_days_or_without_stock() -> None:
    assert promise_delivery(at("2026-12-03T10:00"), None) is None
    assert promise_delivery(at("2026-12-03T10:00"), HOME, is_in_stock=False) is None
    assert promise_delivery(at("2026-12-03T10:00"), HOME, is_in_stock=True) is not None


def is_open(day: date) -> bool:
    """Return True on a business day, by a list of holidays that is independent of the library's."""
    return day.isoweekday() <= 5 and day not in HOLIDAYS


MOMENTS = st.timedeltas(timedelta(), timedelta(days=50)).map(lambda after: at("2026-12-01T00:00") + after)
TERMS = st.builds(DeliveryTerms, st.integers(1, 23), st.integers(0, 5), st.integers(0, 8))


@given(MOMENTS, TERMS)
def test_packing_and_carrier_days_count_from_the_next_cutoff_on_a_business_day(
    moment: datetime, terms: DeliveryTerms
) -> None:
    promise = promise_delivery(moment, terms)
    assert promise is not None
    start = promise.pay_before.astimezone(TIME_ZONE)
    assert is_open(start.date())
    assert (start.hour, start.minute) == (terms.cutoff_hour, 0)
    later_days = [start.date() + timedelta(days=n) for n in range(1, (promise.day - start.date()).days + 1)]
    assert sum(map(is_open, later_days)) == terms.packing_days + terms.carrier_days
    assert is_open(promise.day)
    # no earlier deadline was still possible
    local = moment.astimezone(TIME_ZONE)
    skipped = [local.date() + timedelta(days=n) for n in range((start.date() - local.date()).days)]
    assert all(
        not is_open(day) or (day == local.date() and local.hour >= terms.cutoff_hour) for day in skipped
    )


@given(MOMENTS, TERMS, st.timedeltas(timedelta(), timedelta(days=30)))
def test_later_approval_never_promises_an_earlier_day(
    moment: datetime, terms: DeliveryTerms, delay: timedelta
) -> None:
    first = promise_delivery(moment, terms)
    second = promise_delivery(moment + delay, terms)
    assert first is not None
    assert second is not None
    assert (second.day > first.day) == (moment + delay >= first.pay_before)
    assert moment < first.pay_before


@given(MOMENTS, TERMS)
def test_terms_and_promised_day_can_be_read_from_the_data_of_a_shipping_method(
    moment: datetime, terms: DeliveryTerms
) -> None:
    data = add_delivery_terms({"carrier": "Envía"}, terms)
    stored = {name: asdict(terms)[name] for name in ("cutoff_hour", "packing_days", "carrier_days")}
    assert data == {"carrier": "Envía", DELIVERY_TERMS: stored}
    assert parse_delivery_terms(data) == terms
    sold = add_promised_day(data, moment)
    promise = promise_delivery(moment, terms)
    assert promise is not None
    assert parse_promised_day(sold) == promise.day
    assert sold[PROMISED_DAY] == promise.day.isoformat()


def test_shipping_data_without_delivery_terms_promise_no_day() -> None:
    """Check the data of orders from earlier releases, which have no delivery terms."""
    assert add_delivery_terms({}, None) == {}
    assert parse_delivery_terms({}) is None
    assert add_promised_day({"carrier": "Envía"}, at("2026-12-03T10:00")) == {"carrier": "Envía"}
    assert parse_promised_day({}) is None


@pytest.mark.parametrize(
    ("quote", "data", "carrier_days"),
    [
        (Quote(1, delivery_days=3), {}, 3),
        (Quote(1, delivery_days=0), {}, 1),
        (Quote(1), {}, None),
        (Quote(1, delivery_days=3, is_fallback=True), {}, None),
        (Quote(0), {"pickup": True}, 0),
        (Quote(0, delivery_days=3), {"pickup": True}, 0),
    ],
)
def test_terms_are_built_from_the_option_its_quote_and_the_settings(
    settings: Settings, quote: Quote, data: dict[str, Any], carrier_days: int | None
) -> None:
    shop = settings.model_copy(update={"cutoff_hour": 11, "packing_days": 2})
    option: Any = SimpleNamespace(data=data, provider_id="carrier_standard")
    terms = build_delivery_terms(shop, option, quote)
    assert terms == (None if carrier_days is None else DeliveryTerms(11, 2, carrier_days))


def test_texts_about_delivery_contain_the_promised_day_and_the_payment_deadline() -> None:
    thursday, promise = at("2026-12-03T10:00"), promise_delivery(at("2026-12-03T10:00"), HOME)
    assert promise is not None
    early = promise_delivery(thursday, DeliveryTerms(13, 1, 3))
    assert early is not None
    texts = [
        describe_offer(promise, thursday, is_pickup=False),
        describe_offer(promise, thursday - timedelta(days=1), is_pickup=True),
        describe_offer(early, thursday, is_pickup=False),
        describe_pending(promise, thursday, is_pickup=False),
        describe_pending(early, None, is_pickup=True),
        describe_promised(promise.day, is_pickup=False),
        describe_promised(promise.day, is_pickup=True),
        describe_delay(promise.day, at("2026-12-21T16:10"), is_pickup=False),
        describe_delay(promise.day, at("2026-12-21T16:10"), is_pickup=True),
    ]
    start, approved = "jueves 3 de diciembre", "21 de diciembre de 2026, 4:10 p. m."
    assert [" ".join(text.split()) for text in texts] == [
        "Si pagas hoy antes de las 3 p. m., llega a más tardar el jueves 10 de diciembre.",
        "Si pagas antes de las 3 p. m. del jueves, lo puedes recoger desde el jueves 10 de diciembre.",
        "Si pagas hoy antes de la 1 p. m., llega a más tardar el jueves 10 de diciembre.",
        "Si tu pago se aprueba hoy antes de las 3 p. m., llega a más tardar el jueves 10 de diciembre.",
        f"Si tu pago se aprueba antes de la 1 p. m. del {start}, lo puedes recoger desde el jueves 10 de diciembre.",
        "Llega a más tardar el jueves 10 de diciembre.",
        "Lo puedes recoger desde el jueves 10 de diciembre.",
        f"Tu pago se aprobó el {approved}, y por eso la entrega ya no es el jueves 10 de diciembre.",
        f"Tu pago se aprobó el {approved}, y por eso ya no es desde el jueves 10 de diciembre.",
    ]


@pytest.mark.parametrize(
    ("approved", "ready_on", "day", "pay_before"),
    [
        ("2026-12-03T10:00", "2026-12-03", "2026-12-10", "2026-12-03T15:00"),  # it arrives today
        ("2026-12-03T10:00", "2026-12-01", "2026-12-10", "2026-12-03T15:00"),  # it has arrived
        ("2026-12-03T10:00", "2026-12-16", "2026-12-22", "2026-12-16T15:00"),
        ("2026-12-03T23:00", "2026-12-12", "2026-12-18", "2026-12-14T15:00"),  # on a Saturday
        ("2026-12-03T10:00", "2026-12-25", "2027-01-04", "2026-12-28T15:00"),  # on a holiday
    ],
)
def test_promise_for_a_preorder_counts_from_the_day_on_which_it_arrives(
    approved: str, ready_on: str, day: str, pay_before: str
) -> None:
    data = add_ready_day(add_delivery_terms({}, HOME), date.fromisoformat(ready_on))
    promise = promise_delivery(at(approved), parse_delivery_terms(data))
    assert promise == DeliveryPromise(date.fromisoformat(day), at(pay_before))
    assert parse_promised_day(add_promised_day(data, at(approved))) == date.fromisoformat(day)
    assert add_ready_day(data, None) == add_delivery_terms({}, HOME)
