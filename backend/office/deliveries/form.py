"""The forms of a zone of own delivery and of a pickup point, as typed, and their validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.money import Cop, parse_pesos
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.schemas import MAX_GEO_ZONES
from backend.shipping.terms.own_delivery import (
    ADDRESS,
    CUTOFF_HOUR,
    DANE_CODE,
    DELIVERY_DAYS,
    FREE_FROM,
    SCHEDULE,
    PickupPoint,
    ZoneTerms,
    parse_pickup_point,
    parse_zone_terms,
)

MAX_TOWNS = MAX_GEO_ZONES
"""Maximum number of municipalities in a zone."""
MAX_NAME_LENGTH = 60
MAX_PRICE: Cop = 1_000_000
MAX_TYPED_LENGTH = 2_000
"""Maximum length of a field as the browser sends it. The longest one lists the codes of `MAX_TOWNS` municipalities."""
DAY_FIELDS = tuple(f"day-{day}" for day in range(7))
"""Names of the checkboxes of the days of the week, Monday first."""
HOLIDAYS = "holidays"
SCHEDULE_FIELDS = (*DAY_FIELDS, HOLIDAYS, "from_hour", "to_hour")
ZONE_FIELDS = ("name", "towns", "price", FREE_FROM, DELIVERY_DAYS, CUTOFF_HOUR, *SCHEDULE_FIELDS)
POINT_FIELDS = ("name", "towns", ADDRESS, *SCHEDULE_FIELDS)


@dataclass(frozen=True, slots=True)
class ZoneForm:
    """A valid form of a zone of own delivery. `towns` are the codes of its municipalities."""

    name: str
    towns: tuple[str, ...]
    price: Cop
    terms: ZoneTerms


@dataclass(frozen=True, slots=True)
class PointForm:
    """A valid form of a pickup point."""

    name: str
    point: PickupPoint


def parse_zone_form(typed: Mapping[str, str]) -> ZoneForm:
    """Validate the typed form of a zone, and return its values.

    Raises:
        InvalidData: `fields` has a message for each field to correct.
    """
    problems: dict[str, str] = {}
    name, towns = _check_name(typed, problems), parse_town_codes(typed["towns"])
    if not towns:
        problems["towns"] = _("Agrega al menos un municipio.")
    elif len(towns) > MAX_TOWNS:
        problems["towns"] = _("Caben {n} municipios: arma otra zona con los demás.").format(n=MAX_TOWNS)
    price, free_from = parse_pesos(typed["price"]), None
    if price is None or price > MAX_PRICE:
        problems["price"] = _("Escribe el precio en pesos. 0 es gratis.")
    if typed[FREE_FROM] and (free_from := parse_pesos(typed[FREE_FROM])) is None:
        problems[FREE_FROM] = _("Escribe un precio en pesos, o déjalo vacío.")
    terms = None
    try:
        terms = parse_zone_terms(
            {
                SCHEDULE: _schedule_data(typed),
                DELIVERY_DAYS: _parse_number(typed[DELIVERY_DAYS]),
                CUTOFF_HOUR: _parse_number(typed[CUTOFF_HOUR]),
                **({} if free_from is None else {FREE_FROM: free_from}),
            }
        )
    except InvalidData as error:
        problems = {**error.fields, **problems}
    if problems or terms is None or price is None:
        raise InvalidData("The zone has problems", fields=problems)
    return ZoneForm(name, towns, price, terms)


def parse_point_form(typed: Mapping[str, str]) -> PointForm:
    """Validate the typed form of a pickup point, and return its values.

    Raises:
        InvalidData: `fields` has a message for each field to correct.
    """
    problems: dict[str, str] = {}
    name, towns = _check_name(typed, problems), parse_town_codes(typed["towns"])
    if len(towns) != 1:
        problems["towns"] = _("Elige el municipio donde queda.")
    if not typed[ADDRESS]:
        problems[ADDRESS] = _("Escribe la dirección.")
    point = PickupPoint()
    try:
        point = parse_pickup_point(
            {ADDRESS: typed[ADDRESS], DANE_CODE: "".join(towns[:1]), SCHEDULE: _schedule_data(typed)}
        )
    except InvalidData as error:
        problems = {**error.fields, **problems}
    if problems:
        raise InvalidData("The pickup point has problems", fields=problems)
    return PointForm(name, point)


def parse_town_codes(text: str) -> tuple[str, ...]:
    """Return the codes of the municipalities in a text, without duplicates. Unknown codes are left out."""
    return tuple(code for code in dict.fromkeys(text.split()) if find_municipality_by_code(code))


def format_town_codes(codes: Sequence[str]) -> str:
    """Return the text from which `parse_town_codes` gets these codes."""
    return " ".join(codes)


def _check_name(typed: Mapping[str, str], problems: dict[str, str]) -> str:
    name = to_one_line(typed["name"])
    if not name or len(name) > MAX_NAME_LENGTH:
        problems["name"] = _("Escribe un nombre de máximo {n} letras.").format(n=MAX_NAME_LENGTH)
    return name


def _schedule_data(typed: Mapping[str, str]) -> JsonObject:
    return {
        "weekdays": [day for day, name in enumerate(DAY_FIELDS) if typed[name]],
        "from_hour": _parse_number(typed["from_hour"]),
        "to_hour": _parse_number(typed["to_hour"]),
        "on_holidays": bool(typed[HOLIDAYS]),
    }


def _parse_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 3 else None
