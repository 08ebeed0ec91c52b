"""The audit log in the office: a list with filters, the history of one subject, and an export to a file."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry, AuditPersonalValue, SubjectType
from backend.audit.labels import (
    ACTION_LABELS,
    AUDITED_FIELD_LABELS,
    HIDDEN_FIELDS,
    ID_FIELDS,
    MONEY_FIELDS,
    PICKUP_ACTION_LABELS,
    SUBJECT_LABELS,
)
from backend.catalog.models import Category, Collection, Product, ProductTag, ProductType, Variant
from backend.catalog.price_lists.models import PriceList
from backend.channels.models import SalesChannel
from backend.content.areas import AREA_NAMES
from backend.core.dates import TIME_ZONE, day_begin, time_label
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.spreadsheet import format_csv_for_people
from backend.core.texts import _
from backend.customers.models import CustomerGroup
from backend.legal.texts import TITLES as LEGAL_TITLES
from backend.office.listing import ListView, active_filters, days_label, filters_url, read_page
from backend.office.settings.form import LABELS as SETTING_LABELS
from backend.office.settings.form import format_setting
from backend.office.settings.page import PROVIDER_NAMES, TRIAL_NAMES
from backend.office_settings.models import StoredSetting
from backend.orders.delivery_kinds import DeliveryKind, read_delivery_kinds
from backend.orders.models import Order, RefundReason, ReturnReason
from backend.orders.state_labels import (
    FULFILLMENT_LABELS,
    LABEL_LABELS,
    PACKING_LABELS,
    PAYMENT_LABELS,
)
from backend.orders.state_labels import PICKUP_LABELS as PICKUP_STATUS_LABELS
from backend.pqrs.models import Pqrs
from backend.promotions.models import Campaign, Promotion
from backend.returns.states import STATE_NAMES as RETURN_STATES
from backend.reviews.models import STATE_NAMES as REVIEW_STATES
from backend.shipping.models import ShippingOption, StockLocation
from backend.staff.actor_names import MACHINES, actor_names
from backend.staff.models import SecretKey, Staff, StaffRole
from backend.staff.rights import ROLE_NAMES, Actor, Right

PAGE_SIZE = 40
BATCH_SIZE = 500
"""Entries per query when a file is written."""
MAX_VALUE_LENGTH = 200
"""Maximum number of characters of a value in the list."""

FIELD_LABELS = {**AUDITED_FIELD_LABELS, **SETTING_LABELS}
VALUES: dict[str, dict[str, str]] = {
    "fulfillment_status": {**FULFILLMENT_LABELS},
    "payment_status": {**PAYMENT_LABELS},
    "role": {str(role): words for role, words in ROLE_NAMES.items()},
    "state": {
        **LABEL_LABELS,
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
"""Labels of stored values, by field and value."""
NAME_COLUMNS: dict[str, tuple[Any, Any]] = {
    SubjectType.CAMPAIGN: (Campaign.id, Campaign.name),
    SubjectType.CATEGORY: (Category.id, Category.name),
    SubjectType.API_KEY: (SecretKey.id, SecretKey.title),
    SubjectType.COLLECTION: (Collection.id, Collection.title),
    SubjectType.CUSTOMER_GROUP: (CustomerGroup.id, CustomerGroup.name),
    SubjectType.LOCATION: (StockLocation.id, StockLocation.name),
    SubjectType.ORDER: (Order.id, Order.number),
    SubjectType.PQRS: (Pqrs.id, Pqrs.number),
    SubjectType.PRICE_LIST: (PriceList.id, PriceList.title),
    SubjectType.PRODUCT: (Product.id, Product.title),
    SubjectType.PRODUCT_TAG: (ProductTag.id, ProductTag.value),
    SubjectType.PRODUCT_TYPE: (ProductType.id, ProductType.value),
    SubjectType.REFUND_REASON: (RefundReason.id, RefundReason.label),
    SubjectType.RETURN_REASON: (ReturnReason.id, ReturnReason.label),
    SubjectType.PROMOTION: (Promotion.id, Promotion.code),
    SubjectType.SALES_CHANNEL: (SalesChannel.id, SalesChannel.name),
    SubjectType.SHIPPING_OPTION: (ShippingOption.id, ShippingOption.name),
    SubjectType.STAFF: (Staff.id, Staff.email),
    SubjectType.STAFF_ROLE: (StaffRole.id, StaffRole.name),
}
"""Columns with the id and the name of a subject, by subject type."""


@dataclass(frozen=True, slots=True)
class EntryLabels:
    """Labels of the actions, fields and values of an entry."""

    actions: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]


DEFAULT_LABELS = EntryLabels(ACTION_LABELS, FIELD_LABELS, VALUES)
PICKUP_LABELS = EntryLabels(
    PICKUP_ACTION_LABELS,
    {
        **FIELD_LABELS,
        "delivered_at": _("Recogido"),
        "fulfillment_status": _("Empaque"),
        "shipped_at": _("Listo para recoger"),
        "shipping_address": _("Datos de quien recoge"),
    },
    {
        **VALUES,
        "fulfillment_status": PICKUP_STATUS_LABELS,
        "state": {**VALUES["state"], **PACKING_LABELS},
    },
)
"""Labels of the entries of an order that its customer collects in the shop."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A changed field with its values before and after; empty texts if the audit log does not have them."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry of the audit log.

    `sentence` is the action and its subject in words; `subject` is the id by which the list can be filtered.
    """

    id: str
    actor_name: str
    actor_id: str
    sentence: str
    subject: str
    moment_label: str
    changes: list[ChangeView]


@dataclass(frozen=True, slots=True)
class AuditActor:
    """An actor by whom the audit log can be filtered."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage(ListView):
    """Entries of the audit log, the newest first. The filters of the list are the fields of `AuditFilter`.

    Attributes:
        actors: the actors by whom the list can be filtered.
        query: the filters as the query of a URL; empty for all entries.
    """

    rows: list[AuditRow]
    actors: list[AuditActor] = field(default_factory=list)
    query: str = ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filters of the audit log: one actor, one subject, and a period of days in Colombia (both days included)."""

    actor_id: str = ""
    subject_id: str = ""
    since: str = ""
    until: str = ""


FILTER_FIELDS = tuple(one.name for one in fields(AuditFilter))


async def audit_entries(
    session: AsyncSession, actor: Actor, audit_filter: AuditFilter, cursor: str = ""
) -> AuditPage:
    """Return a page of audit entries, the newest first.

    Raises:
        Forbidden: the actor may not see the audit log.
        InvalidData: the cursor or a day is invalid.
    """
    actor.require(Right.READ_AUDIT)
    found, following = await _read_entries(session, audit_filter, cursor, PAGE_SIZE)
    staff = (await session.execute(select(Staff.id, Staff.email).order_by(Staff.email))).all()
    actors = {str(one): str(email) for one, email in staff} | MACHINES
    filters = asdict(audit_filter)
    days = days_label(
        *(date.fromisoformat(day) if day else None for day in (audit_filter.since, audit_filter.until))
    )
    return AuditPage(
        rows=await _audit_rows(session, found),
        cursor=following,
        filters=filters,
        active=active_filters(
            filters,
            (actors.get(audit_filter.actor_id, audit_filter.actor_id), "actor_id"),
            (days, "since", "until"),
            (_("Todo lo que pasó con esto") if audit_filter.subject_id else "", "subject_id"),
        ),
        actors=[AuditActor(one, name) for one, name in actors.items()],
        query=filters_url(filters),
    )


async def audit_file(database: Database, actor: Actor, audit_filter: AuditFilter) -> AsyncIterator[str]:
    """Yield the parts of a CSV file with the filtered audit entries, without the values of personal data.

    Raises:
        Forbidden: the actor may not see the audit log.
        InvalidData: a day is invalid.
    """
    actor.require(Right.READ_AUDIT)
    _parse_period(audit_filter)
    head = ("id", "when", "who", "did", "thing", "thing_id", "field", "before", "after")
    yield format_csv_for_people([head], is_beginning=True)
    cursor, is_first = "", True
    while cursor or is_first:
        async with database.read() as session:
            found, cursor = await _read_entries(session, audit_filter, cursor, BATCH_SIZE)
            actors = await actor_names(session, {entry.actor_id for entry in found})
        is_first = False
        lines = [line for entry in found for line in _csv_rows(entry, actors)]
        yield format_csv_for_people(lines, is_beginning=False)


def _csv_rows(entry: AuditEntry, actors: dict[str, str]) -> Iterable[tuple[object, ...]]:
    head = (
        entry.id,
        entry.created_at.astimezone(TIME_ZONE).isoformat(timespec="seconds"),
        actors.get(entry.actor_id, entry.actor_id),
        entry.action,
        entry.subject_type,
        entry.subject_id,
    )
    for change in entry.changes or [{}]:
        name = " ".join(filter(None, (change.get("on"), change.get("field"))))
        yield (*head, name, _csv_cell(change.get("before")), _csv_cell(change.get("after")))


def _csv_cell(value: Any) -> object:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)


async def _read_entries(
    session: AsyncSession, audit_filter: AuditFilter, cursor: str, size: int
) -> tuple[list[AuditEntry], str]:
    query = select(AuditEntry)
    if audit_filter.actor_id:
        query = query.where(AuditEntry.actor_id == audit_filter.actor_id)
    if audit_filter.subject_id:
        query = query.where(AuditEntry.subject_id == audit_filter.subject_id)
    since, before = _parse_period(audit_filter)
    if since is not None:
        query = query.where(AuditEntry.created_at >= since)
    if before is not None:
        query = query.where(AuditEntry.created_at < before)
    key = (AuditEntry.created_at, AuditEntry.id)
    found, following = await read_page(session, query, key, cursor, size, is_descending=True)
    return [entry for (entry,) in found], following


def _parse_period(audit_filter: AuditFilter) -> tuple[datetime | None, datetime | None]:
    """Return the times at which the filter's period begins and ends.

    A time is None if the period has no first or no final day.
    """
    try:
        since = date.fromisoformat(audit_filter.since) if audit_filter.since else None
        until = date.fromisoformat(audit_filter.until) + timedelta(days=1) if audit_filter.until else None
    except (ValueError, OverflowError):
        raise InvalidData("A day is written YYYY-MM-DD") from None
    return (day_begin(since) if since else None, day_begin(until) if until else None)


async def _audit_rows(session: AsyncSession, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    shown = {entry.id: _visible_changes(entry) for entry in entries}
    ids: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        ids[entry.subject_type].add(entry.subject_id)
        for _place, change in shown[entry.id]:
            if kind := ID_FIELDS.get(change["field"]):
                ids[kind] |= {value for value in (change.get("before"), change.get("after")) if value}
    names = await _subject_names(session, ids)
    pickups = await _find_pickup_orders(session, ids.get(SubjectType.ORDER, set()))
    actors = await actor_names(session, {entry.actor_id for entry in entries})
    personal: dict[tuple[str, int], tuple[Any, Any]] = {}
    personal_values = select(AuditPersonalValue).where(
        AuditPersonalValue.entry_id.in_([entry.id for entry in entries])
    )
    for value in (await session.execute(personal_values)).scalars():
        personal[value.entry_id, value.place] = (value.before, value.after)
    rows = []
    for entry in entries:
        actor_name = actors.get(entry.actor_id, entry.actor_id)
        labels = PICKUP_LABELS if entry.subject_id in pickups else DEFAULT_LABELS
        rows.append(
            AuditRow(
                id=entry.id,
                actor_name=actor_name,
                actor_id=entry.actor_id,
                sentence=f"{labels.actions.get(entry.action, entry.action)} {_subject_text(entry, names)}",
                subject=entry.subject_id,
                moment_label=time_label(entry.created_at),
                changes=[
                    _change_view(change, personal.get((entry.id, place)), names, labels)
                    for place, change in shown[entry.id]
                ],
            )
        )
    return rows


def _visible_changes(entry: AuditEntry) -> list[tuple[int, dict[str, Any]]]:
    """Return the changes to show, each with its position in `entry.changes`.

    Leave out hidden fields, and ids that only link a row to the subject of the entry.
    """
    return [
        (place, change)
        for place, change in enumerate(entry.changes)
        if change["field"] not in HIDDEN_FIELDS
        and not (_setting_name(change) and change["field"] == "name")
        and not (
            change["field"] in ID_FIELDS and entry.subject_id in (change.get("before"), change.get("after"))
        )
    ]


def _subject_text(entry: AuditEntry, names: dict[tuple[str, str], str]) -> str:
    text = (
        SUBJECT_LABELS.get(SubjectType(entry.subject_type))
        if entry.subject_type in tuple(SubjectType)
        else None
    )
    name = names.get((entry.subject_type, entry.subject_id), entry.subject_id)
    return (text or entry.subject_type).format(name=name)


def _change_view(
    change: dict[str, Any],
    personal: tuple[Any, Any] | None,
    names: dict[tuple[str, str], str],
    labels: EntryLabels,
) -> ChangeView:
    name = change["field"]
    before, after = personal or (change.get("before"), change.get("after"))
    if setting := _setting_name(change):
        shown = (format_setting(setting, str(value or "")) for value in (before, after))
        return ChangeView(FIELD_LABELS.get(setting, setting), *shown)
    if kind := ID_FIELDS.get(name):
        before, after = (names.get((kind, value), value) if value else value for value in (before, after))
    shown = (_value_text(name, value, labels) for value in (before, after))
    return ChangeView(labels.fields.get(name, name), *shown)


def _setting_name(change: dict[str, Any]) -> str:
    """Return the name of the setting that was changed; empty if the change is not about a setting."""
    table, _colon, key = str(change.get("on") or "").partition(":")
    return key if table == StoredSetting.__tablename__ else ""


def _value_text(name: str, value: Any, labels: EntryLabels) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return _("sí") if value else _("no")
    if isinstance(value, str) and (label := labels.values.get(name, {}).get(value)):
        return label
    if name in MONEY_FIELDS and isinstance(value, int):
        return format_cop(value)
    if name.endswith("_at") and isinstance(value, str):
        return time_label(datetime.fromisoformat(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


async def _find_pickup_orders(session: AsyncSession, order_ids: set[str]) -> set[str]:
    """Return the ids in `order_ids` whose orders are picked up by their customers."""
    if not order_ids:
        return set()
    orders = (await session.execute(select(Order).where(Order.id.in_(order_ids)))).scalars().all()
    kinds = await read_delivery_kinds(session, orders)
    return {order_id for order_id, kind in kinds.items() if kind is DeliveryKind.PICKUP}


async def _subject_names(session: AsyncSession, ids: Mapping[str, set[str]]) -> dict[tuple[str, str], str]:
    """Return the names of audited subjects by their type and id. `ids` has the ids by type."""
    names: dict[tuple[str, str], str] = {}
    for kind, (key, name) in NAME_COLUMNS.items():
        if audit_filter := ids.get(kind):
            found = await session.execute(select(key, name).where(key.in_(audit_filter)))
            names.update({(kind, one): str(text) for one, text in found})
    if audit_filter := ids.get(SubjectType.VARIANT):
        titles = select(Variant.id, Product.title).join(Product, Product.id == Variant.product_id)
        found = await session.execute(titles.where(Variant.id.in_(audit_filter)))
        names.update({(SubjectType.VARIANT, one): title for one, title in found})
    names.update({(SubjectType.CONTENT, area): name for area, name in AREA_NAMES.items()})
    names.update({(SubjectType.PROVIDER, one): name for one, name in (PROVIDER_NAMES | TRIAL_NAMES).items()})
    names.update({(SubjectType.LEGAL_TEXT, kind): title for kind, title in LEGAL_TITLES.items()})
    return names
