"""View of the screen Entregas: the zones of own delivery, and the pickup points."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.business_days import load_holidays
from backend.core.clock import now
from backend.core.config.modules import OWN_DELIVERY
from backend.core.config.settings import Settings
from backend.core.dates import hour_label, weekday_name
from backend.core.money import format_cop, format_typed_cop
from backend.core.texts import _, format_count
from backend.office.deliveries.form import DAY_FIELDS, format_town_codes
from backend.office.deliveries.saving import format_version
from backend.office_settings import read_effective_settings
from backend.shipping.delivery_promise import build_delivery_terms, promise_delivery
from backend.shipping.models import ServiceZone, ShippingOption
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.offered_options import OLDEST_FIRST, get_cheaper_key
from backend.shipping.promise_texts import describe_offer
from backend.shipping.provider_switches import list_disabled_providers
from backend.shipping.providers.base import Quote
from backend.shipping.terms.own_delivery import (
    ADDRESS,
    CUTOFF_HOUR,
    DELIVERY_DAYS,
    FREE_FROM,
    ZoneTerms,
    describe_option,
    is_own_delivery,
    is_pickup,
    parse_zone_terms,
    read_pickup_point,
)
from backend.shipping.terms.weekly_schedules import MAX_HOUR, WeeklySchedule
from backend.staff.rights import Actor, Right

MAX_SHOWN_TOWNS = 6
"""Maximum number of municipalities that a zone's line names; the others are counted."""
USUAL_SCHEDULE = WeeklySchedule((0, 1, 2, 3, 4, 5), 9, 18)
USUAL_CUTOFF_HOUR = 11
NEW = "new"
NEW_POINT = "new-point"
"""Ids of the forms of a new zone and of a new pickup point."""


@dataclass(frozen=True, slots=True)
class TownTag:
    """A municipality in a form. `label` includes the name of its department."""

    code: str
    label: str


@dataclass(frozen=True, slots=True)
class DayTick:
    """The checkbox of a day of the week."""

    name: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class DeliveryForm:
    """The initial values of a form.

    Attributes:
        id: the id of the shipping option, `NEW` or `NEW_POINT`.
        texts: the typed fields by name; `towns` has the codes of the municipalities.
        version: see `backend.office.deliveries.saving.format_version`.
    """

    id: str
    texts: dict[str, str]
    days: list[DayTick]
    on_holidays: bool
    version: str = ""


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A zone of own delivery or a pickup point.

    Attributes:
        where: its municipalities or its address, in one line.
        price: its price, with the amount from which it is free.
        when: its days and hours.
        promise: the promise to a customer who pays now; empty without a promise.
        warning: a warning or a request to complete data; empty if there is none.
    """

    id: str
    name: str
    where: str
    price: str
    when: str
    promise: str
    warning: str
    form: DeliveryForm


@dataclass(frozen=True, slots=True)
class DeliveriesPage:
    """Content of the screen Entregas. `warning` says why customers cannot choose own delivery; empty if they can."""

    zones: list[DeliveryRow]
    points: list[DeliveryRow]
    new_zone: DeliveryForm
    new_point: DeliveryForm
    warning: str


async def deliveries_page(
    session: AsyncSession, actor: Actor, settings: Settings, running: Collection[str]
) -> DeliveriesPage:
    """Return the content of the screen Entregas. `running` are the ids of this process's fulfillment providers.

    Raises:
        Forbidden: the actor may not see shipping options.
    """
    actor.require(Right.READ_SETTINGS)
    query = (
        select(ShippingOption, ServiceZone)
        .join(ServiceZone, ServiceZone.id == ShippingOption.service_zone_id)
        .where(ShippingOption.deleted_at.is_(None))
        .order_by(*OLDEST_FIRST)
    )
    found = [(option, zone) for option, zone in (await session.execute(query)).all()]
    zones = [one for one in found if is_own_delivery(one[0])]
    effective = await read_effective_settings(session, settings)
    await load_holidays()
    is_off = OWN_DELIVERY in await list_disabled_providers(session)
    warning = ""
    if zones and (is_off or OWN_DELIVERY not in running):
        warning = _("La entrega propia está apagada: nadie la puede elegir. Enciéndela en Ajustes.")
    return DeliveriesPage(
        zones=[_zone_row(*one, zones, effective) for one in zones],
        points=[_point_row(*one, effective) for one in found if is_pickup(one[0])],
        new_zone=_build_form(NEW, {}, USUAL_SCHEDULE, ()),
        new_point=_new_point_form([option for option, _zone in found if is_pickup(option)], effective),
        warning=warning,
    )


def build_tags(codes: Sequence[str]) -> list[TownTag]:
    """Return the municipalities of a form; unknown codes are left out."""
    towns = [find_municipality_by_code(code) for code in codes]
    return [TownTag(town.code, f"{town.name}, {town.department}") for town in towns if town]


def list_hours() -> list[tuple[str, str]]:
    """Return the hours that a form offers, each as value and label."""
    return [(str(hour), hour_label(hour)) for hour in range(MAX_HOUR + 1)]


def describe_overlaps(
    option: ShippingOption, zone: ServiceZone, zones: Sequence[tuple[ShippingOption, ServiceZone]]
) -> str:
    """Return the warning about municipalities that are also in another zone; empty if there are none."""
    for other, other_zone in zones:
        common = sorted(set(zone.municipality_codes) & set(other_zone.municipality_codes))
        if other.id == option.id or not common:
            continue
        wins = min((option, other), key=get_cheaper_key)
        return _("{towns}: también en la zona «{other}». Se ofrece «{cheaper}», la más barata.").format(
            towns=_join_towns(common), other=other.name, cheaper=wins.name
        )
    return ""


def _zone_row(
    option: ShippingOption,
    zone: ServiceZone,
    zones: Sequence[tuple[ShippingOption, ServiceZone]],
    settings: Settings,
) -> DeliveryRow:
    terms, price = parse_zone_terms(option.data), option.amount or 0
    price_label = format_cop(price) if price else _("Gratis")
    if price and terms.free_from is not None:
        price_label = _("{price} · gratis desde {from_price}").format(
            price=price_label, from_price=format_cop(terms.free_from)
        )
    codes = zone.municipality_codes
    return DeliveryRow(
        id=option.id,
        name=option.name,
        where=_join_towns(codes) if codes else _("Todo el país"),
        price=price_label,
        when=describe_option(option),
        promise=_describe_promise(option, settings),
        warning=describe_overlaps(option, zone, zones),
        form=_build_form(
            option.id,
            {"name": option.name, "price": format_typed_cop(price), **_zone_texts(terms)},
            terms.schedule,
            codes,
            format_version(option, zone),
        ),
    )


def _new_point_form(points: Sequence[ShippingOption], settings: Settings) -> DeliveryForm:
    """Return the form of a new pickup point. If no point has an address yet, it contains the warehouse's address."""
    is_first = not any(read_pickup_point(option).address for option in points)
    texts = {ADDRESS: settings.carrier_origin_address} if is_first else {}
    return _build_form(NEW_POINT, texts, USUAL_SCHEDULE, _warehouse_towns(settings) if is_first else ())


def _warehouse_towns(settings: Settings) -> list[str]:
    code = settings.carrier_origin_dane_code
    return [code] if find_municipality_by_code(code) else []


def _point_row(option: ShippingOption, zone: ServiceZone, settings: Settings) -> DeliveryRow:
    point = read_pickup_point(option)
    is_complete = point.address and point.schedule
    return DeliveryRow(
        id=option.id,
        name=option.name,
        where=point.address_label,
        price=format_cop(option.amount) if option.amount else _("Gratis"),
        when=point.hours_label,
        promise=_describe_promise(option, settings),
        warning="" if is_complete else _("Falta la dirección o el horario: quien compra todavía no los ve."),
        form=_build_form(
            option.id,
            {"name": option.name, ADDRESS: point.address or settings.carrier_origin_address},
            point.schedule or USUAL_SCHEDULE,
            [point.dane_code] if point.dane_code else _warehouse_towns(settings),
            format_version(option, zone),
        ),
    )


def _zone_texts(terms: ZoneTerms) -> dict[str, str]:
    return {
        FREE_FROM: "" if terms.free_from is None else format_typed_cop(terms.free_from),
        DELIVERY_DAYS: str(terms.delivery_days),
        CUTOFF_HOUR: str(terms.cutoff_hour),
    }


def _build_form(
    form_id: str,
    texts: Mapping[str, str],
    schedule: WeeklySchedule,
    codes: Sequence[str],
    version: str = "",
) -> DeliveryForm:
    usual = {
        "name": "",
        "price": "",
        ADDRESS: "",
        FREE_FROM: "",
        DELIVERY_DAYS: "0",
        CUTOFF_HOUR: str(USUAL_CUTOFF_HOUR),
        "from_hour": str(schedule.from_hour),
        "to_hour": str(schedule.to_hour),
        "towns": format_town_codes(codes),
    }
    return DeliveryForm(
        id=form_id,
        texts={**usual, **texts},
        days=[
            DayTick(name, weekday_name(day).capitalize(), day in schedule.weekdays)
            for day, name in enumerate(DAY_FIELDS)
        ],
        on_holidays=schedule.on_holidays,
        version=version,
    )


def _describe_promise(option: ShippingOption, settings: Settings) -> str:
    moment = now()
    terms = build_delivery_terms(settings, option, Quote(amount=option.amount or 0))
    promise = promise_delivery(moment, terms)
    return "" if promise is None else describe_offer(promise, moment, is_pickup=is_pickup(option))


def _join_towns(codes: Sequence[str]) -> str:
    names = [town.name for code in codes if (town := find_municipality_by_code(code))]
    more = len(names) - MAX_SHOWN_TOWNS
    shown = ", ".join(names[:MAX_SHOWN_TOWNS])
    if more <= 0:
        return shown
    return f"{shown} {format_count(more, _('y 1 más'), _('y {n} más'))}"
