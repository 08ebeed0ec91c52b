"""Zones of own delivery and pickup points in shipping options: their schedules, promises, prices and destinations."""

from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.dates import TIME_ZONE
from backend.core.errors import InvalidData
from backend.shipping.delivery_promise import (
    add_delivery_terms,
    build_delivery_terms,
    parse_delivery_terms,
    promise_delivery,
)
from backend.shipping.models import ShippingOption
from backend.shipping.promise_texts import describe_offer
from backend.shipping.providers.base import Quote
from backend.shipping.terms.own_delivery import PickupPoint, ZoneTerms, check_option_data, describe_option
from backend.shipping.terms.weekly_schedules import WeeklySchedule, describe_schedule, parse_schedule
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_addressed_cart, get, post

WEEK = WeeklySchedule((0, 1, 2, 3, 4, 5), 9, 18)
SAME_DAY = ZoneTerms(WEEK, delivery_days=0, cutoff_hour=11)
MEDELLIN, ENVIGADO = "05001000", "05266000"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


def at(text: str) -> datetime:
    """Return a local time in Colombia as an aware time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=TIME_ZONE).astimezone(UTC)


def own_option(terms: ZoneTerms, amount: int = 8_000) -> ShippingOption:
    return ShippingOption(
        name="Domicilio",
        price_type="flat",
        provider_id="own_delivery",
        service_zone_id="serzo_1",
        shipping_profile_id="sp_1",
        amount=amount,
        data=terms.to_data(),
    )


def pickup_option(point: PickupPoint) -> ShippingOption:
    option = own_option(SAME_DAY, 0)
    option.provider_id, option.data = "manual_manual", point.to_data()
    return option


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (WEEK, "lunes a sábado, 9 a. m. a 6 p. m."),
        (
            WeeklySchedule((0, 1, 2, 3, 4, 5, 6), 8, 20, on_holidays=True),
            "todos los días, 8 a. m. a 8 p. m., también festivos",
        ),
        (WeeklySchedule((1, 3), 14, 17), "martes y jueves, 2 p. m. a 5 p. m."),
        (WeeklySchedule((0, 2, 4), 9, 12), "lunes, miércoles y viernes, 9 a. m. a 12 p. m."),
        (WeeklySchedule((5,), 9, 13), "sábado, 9 a. m. a 1 p. m."),
    ],
)  # fmt: skip
def test_weekly_schedule_is_described_in_words(schedule: WeeklySchedule, text: str) -> None:
    assert " ".join(describe_schedule(schedule).split()) == text
    assert parse_schedule(schedule.to_data()) == schedule


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"weekdays": []}, "weekdays"),
        ({"weekdays": [7]}, "weekdays"),
        ({"weekdays": "lunes"}, "weekdays"),
        ({"weekdays": [True]}, "weekdays"),
        ({"from_hour": 18}, "to_hour"),
        ({"to_hour": 24}, "to_hour"),
        ({"from_hour": None}, "to_hour"),
    ],
)
def test_invalid_schedule_names_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidData) as refused:
        parse_schedule({**WEEK.to_data(), **change})
    assert [*refused.value.fields] == [field]


@pytest.mark.parametrize(
    "change",
    [
        {"delivery_days": -1},
        {"delivery_days": 31},
        {"delivery_days": "0"},
        {"cutoff_hour": 0},
        {"cutoff_hour": 24},
        {"free_from": 0},
        {"free_from": 1.5},
        {"schedule": None},
        {"pickup": True},
    ],
)
def test_invalid_terms_of_an_own_delivery_option_are_refused(change: dict[str, Any]) -> None:
    option = own_option(SAME_DAY)
    check_option_data(option)
    option.data = {**option.data, **change}
    with pytest.raises(InvalidData):
        check_option_data(option)


@pytest.mark.parametrize(
    "change", [{"address": 7}, {"address": "x" * 121}, {"dane_code": "1"}, {"schedule": {"weekdays": []}}]
)
def test_invalid_pickup_point_cannot_be_stored_and_is_not_described(change: dict[str, Any]) -> None:
    option = pickup_option(PickupPoint("Calle 10 # 4-20", MEDELLIN, WEEK))
    check_option_data(option)
    text = "Calle 10 # 4-20, Medellín · lunes a sábado, 9 a. m. a 6 p. m."
    assert " ".join(describe_option(option).split()) == text
    option.data = {**option.data, **change}
    with pytest.raises(InvalidData):
        check_option_data(option)
    assert describe_option(option) == ""


@pytest.mark.parametrize(
    ("approved", "days", "day", "pay_before"),
    [
        # Saturday before and after the cut-off; Sunday and the holiday of December 8th are no days of the schedule
        ("2026-12-05T10:59", 0, "2026-12-05", "2026-12-05T11:00"),
        ("2026-12-05T11:00", 0, "2026-12-07", "2026-12-07T11:00"),
        ("2026-12-06T09:00", 0, "2026-12-07", "2026-12-07T11:00"),
        ("2026-12-07T12:00", 0, "2026-12-09", "2026-12-09T11:00"),
        ("2026-12-08T09:00", 0, "2026-12-09", "2026-12-09T11:00"),
        # the next day, and two days later
        ("2026-12-05T10:00", 1, "2026-12-07", "2026-12-05T11:00"),
        ("2026-12-07T10:00", 1, "2026-12-09", "2026-12-07T11:00"),
        ("2026-12-04T10:00", 2, "2026-12-07", "2026-12-04T11:00"),
    ],
)
def test_own_delivery_promise_counts_only_days_of_its_schedule(
    settings: Settings, approved: str, days: int, day: str, pay_before: str
) -> None:
    terms = build_delivery_terms(settings, own_option(ZoneTerms(WEEK, days, 11)), Quote(8_000))
    assert terms is not None
    promise = promise_delivery(at(approved), terms)
    assert promise is not None
    assert (promise.day, promise.pay_before) == (date.fromisoformat(day), at(pay_before))
    assert parse_delivery_terms(add_delivery_terms({}, terms)) == terms


def test_schedule_that_includes_holidays_promises_own_delivery_on_a_holiday(settings: Settings) -> None:
    schedule = WeeklySchedule((1,), 9, 18, on_holidays=True)
    terms = build_delivery_terms(settings, own_option(ZoneTerms(schedule, 0, 11)), Quote(0))
    promise = promise_delivery(at("2026-12-07T10:00"), terms)
    assert promise is not None
    assert promise.day == date(2026, 12, 8)


def test_same_day_delivery_is_described_as_today(settings: Settings) -> None:
    moment = at("2026-12-05T10:00")
    promise = promise_delivery(moment, build_delivery_terms(settings, own_option(SAME_DAY), Quote(0)))
    assert promise is not None
    text = " ".join(describe_offer(promise, moment, is_pickup=False).split())
    assert text == "Si pagas hoy antes de las 11 a. m., llega hoy mismo."


def test_pickup_is_promised_on_a_day_on_which_the_point_is_open(settings: Settings) -> None:
    """Pack the order on Friday, for a pickup point that is open only on Saturdays."""
    shop = settings.model_copy(update={"cutoff_hour": 15, "packing_days": 1})
    option = pickup_option(PickupPoint("Calle 10 # 4-20", MEDELLIN, WeeklySchedule((5,), 9, 13)))
    terms = build_delivery_terms(shop, option, Quote(0))
    assert terms is not None
    promise = promise_delivery(at("2026-12-03T10:00"), terms)  # packed on Friday
    assert promise is not None
    assert promise.day == date(2026, 12, 5)
    assert parse_delivery_terms(add_delivery_terms({}, terms)) == terms


async def create_zone(admin: httpx.AsyncClient, defaults: Defaults, *towns: dict[str, Any]) -> dict[str, Any]:
    """Enable own delivery in the warehouse, and create a service zone of these municipalities."""
    path = f"/admin/stock-locations/{defaults.location_id}"
    await post(admin, f"{path}/fulfillment-providers", {"add": ["own_delivery"]})
    location = (await get(admin, path, fields="*fulfillment_sets"))["stock_location"]
    set_id = location["fulfillment_sets"][0]["id"]
    zones = [{"type": "city", "country_code": "co", **town} for town in towns]
    body = {"name": "Valle de Aburrá", "geo_zones": zones}
    answer = await post(admin, f"/admin/fulfillment-sets/{set_id}/service-zones", body)
    return next(zone for zone in answer["fulfillment_set"]["service_zones"] if zone["name"] == body["name"])


async def create_own_option(
    admin: httpx.AsyncClient, zone_id: str, *prices: dict[str, Any]
) -> httpx.Response:
    profile = (await get(admin, "/admin/shipping-profiles"))["shipping_profiles"][0]
    body = {
        "name": "Domicilio",
        "provider_id": "own_delivery",
        "price_type": "flat",
        "service_zone_id": zone_id,
        "shipping_profile_id": profile["id"],
        "prices": [*prices],
        "data": SAME_DAY.to_data(),
    }
    return await admin.post("/admin/shipping-options", json=body)


FREE = {"amount": 0, "rules": [{"attribute": "item_total", "operator": "gte", "value": 120_000}]}


async def test_api_creates_zones_of_municipalities_and_returns_their_geo_zones(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    zone = await create_zone(
        admin,
        shop_defaults,
        {"metadata": {"dane_code": MEDELLIN}},
        {"city": "Envigado", "province_code": "co-ant"},
    )
    shown = [(one["type"], one["city"], one["province_code"], one["metadata"]) for one in zone["geo_zones"]]
    assert shown == [
        ("city", "Medellín", "co-ant", {"dane_code": MEDELLIN}),
        ("city", "Envigado", "co-ant", {"dane_code": ENVIGADO}),
    ]
    cart_id = await create_addressed_cart(store, trompo)  # to Medellín
    made = await create_own_option(admin, zone["id"], {"amount": 8_000}, FREE)
    assert made.status_code == 200, made.text
    option = made.json()["shipping_option"]
    assert option["type"]["code"] == "own_delivery"
    assert [(one["amount"], one["rules_count"]) for one in option["prices"]] == [(8_000, 0), (0, 1)]
    assert option["prices"][1]["price_rules"][0]["value"] == "120000"
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    [own] = [one for one in offered if one["provider_id"] == "own_delivery"]
    assert (own["price_type"], own["amount"], own["calculated_price"]["calculated_amount"]) == (
        "flat",
        8_000,
        8_000,
    )
    assert own["metadata"]["promised_day"] is not None
    # without the price with a rule, it is never free
    changed = await post(admin, f"/admin/shipping-options/{option['id']}", {"prices": [{"amount": 9_000}]})
    assert [one["amount"] for one in changed["shipping_option"]["prices"]] == [9_000]
    assert "free_from" not in changed["shipping_option"]["data"]


async def test_zone_is_not_offered_outside_its_municipalities(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    zone = await create_zone(admin, shop_defaults, {"city": ENVIGADO})
    option = (await create_own_option(admin, zone["id"], {"amount": 8_000})).json()["shipping_option"]
    cart_id = await create_addressed_cart(store, trompo)  # to Medellín
    offered = (await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]
    assert "own_delivery" not in [one["provider_id"] for one in offered]
    path = f"/store/carts/{cart_id}/shipping-methods"
    assert (await store.post(path, json={"option_id": option["id"]})).status_code == 400


async def test_invalid_zones_and_prices_are_refused(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    zone = await create_zone(admin, shop_defaults, {"city": ENVIGADO})
    path = f"/admin/fulfillment-sets/{zone['fulfillment_set_id']}/service-zones/{zone['id']}"
    town = {"type": "city", "country_code": "co", "city": "Macondo"}
    for zones in ([town], [{"country_code": "co"}, {**town, "city": ENVIGADO}]):
        assert (await admin.post(path, json={"geo_zones": zones})).status_code == 400
    paid = {**FREE, "amount": 500}
    for prices in ([{"amount": 8_000}, paid], [FREE]):
        assert (await create_own_option(admin, zone["id"], *prices)).status_code == 400
    made = (await create_own_option(admin, zone["id"], {"amount": 8_000})).json()["shipping_option"]
    option = f"/admin/shipping-options/{made['id']}"
    bodies: list[dict[str, Any]] = [
        {"data": {}},
        {"data": {**made["data"], "pickup": True}},
        {"price_type": "calculated"},
    ]
    for body in bodies:
        assert (await admin.post(option, json=body)).status_code == 400
    [home] = [
        one
        for one in (await get(admin, "/admin/shipping-options"))["shipping_options"]
        if one["provider_id"] == "manual_manual"
    ]
    assert (
        await admin.post(f"/admin/shipping-options/{home['id']}", json={"prices": [FREE]})
    ).status_code == 400
