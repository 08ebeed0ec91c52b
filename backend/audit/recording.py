"""Recording what somebody does, in the transaction that does it.

`record` is the one door. From then on until the transaction ends or another entry begins, what the session writes of
its objects is noted in the entry by itself: field, value before, value after. What a service writes with statements of
its own it names (`changes`). The entries are inserted just before the commit, so they stand or fall with what was done.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from sqlalchemy import delete, event, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session, SessionTransaction

from backend.audit.models import AuditEntry, AuditPersonalValue
from backend.audit.values import LEFT_OUT, SECRET, as_json, is_personal
from backend.core.db.database import db_now
from backend.core.db.tables import JsonObject, table_of
from backend.core.ids import new_id
from backend.presses.service import use_press


class Thing(StrEnum):
    """What something can be done to."""

    API_KEY = "api_key"
    ATTENTION = "attention"
    CAMPAIGN = "campaign"
    CATALOG = "catalog"
    CATEGORY = "category"
    COLLECTION = "collection"
    CONTENT = "content"
    CUSTOMER = "customer"
    CUSTOMER_GROUP = "customer_group"
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
    REGION = "region"
    RETURN_REASON = "return_reason"
    REVIEW = "review"
    SALES_CHANNEL = "sales_channel"
    SERVICE_ZONE = "service_zone"
    SETTINGS = "settings"
    SHIPPING_OPTION = "shipping_option"
    STAFF = "staff"
    VARIANT = "variant"


class Subject(NamedTuple):
    """A thing, by its id. What belongs to an order (fulfillments, refunds) is recorded on the order."""

    type: Thing
    id: str


class Who(Protocol):
    """Somebody who does something (`backend.staff.rights.Actor`)."""

    @property
    def id(self) -> str:
        """The id of a member of staff, or the name of what works without one."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asked for what a job does, known by their id alone; the right was checked when they asked."""

    id: str


Change = tuple[Any, Any]
"""The value before, and after."""

_ENTRIES, _SAVEPOINTS = "audit.entries", "audit.savepoints"


@dataclass(slots=True)
class _Entry:
    actor_id: str
    action: str
    subject: Subject
    changes: dict[tuple[str, str], Change] = field(default_factory=dict)
    """By the row they are on (empty: the thing itself) and the field."""
    personal: set[tuple[str, str]] = field(default_factory=set)
    secret: set[tuple[str, str]] = field(default_factory=set)

    def note(self, on: str, name: str, change: Change) -> None:
        """Note a change of a field; of several the first value before stays."""
        key = (on, name)
        before, after = change
        self.changes[key] = (self.changes[key][0] if key in self.changes else as_json(before), as_json(after))

    def drop_unchanged(self) -> None:
        """What was changed and changed back is no change."""
        self.changes = {
            key: change
            for key, change in self.changes.items()
            if key in self.secret or change[0] != change[1]
        }


async def record(
    session: AsyncSession,
    actor: Who,
    action: str,
    subject: Subject,
    changes: Mapping[str, Change] | None = None,
    *,
    personal: Mapping[str, Change] | None = None,
) -> None:
    """Record that the actor does this to the thing, in the session's transaction.

    Call it once the thing is known and before it is changed: what the session then writes of its objects is noted by
    itself.

    Args:
        session: the transaction that does it.
        actor: who does it.
        action: a verb in the past, such as `changed`; `backend.audit.labels` has a label for each.
        subject: the thing.
        changes: by field, the values before and after of what is written by statements; nobody's personal data.
        personal: the same of values that say something about a person. They can be deleted later.

    Raises:
        PressUsed: see `backend.presses.service.use_press`.
    """
    await use_press(session, subject.id)
    entries: list[_Entry] = session.info.setdefault(_ENTRIES, [])
    if entries:
        await session.flush()  # what was changed until now belongs to the entry before
    entry = _Entry(actor.id, action, subject)
    for name, change in (changes or {}).items():
        entry.note("", name, change)
    for name, change in (personal or {}).items():
        entry.note("", name, change)
        entry.personal.add(("", name))
    entries.append(entry)


async def forget_personal_values(session: AsyncSession, actor: Who, subject: Subject) -> int:
    """Delete the personal values of all entries on the thing. The entries stay, and this is one more.

    Returns:
        How many values there were.
    """
    entries = select(_ENTRY.c.id).where(
        _ENTRY.c.subject_type == subject.type, _ENTRY.c.subject_id == subject.id
    )
    gone = await session.execute(
        delete(_PERSONAL).where(_PERSONAL.c.entry_id.in_(entries)).returning(_PERSONAL.c.entry_id)
    )
    count = len(gone.all())
    await record(session, actor, "personal values deleted", subject, {"values": (count, 0)})
    return count


_ENTRY, _PERSONAL = table_of(AuditEntry), table_of(AuditPersonalValue)
_INSERT = insert(_ENTRY).values(created_at=db_now())
_INSERT_PERSONAL = insert(_PERSONAL)


@event.listens_for(Session, "before_flush")
def _note_rows(session: Session, _context: object, _instances: object) -> None:
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
    on = "" if getattr(row, "id", None) == entry.subject.id else f"{table}:{_key(row)}"
    for attribute in state.mapper.column_attrs:
        name = attribute.key
        if name in LEFT_OUT:
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
        if name in SECRET:
            change = (None, None)
            entry.secret.add((on, name))
        elif is_personal(table, name):
            entry.personal.add((on, name))
        entry.note(on, name, change)


def _key(row: Any) -> str:
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
            "changes": [_shown(entry, on, name) for on, name in entry.changes],
        })  # fmt: skip
        personal += [
            {"entry_id": entry_id, "place": place, "before": before, "after": after}
            for place, (key, (before, after)) in enumerate(entry.changes.items())
            if key in entry.personal
        ]
    session.execute(_INSERT, rows)
    if personal:
        session.execute(_INSERT_PERSONAL, personal)


def _shown(entry: _Entry, on: str, name: str) -> JsonObject:
    shown: JsonObject = {"field": name, **({"on": on} if on else {})}
    if (on, name) in entry.personal or (on, name) in entry.secret:
        return shown
    before, after = entry.changes[on, name]
    return {**shown, "before": before, "after": after}


@event.listens_for(Session, "after_transaction_create")
def _remember(session: Session, transaction: SessionTransaction) -> None:
    if transaction.nested:
        session.info.setdefault(_SAVEPOINTS, {})[transaction] = deepcopy(session.info.get(_ENTRIES, []))


@event.listens_for(Session, "after_transaction_end")
def _end(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_ENTRIES, None)
        session.info.pop(_SAVEPOINTS, None)


@event.listens_for(Session, "after_rollback")
def _forget_part(session: Session) -> None:
    """What a savepoint noted is gone with it, also where a statement that failed ended it."""
    savepoint = session.get_nested_transaction()
    if savepoint is not None:
        session.info[_ENTRIES] = session.info[_SAVEPOINTS].pop(savepoint)
