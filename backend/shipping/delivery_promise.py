"""The promise of delivery: the latest day on which an order arrives if its payment is approved now.

`promise_delivery` is the only function that computes this day. The pages of a product, of the cart and of the
checkout show it for the current moment; a paid order keeps the day counted from the approval of its payment.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time

from backend.core.business_days import add_counted_days, is_business_day
from backend.core.config.settings import Settings
from backend.core.dates import TIME_ZONE
from backend.core.db.tables import JsonObject
from backend.shipping.models import ShippingOption
from backend.shipping.providers.base import Quote
from backend.shipping.terms.own_delivery import (
    is_own_delivery,
    is_pickup,
    parse_zone_terms,
    read_pickup_point,
)
from backend.shipping.terms.weekly_schedules import is_open_day

DELIVERY_TERMS = "delivery_terms"
"""Key in the data of a shipping method: its `DeliveryTerms`."""
READY_ON = "ready_on"
"""Key in the data of a sold shipping method: the day on which its preordered units arrive, as an ISO date."""
PROMISED_DAY = "promised_day"
"""Key in the data of a sold shipping method: the promised day when the payment started, as an ISO date."""


@dataclass(frozen=True, slots=True)
class DeliveryTerms:
    """The terms of a shipping option that determine the promised day. An order stores the terms that its customer saw.

    Attributes:
        cutoff_hour: hour of the day in Colombia. If a payment is approved before it on a counted day
            (`is_working_day`), packing of the order starts on that day; otherwise on the next counted day.
        packing_days: business days from the start of packing until the carrier gets the order, or until the customer
            can collect it.
        carrier_days: maximum business days that the carrier needs for this destination; 0 for an order to collect.
            For own delivery, the number of days of its schedule until the order arrives.
        weekdays: the days of the week, Monday being 0, on which the shop itself delivers, or on which the pickup
            point is open; empty: business days.
        on_holidays: True if `weekdays` also count on public holidays.
        is_own: True if the shop delivers the order itself. Then only days of the schedule are counted, and
            `packing_days` is 0.
        ready_on: day on which the units of a preorder arrive at the shop; packing does not start earlier. This day is
            stored apart from the other terms: see `add_ready_day`.
    """

    cutoff_hour: int
    packing_days: int
    carrier_days: int
    weekdays: tuple[int, ...] = ()
    on_holidays: bool = False
    is_own: bool = False
    ready_on: date | None = None

    def is_open(self, day: date) -> bool:
        """Return True if the shop delivers, or the pickup point is open, on this day; by default, on business days."""
        if not self.weekdays:
            return is_business_day(day)
        return is_open_day(day, self.weekdays, on_holidays=self.on_holidays)

    def is_working_day(self, day: date) -> bool:
        """Return True if this day is counted: with own delivery a day of its schedule, otherwise a business day."""
        return self.is_open(day) if self.is_own else is_business_day(day)


@dataclass(frozen=True, slots=True)
class DeliveryPromise:
    """The latest day of delivery, and the moment in UTC before which the payment must be approved for it."""

    day: date
    pay_before: datetime


def promise_delivery(
    approved_at: datetime, terms: DeliveryTerms | None, *, is_in_stock: bool = True
) -> DeliveryPromise | None:
    """Return the promise for a payment that is approved at this moment.

    Args:
        approved_at: a moment with its time zone.
        terms: the terms of the shipping option; None if the carrier named no days.
        is_in_stock: True if the shop has all units.

    Returns:
        None without terms, or if units are missing: then the shop promises no day.
    """
    if terms is None or not is_in_stock:
        return None
    local_time = approved_at.astimezone(TIME_ZONE)
    start = local_time.date()
    if not terms.is_working_day(start) or local_time.hour >= terms.cutoff_hour:
        start = add_counted_days(start, 1, terms.is_working_day)
    if terms.ready_on is not None and terms.ready_on > start:
        start = terms.ready_on
        if not terms.is_working_day(start):
            start = add_counted_days(start, 1, terms.is_working_day)
    cutoff = datetime.combine(start, time(terms.cutoff_hour), TIME_ZONE)
    day = add_counted_days(start, terms.packing_days + terms.carrier_days, terms.is_working_day)
    if not terms.is_open(day):
        day = add_counted_days(day, 1, terms.is_open)
    return DeliveryPromise(day, cutoff.astimezone(UTC))


def build_delivery_terms(
    settings: Settings, option: ShippingOption, quote: Quote, ready_on: date | None = None
) -> DeliveryTerms | None:
    """Return the delivery terms of the option; None if it ships by carrier and `quote` has no number of days.

    `settings` are the effective settings. `ready_on` is the day on which preordered units arrive at the shop.
    """
    if is_own_delivery(option):
        zone = parse_zone_terms(option.data)
        return DeliveryTerms(
            cutoff_hour=zone.cutoff_hour,
            packing_days=0,
            carrier_days=zone.delivery_days,
            weekdays=zone.schedule.weekdays,
            on_holidays=zone.schedule.on_holidays,
            is_own=True,
            ready_on=ready_on,
        )
    if is_pickup(option):
        opening = read_pickup_point(option).schedule
        weekdays, on_holidays = (opening.weekdays, opening.on_holidays) if opening else ((), False)
        return DeliveryTerms(
            settings.cutoff_hour, settings.packing_days, 0, weekdays, on_holidays, ready_on=ready_on
        )
    if quote.delivery_days is None or quote.is_fallback:
        return None
    return DeliveryTerms(
        settings.cutoff_hour, settings.packing_days, max(quote.delivery_days, 1), ready_on=ready_on
    )


def add_delivery_terms(data: JsonObject, terms: DeliveryTerms | None) -> JsonObject:
    """Return the data of a shipping method with these terms added, without `ready_on`: see `add_ready_day`.

    If `terms` is None, return the data unchanged.
    """
    if terms is None:
        return data
    values = {name: value for name, value in asdict(terms).items() if name != "ready_on"}
    if not terms.weekdays:  # replicas of an earlier release can read terms without a schedule
        values = {name: values[name] for name in ("cutoff_hour", "packing_days", "carrier_days")}
    return {**data, DELIVERY_TERMS: values}


def parse_delivery_terms(data: JsonObject) -> DeliveryTerms | None:
    """Return the delivery terms that are stored in the data of a shipping method; None if there are none."""
    if DELIVERY_TERMS not in data:
        return None
    values = data[DELIVERY_TERMS]
    ready_on = date.fromisoformat(data[READY_ON]) if READY_ON in data else None
    return DeliveryTerms(**{**values, "weekdays": tuple(values.get("weekdays", ())), "ready_on": ready_on})


def add_ready_day(data: JsonObject, day: date | None) -> JsonObject:
    """Return the data of an order's shipping method, with the day on which preordered units arrive at the shop.

    If the day is None, a stored day is removed.
    """
    rest = {name: value for name, value in data.items() if name != READY_ON}
    return rest if day is None else {**rest, READY_ON: day.isoformat()}


def add_promised_day(data: JsonObject, moment: datetime) -> JsonObject:
    """Return the data of an order's shipping method, with the day promised for a payment at this moment.

    If no day is promised, the data are unchanged.
    """
    promise = promise_delivery(moment, parse_delivery_terms(data))
    return data if promise is None else {**data, PROMISED_DAY: promise.day.isoformat()}


def parse_promised_day(data: JsonObject) -> date | None:
    """Return the promised day in the data of an order's shipping method; None if no day was promised."""
    return date.fromisoformat(data[PROMISED_DAY]) if PROMISED_DAY in data else None
