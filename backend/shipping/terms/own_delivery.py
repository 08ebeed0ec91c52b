"""The terms of own delivery and of pickup, which are stored in the data of a shipping option.

The shop delivers an order of `own_delivery` itself. The option's service zone lists the municipalities, `amount` is
the price, and `data` have the zone's terms. An option for pickup has `"pickup": true` in its `data`, with the
point's address and hours if the owner has entered them. `check_option_data` checks both when an option is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.core.config.modules import OWN_DELIVERY
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.shipping.models import ShippingOption
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.terms.weekly_schedules import (
    MAX_HOUR,
    WeeklySchedule,
    describe_schedule,
    is_integer_in,
    parse_schedule,
)

PICKUP = "pickup"
"""Key in an option's `data`: true if the customer collects the order."""
SCHEDULE, DELIVERY_DAYS, CUTOFF_HOUR, FREE_FROM = "schedule", "delivery_days", "cutoff_hour", "free_from"
"""Keys in the `data` of an option: see `ZoneTerms` and `PickupPoint`."""
ADDRESS, DANE_CODE = "address", "dane_code"
"""Keys in the `data` of a pickup option."""
MAX_DELIVERY_DAYS = 30
MAX_FREE_FROM: Cop = 100_000_000
MAX_ADDRESS_LENGTH = 120


@dataclass(frozen=True, slots=True)
class ZoneTerms:
    """Terms of a zone of own delivery.

    Attributes:
        schedule: the days and hours of delivery.
        delivery_days: days of the schedule until an order arrives; 0: on the same day.
        cutoff_hour: an order whose payment is approved later on a day counts from the next day of the schedule.
        free_from: total of the goods, after discounts, from which the delivery costs nothing; None: never.
    """

    schedule: WeeklySchedule
    delivery_days: int
    cutoff_hour: int
    free_from: Cop | None = None

    def to_data(self) -> JsonObject:
        """Convert the terms to an option's `data`."""
        data: JsonObject = {
            SCHEDULE: self.schedule.to_data(),
            DELIVERY_DAYS: self.delivery_days,
            CUTOFF_HOUR: self.cutoff_hour,
        }
        return data if self.free_from is None else {**data, FREE_FROM: self.free_from}


@dataclass(frozen=True, slots=True)
class PickupPoint:
    """A place where customers collect their orders. Its address is empty and its schedule None until entered."""

    address: str = ""
    dane_code: str = ""
    schedule: WeeklySchedule | None = None

    @property
    def address_label(self) -> str:
        """The street and the municipality; empty if the point has no address."""
        town = find_municipality_by_code(self.dane_code)
        return ", ".join(filter(None, (self.address, town.name if town else "")))

    @property
    def hours_label(self) -> str:
        """The schedule in words; empty without one."""
        return describe_schedule(self.schedule) if self.schedule else ""

    @property
    def label(self) -> str:
        """Address and schedule in one line; empty if both are missing."""
        return " · ".join(filter(None, (self.address_label, self.hours_label)))

    def to_data(self) -> JsonObject:
        """Convert the point to an option's `data`."""
        data: JsonObject = {PICKUP: True, ADDRESS: self.address, DANE_CODE: self.dane_code}
        return data if self.schedule is None else {**data, SCHEDULE: self.schedule.to_data()}


def is_own_delivery(option: ShippingOption) -> bool:
    """Return True if the shop delivers orders of this option itself."""
    return option.provider_id == OWN_DELIVERY


def is_pickup(option: ShippingOption) -> bool:
    """Return True if the customer collects orders of this option."""
    return bool(option.data.get(PICKUP))


def parse_zone_terms(data: Mapping[str, Any]) -> ZoneTerms:
    """Return the terms of own delivery in a shipping option's `data`.

    Raises:
        InvalidData: a value is missing or out of its range. `fields` has the field to correct.
    """
    schedule = parse_schedule(data.get(SCHEDULE))
    days, cutoff, free_from = data.get(DELIVERY_DAYS), data.get(CUTOFF_HOUR), data.get(FREE_FROM)
    if not is_integer_in(days, 0, MAX_DELIVERY_DAYS):
        raise InvalidData(
            f"{DELIVERY_DAYS} is a number from 0 to {MAX_DELIVERY_DAYS}",
            fields={DELIVERY_DAYS: _("Escribe un número de días, de 0 a {n}.").format(n=MAX_DELIVERY_DAYS)},
        )
    if not is_integer_in(cutoff, 1, MAX_HOUR):
        raise InvalidData(
            f"{CUTOFF_HOUR} is an hour from 1 to {MAX_HOUR}", fields={CUTOFF_HOUR: _("Elige la hora.")}
        )
    if free_from is not None and not is_integer_in(free_from, 1, MAX_FREE_FROM):
        raise InvalidData(
            f"{FREE_FROM} is a price from 1 to {MAX_FREE_FROM}",
            fields={FREE_FROM: _("Escribe un precio en pesos, o déjalo vacío.")},
        )
    return ZoneTerms(schedule, days, cutoff, free_from)


def parse_pickup_point(data: Mapping[str, Any]) -> PickupPoint:
    """Return the pickup point in an option's `data`. Missing values stay empty.

    Raises:
        InvalidData: a value that is present is invalid. `fields` has the field to correct.
    """
    address, code = data.get(ADDRESS) or "", data.get(DANE_CODE) or ""
    if not isinstance(address, str) or len(address := to_one_line(address)) > MAX_ADDRESS_LENGTH:
        text = _("Escribe una dirección de máximo {n} letras.").format(n=MAX_ADDRESS_LENGTH)
        raise InvalidData(f"{ADDRESS} is a text of at most {MAX_ADDRESS_LENGTH}", fields={ADDRESS: text})
    if code and (not isinstance(code, str) or find_municipality_by_code(code) is None):
        raise InvalidData(
            f"{DANE_CODE} is the eight-digit code of a municipality",
            fields={DANE_CODE: _("Elige el municipio de la lista.")},
        )
    schedule = parse_schedule(data[SCHEDULE]) if data.get(SCHEDULE) else None
    return PickupPoint(address, code, schedule)


def get_free_from(option: ShippingOption) -> Cop | None:
    """Return the total of the goods from which the option's own delivery costs nothing; None: never."""
    return parse_zone_terms(option.data).free_from if is_own_delivery(option) else None


def check_option_data(option: ShippingOption) -> None:
    """Check the data of an option that is about to be stored.

    Raises:
        InvalidData: see `parse_zone_terms` and `parse_pickup_point`; or own delivery is also marked as pickup.
    """
    if is_own_delivery(option):
        if is_pickup(option):
            raise InvalidData(f"An option of {OWN_DELIVERY} is delivered: it cannot be picked up")
        parse_zone_terms(option.data)
    elif is_pickup(option):
        parse_pickup_point(option.data)


def describe_option(option: ShippingOption) -> str:
    """Return the schedule of own delivery, or address and schedule of a pickup point; empty for other options."""
    if is_pickup(option):
        return read_pickup_point(option).label
    if not is_own_delivery(option):
        return ""
    return describe_schedule(parse_zone_terms(option.data).schedule)


def read_pickup_point(option: ShippingOption) -> PickupPoint:
    """Return the option's pickup point; an empty one if the stored data are not valid."""
    try:
        return parse_pickup_point(option.data)
    except InvalidData:
        return PickupPoint()
