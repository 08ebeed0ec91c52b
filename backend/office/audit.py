"""Who did what, for people: a list with filters, the history of one thing, and the same as a file."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry, AuditPersonalValue, Thing
from backend.audit.labels import ACTIONS, FIELDS, IDS, LEFT_OUT, MONEY, THINGS
from backend.catalog.models import Category, Collection, Product, ProductTag, ProductType, Variant
from backend.catalog.price_lists.models import PriceList
from backend.channels.models import SalesChannel
from backend.content.areas import AREA_NAMES
from backend.core.dates import TIME_ZONE, day_begin, time_label
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.spreadsheet import BYTE_ORDER_MARK, lines
from backend.core.texts import _
from backend.customers.models import CustomerGroup
from backend.legal.texts import TITLES as LEGAL_TITLES
from backend.office.listing import ListView, active_filters, address_with, days_label, read_page
from backend.office.orders.detail import LABELS
from backend.office.orders.listing import DISPATCH_CHIPS, PAYMENT_CHIPS
from backend.office.settings.form import LABELS as SETTING_LABELS
from backend.office.settings.form import setting_text
from backend.office.settings.page import PROVIDER_NAMES, TRIAL_NAMES
from backend.office_settings.models import StoredSetting
from backend.orders.models import Order, RefundReason, ReturnReason
from backend.orders.states import LabelState
from backend.pqrs.models import Pqrs
from backend.promotions.models import Campaign, Promotion
from backend.returns.states import STATE_NAMES as RETURN_STATES
from backend.reviews.models import STATE_NAMES as REVIEW_STATES
from backend.shipping.models import ShippingOption, StockLocation
from backend.staff.actor_names import MACHINES, names_of
from backend.staff.models import SecretKey, Staff
from backend.staff.rights import ROLE_NAMES, Actor, Right

MOST_ROWS = 40
AT_ONCE = 500
"""Entries that are read at a time for a file."""
LONGEST = 200
"""Characters of a value that the list shows."""

FIELD_LABELS = {**FIELDS, **SETTING_LABELS}
VALUES: dict[str, dict[str, str]] = {
    "fulfillment_status": {status: words for status, (words, _tone) in DISPATCH_CHIPS.items()},
    "payment_status": {status: words for status, (words, _tone) in PAYMENT_CHIPS.items()},
    "role": {str(role): words for role, words in ROLE_NAMES.items()},
    "state": {
        LabelState.CREATED: _("Guía lista"),
        **{state: words for state, (words, _tone) in LABELS.items()},
        **{state.value: words for state, words in RETURN_STATES.items()},
        **{state.value: words for state, words in REVIEW_STATES.items()},
    },
    "status": {
        "active": _("activa"),
        "inactive": _("terminada"),
        "canceled": _("cancelado"),
        "draft": _("oculto"),
        "pending": _("en pie"),
        "proposed": _("oculto"),
        "published": _("publicado"),
        "rejected": _("oculto"),
    },
}
"""Labels of the values of these fields."""
NAMED: dict[str, tuple[Any, Any]] = {
    Thing.CAMPAIGN: (Campaign.id, Campaign.name),
    Thing.CATEGORY: (Category.id, Category.name),
    Thing.API_KEY: (SecretKey.id, SecretKey.title),
    Thing.COLLECTION: (Collection.id, Collection.title),
    Thing.CUSTOMER_GROUP: (CustomerGroup.id, CustomerGroup.name),
    Thing.LOCATION: (StockLocation.id, StockLocation.name),
    Thing.ORDER: (Order.id, Order.number),
    Thing.PQRS: (Pqrs.id, Pqrs.number),
    Thing.PRICE_LIST: (PriceList.id, PriceList.title),
    Thing.PRODUCT: (Product.id, Product.title),
    Thing.PRODUCT_TAG: (ProductTag.id, ProductTag.value),
    Thing.PRODUCT_TYPE: (ProductType.id, ProductType.value),
    Thing.REFUND_REASON: (RefundReason.id, RefundReason.label),
    Thing.RETURN_REASON: (ReturnReason.id, ReturnReason.label),
    Thing.PROMOTION: (Promotion.id, Promotion.code),
    Thing.SALES_CHANNEL: (SalesChannel.id, SalesChannel.name),
    Thing.SHIPPING_OPTION: (ShippingOption.id, ShippingOption.name),
    Thing.STAFF: (Staff.id, Staff.email),
}
"""Where the name of a thing stands, by the type of subject."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A field, and what it was before and after; both are empty where that is not kept or was deleted."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry. `sentence` says who did what; `subject` is the id that the list can be narrowed to."""

    id: str
    who: str
    actor_id: str
    sentence: str
    subject: str
    moment_label: str
    changes: list[ChangeView]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may have done something."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage(ListView):
    """Entries, the newest first. Its fields are those of `AuditFilter`.

    Attributes:
        people: who the list can be narrowed to.
        query: what is asked for, as the query of an address; empty for all entries.
    """

    rows: list[AuditRow]
    people: list[Person] = field(default_factory=list)
    query: str = ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is wanted: entries of one person, on one thing, and of these days in Colombia, both included."""

    actor_id: str = ""
    subject_id: str = ""
    since: str = ""
    until: str = ""


FILTER_FIELDS = tuple(one.name for one in fields(AuditFilter))


async def audit_entries(
    session: AsyncSession, actor: Actor, wanted: AuditFilter, cursor: str = ""
) -> AuditPage:
    """Who did what, the newest first.

    Raises:
        Forbidden: the actor may not see it.
        InvalidData: the cursor or a day is none.
    """
    actor.require(Right.READ_AUDIT)
    found, following = await _read(session, wanted, cursor, MOST_ROWS)
    staff = (await session.execute(select(Staff.id, Staff.email).order_by(Staff.email))).all()
    people = {str(one): str(email) for one, email in staff} | MACHINES
    asked = asdict(wanted)
    days = days_label(*(date.fromisoformat(day) if day else None for day in (wanted.since, wanted.until)))
    return AuditPage(
        rows=await _rows(session, found),
        cursor=following,
        asked=asked,
        active=active_filters(
            asked,
            (people.get(wanted.actor_id, wanted.actor_id), "actor_id"),
            (days, "since", "until"),
            (_("Todo lo que pasó con esto") if wanted.subject_id else "", "subject_id"),
        ),
        people=[Person(one, name) for one, name in people.items()],
        query=address_with(asked),
    )


async def audit_file(database: Database, actor: Actor, wanted: AuditFilter) -> AsyncIterator[str]:
    """The entries as a file for a spreadsheet, piece by piece; without personal values.

    Raises:
        Forbidden: the actor may not see them.
        InvalidData: a day is none.
    """
    actor.require(Right.READ_AUDIT)
    _days(wanted)
    yield BYTE_ORDER_MARK + lines(
        [("id", "when", "who", "did", "thing", "thing_id", "field", "before", "after")]
    )
    cursor, is_first = "", True
    while cursor or is_first:
        async with database.read() as session:
            found, cursor = await _read(session, wanted, cursor, AT_ONCE)
            people = await names_of(session, {entry.actor_id for entry in found})
        is_first = False
        yield lines(line for entry in found for line in _lines(entry, people))


def _lines(entry: AuditEntry, people: dict[str, str]) -> Iterable[tuple[object, ...]]:
    head = (
        entry.id,
        entry.created_at.astimezone(TIME_ZONE).isoformat(timespec="seconds"),
        people.get(entry.actor_id, entry.actor_id),
        entry.action,
        entry.subject_type,
        entry.subject_id,
    )
    for change in entry.changes or [{}]:
        name = " ".join(filter(None, (change.get("on"), change.get("field"))))
        yield (*head, name, _cell(change.get("before")), _cell(change.get("after")))


def _cell(value: Any) -> object:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)


async def _read(
    session: AsyncSession, wanted: AuditFilter, cursor: str, size: int
) -> tuple[list[AuditEntry], str]:
    query = select(AuditEntry)
    if wanted.actor_id:
        query = query.where(AuditEntry.actor_id == wanted.actor_id)
    if wanted.subject_id:
        query = query.where(AuditEntry.subject_id == wanted.subject_id)
    since, before = _days(wanted)
    if since is not None:
        query = query.where(AuditEntry.created_at >= since)
    if before is not None:
        query = query.where(AuditEntry.created_at < before)
    key = (AuditEntry.created_at, AuditEntry.id)
    found, following = await read_page(session, query, key, cursor, size, is_descending=True)
    return [entry for (entry,) in found], following


def _days(wanted: AuditFilter) -> tuple[datetime | None, datetime | None]:
    """The moments from which and before which an entry counts."""
    try:
        since = date.fromisoformat(wanted.since) if wanted.since else None
        until = date.fromisoformat(wanted.until) + timedelta(days=1) if wanted.until else None
    except (ValueError, OverflowError):
        raise InvalidData("A day is written YYYY-MM-DD") from None
    return (day_begin(since) if since else None, day_begin(until) if until else None)


async def _rows(session: AsyncSession, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    shown = {entry.id: _told(entry) for entry in entries}
    ids: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        ids[entry.subject_type].add(entry.subject_id)
        for _place, change in shown[entry.id]:
            if kind := IDS.get(change["field"]):
                ids[kind] |= {value for value in (change.get("before"), change.get("after")) if value}
    names = await _names(session, ids)
    people = await names_of(session, {entry.actor_id for entry in entries})
    personal: dict[tuple[str, int], tuple[Any, Any]] = {}
    kept = select(AuditPersonalValue).where(AuditPersonalValue.entry_id.in_([entry.id for entry in entries]))
    for value in (await session.execute(kept)).scalars():
        personal[value.entry_id, value.place] = (value.before, value.after)
    rows = []
    for entry in entries:
        who = people.get(entry.actor_id, entry.actor_id)
        rows.append(
            AuditRow(
                id=entry.id,
                who=who,
                actor_id=entry.actor_id,
                sentence=f"{ACTIONS.get(entry.action, entry.action)} {_thing(entry, names)}",
                subject=entry.subject_id,
                moment_label=time_label(entry.created_at),
                changes=[
                    _change(change, personal.get((entry.id, place)), names)
                    for place, change in shown[entry.id]
                ],
            )
        )
    return rows


def _told(entry: AuditEntry) -> list[tuple[int, dict[str, Any]]]:
    """The changes that people are told, with their places: not that a part belongs to the thing itself."""
    return [
        (place, change)
        for place, change in enumerate(entry.changes)
        if change["field"] not in LEFT_OUT
        and not (_setting_of(change) and change["field"] == "name")
        and not (change["field"] in IDS and entry.subject_id in (change.get("before"), change.get("after")))
    ]


def _thing(entry: AuditEntry, names: dict[tuple[str, str], str]) -> str:
    text = THINGS.get(Thing(entry.subject_type)) if entry.subject_type in tuple(Thing) else None
    name = names.get((entry.subject_type, entry.subject_id), entry.subject_id)
    return (text or entry.subject_type).format(name=name)


def _change(
    change: dict[str, Any], personal: tuple[Any, Any] | None, names: dict[tuple[str, str], str]
) -> ChangeView:
    name = change["field"]
    before, after = personal or (change.get("before"), change.get("after"))
    if setting := _setting_of(change):
        shown = (setting_text(setting, str(value or "")) for value in (before, after))
        return ChangeView(FIELD_LABELS.get(setting, setting), *shown)
    if kind := IDS.get(name):
        before, after = (names.get((kind, value), value) if value else value for value in (before, after))
    return ChangeView(FIELD_LABELS.get(name, name), _value(name, before), _value(name, after))


def _setting_of(change: dict[str, Any]) -> str:
    """The name of the setting whose row was changed; empty for other rows."""
    table, _colon, key = str(change.get("on") or "").partition(":")
    return key if table == StoredSetting.__tablename__ else ""


def _value(name: str, value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return _("sí") if value else _("no")
    if isinstance(value, str) and value in VALUES.get(name, {}):
        return VALUES[name][value]
    if name in MONEY and isinstance(value, int):
        return format_cop(value)
    if name.endswith("_at") and isinstance(value, str):
        return time_label(datetime.fromisoformat(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


async def _names(session: AsyncSession, ids: Mapping[str, set[str]]) -> dict[tuple[str, str], str]:
    """What things are called, by their kind and id."""
    names: dict[tuple[str, str], str] = {}
    for kind, (key, name) in NAMED.items():
        if wanted := ids.get(kind):
            found = await session.execute(select(key, name).where(key.in_(wanted)))
            names.update({(kind, one): str(said) for one, said in found})
    if wanted := ids.get(Thing.VARIANT):
        titles = select(Variant.id, Product.title).join(Product, Product.id == Variant.product_id)
        found = await session.execute(titles.where(Variant.id.in_(wanted)))
        names.update({(Thing.VARIANT, one): title for one, title in found})
    names.update({(Thing.CONTENT, area): name for area, name in AREA_NAMES.items()})
    names.update({(Thing.PROVIDER, one): name for one, name in (PROVIDER_NAMES | TRIAL_NAMES).items()})
    names.update({(Thing.LEGAL_TEXT, kind): title for kind, title in LEGAL_TITLES.items()})
    return names
