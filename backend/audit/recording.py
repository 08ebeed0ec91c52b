"""Recording of actions, in the transaction that carries them out.

All actions are recorded by `record`. From that call until the transaction ends or another entry begins, all changes
of the session's objects are added to the entry automatically: field, value before, value after. Changes made by SQL
statements must be passed as `changes`. The entries are inserted just before the commit, so they exist if and only
if the action was committed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from sqlalchemy import delete, event, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from backend.audit.models import AuditEntry, AuditPersonalValue
from backend.audit.values import SECRET_COLUMNS, UNRECORDED, as_json, is_personal
from backend.core.db.database import db_now
from backend.core.db.tables import JsonObject, table_of
from backend.core.db.transaction_values import register_transaction_values
from backend.core.ids import new_id
from backend.presses.service import use_press


class SubjectType(StrEnum):
    """The type of an audited object."""

    API_KEY = "api_key"
    ATTENTION = "attention"
    CAMPAIGN = "campaign"
    CATALOG = "catalog"
    CATEGORY = "category"
    COLLECTION = "collection"
    CONTENT = "content"
    CUSTOMER = "customer"
    CUSTOMER_GROUP = "customer_group"
    DAY_CLOSING = "day_closing"
    DRAFT_ORDER = "draft_order"
    EXPORT = "data_export"
    FULFILLMENT_SET = "fulfillment_set"
    INVITATION = "invitation"
    LEGAL_TEXT = "legal_text"
    LOCATION = "stock_location"
    ORDER = "order"
    PAYMENT = "payment"
    PQRS = "pqrs"
    PRICE_LIST = "price_list"
    PRODUCT = "product"
    PRODUCT_TAG = "product_tag"
    PRODUCT_TYPE = "product_type"
    REFUND_REASON = "refund_reason"
    PROMOTION = "promotion"
    PROVIDER = "provider"
    REDIRECT = "url_redirect"
    REGION = "region"
    RETURN_REASON = "return_reason"
    REVIEW = "review"
    SALES_CHANNEL = "sales_channel"
    SERVICE_ZONE = "service_zone"
    SETTINGS = "settings"
    SHIPPING_OPTION = "shipping_option"
    STAFF = "staff"
    STAFF_ROLE = "staff_role"
    VARIANT = "variant"
    WEBHOOK = "webhook"


class Subject(NamedTuple):
    """An audited object, by type and id.

    Actions on parts of an order (fulfillments, refunds) are recorded on the order.
    """

    type: SubjectType
    id: str


class AuditActor(Protocol):
    """A person or process that acts, such as a `backend.staff.rights.Actor`."""

    @property
    def id(self) -> str:
        """Id of a staff member, or the name of an automatic process."""


@dataclass(frozen=True, slots=True)
class Requester:
    """The actor of a job: the staff member who requested it. Their right was checked when they requested it."""

    id: str


Change = tuple[Any, Any]
"""The value before, and the value after."""

_ENTRIES = "audit.entries"
register_transaction_values(_ENTRIES)


@dataclass(slots=True)
class _Entry:
    actor_id: str
    action: str
    subject: Subject
    changes: dict[tuple[str, str], Change] = field(default_factory=dict)
    """Changes by row (an empty text for the subject itself) and field."""
    personal: set[tuple[str, str]] = field(default_factory=set)
    secret: set[tuple[str, str]] = field(default_factory=set)

    def note(self, on: str, name: str, change: Change) -> None:
        """Add a change of a field.

        If the field changes several times, the entry keeps the value before the first change.
        """
        key = (on, name)
        before, after = change
        self.changes[key] = (self.changes[key][0] if key in self.changes else as_json(before), as_json(after))

    def drop_unchanged(self) -> None:
        """Remove changes whose value is the same before and after.

        Changes of secret fields are kept: their values are never stored here, so both are None.
        """
        self.changes = {
            key: change
            for key, change in self.changes.items()
            if key in self.secret or change[0] != change[1]
        }


async def record(
    session: AsyncSession,
    actor: AuditActor,
    action: str,
    subject: Subject,
    changes: Mapping[str, Change] | None = None,
    *,
    personal: Mapping[str, Change] | None = None,
) -> None:
    """Record that the actor performs this action on the subject, in the session's transaction.

    Call this before changing the subject: later changes of the session's objects are added to the entry
    automatically.

    Args:
        session: the transaction of the action.
        actor: the person or process that acts.
        action: what was done, such as `changed`; `backend.audit.labels` has a label for each.
        subject: the object of the action.
        changes: the values before and after, by field, of changes made by SQL statements. They must not
            contain personal data.
        personal: like `changes`, for personal data. These values can be deleted later.

    Raises:
        PressUsed: an earlier request has already executed this press of a button (`backend.presses.service`).
    """
    await use_press(session, subject.id)
    entries: list[_Entry] = session.info.setdefault(_ENTRIES, [])
    if entries:
        await session.flush()  # changes until now belong to the previous entry
    entry = _Entry(actor.id, action, subject)
    for name, change in (changes or {}).items():
        entry.note("", name, change)
    for name, change in (personal or {}).items():
        entry.note("", name, change)
        entry.personal.add(("", name))
    entries.append(entry)


async def forget_personal_values(session: AsyncSession, actor: AuditActor, subject: Subject) -> int:
    """Delete the personal values of all entries on the subject. The entries stay, and one is added for this deletion.

    Returns:
        The number of deleted values.
    """
    entries = select(_ENTRY.c.id).where(
        _ENTRY.c.subject_type == subject.type, _ENTRY.c.subject_id == subject.id
    )
    deleted_rows = await session.execute(
        delete(_PERSONAL).where(_PERSONAL.c.entry_id.in_(entries)).returning(_PERSONAL.c.entry_id)
    )
    count = len(deleted_rows.all())
    await record(session, actor, "personal values deleted", subject, {"values": (count, 0)})
    return count


_ENTRY, _PERSONAL = table_of(AuditEntry), table_of(AuditPersonalValue)
_INSERT = insert(_ENTRY).values(created_at=db_now())
_INSERT_PERSONAL = insert(_PERSONAL)


@event.listens_for(Session, "before_flush")
def _note_changed_rows(session: Session, _context: object, _instances: object) -> None:
    entries: list[_Entry] = session.info.get(_ENTRIES, [])
    if not entries:
        return
    entry = entries[-1]
    for row in session.new:
        _note_row(entry, row, is_new=True)
    for row in session.dirty:
        if session.is_modified(row):
            _note_row(entry, row)
    for row in session.deleted:
        _note_row(entry, row, is_gone=True)


def _note_row(entry: _Entry, row: Any, *, is_new: bool = False, is_gone: bool = False) -> None:
    table = str(row.__tablename__)
    state = inspect(row)
    on = "" if getattr(row, "id", None) == entry.subject.id else f"{table}:{_primary_key(row)}"
    for attribute in state.mapper.column_attrs:
        name = attribute.key
        if name in UNRECORDED:
            continue
        value = state.dict.get(name)
        if is_new or is_gone:
            if not value:
                continue
            change = (None, value) if is_new else (value, None)
        else:
            history = state.attrs[name].history
            if not history.has_changes():
                continue
            change = (history.deleted[0] if history.deleted else None, value)
        if name in SECRET_COLUMNS:
            change = (None, None)
            entry.secret.add((on, name))
        elif is_personal(table, name):
            entry.personal.add((on, name))
        entry.note(on, name, change)


def _primary_key(row: Any) -> str:
    return ",".join(str(getattr(row, column.key)) for column in inspect(type(row)).primary_key)


@event.listens_for(Session, "before_commit")
def _insert_entries(session: Session) -> None:
    if not session.info.get(_ENTRIES) or session.in_nested_transaction():
        return
    session.flush()
    rows: list[JsonObject] = []
    personal: list[JsonObject] = []
    for entry in session.info.pop(_ENTRIES):
        entry.drop_unchanged()
        entry_id = new_id("audit")
        rows.append({
            "id": entry_id,
            "actor_id": entry.actor_id,
            "action": entry.action,
            "subject_type": entry.subject.type,
            "subject_id": entry.subject.id,
            "changes": [_change_row(entry, on, name) for on, name in entry.changes],
        })  # fmt: skip
        personal += [
            {"entry_id": entry_id, "place": place, "before": before, "after": after}
            for place, (key, (before, after)) in enumerate(entry.changes.items())
            if key in entry.personal
        ]
    session.execute(_INSERT, rows)
    if personal:
        session.execute(_INSERT_PERSONAL, personal)


def _change_row(entry: _Entry, on: str, name: str) -> JsonObject:
    change_json: JsonObject = {"field": name, **({"on": on} if on else {})}
    if (on, name) in entry.personal or (on, name) in entry.secret:
        return change_json
    before, after = entry.changes[on, name]
    return {**change_json, "before": before, "after": after}
