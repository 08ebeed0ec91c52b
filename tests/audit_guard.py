"""Detection of changes by staff that leave no audit entry, while any test runs.

A service acts for an actor when it takes an `Actor` parameter (or a decision made by an actor). Each SQL statement
that writes inside such a call, and each audit entry that is recorded there, is counted for the outermost such
function.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import greenlet
import pytest
from sqlalchemy import Engine, event

import backend
from backend.audit import recording
from backend.presses.service import use_press
from backend.staff.rights import Actor

BACKEND = str(Path(backend.__file__).parent)
IGNORED_TABLES = (
    "job", "outbox_event", "rate_limit_counter", "audit_entry", "audit_personal_value",
    "product_import", "product_import_row", "product_import_picture", "product_import_table", "column_mapping",
)  # fmt: skip
"""Tables of pending work, of limits, and of the audit itself. An import is pending work until it starts."""
_ACTOR_NAMES: dict[tuple[int, str], tuple[CodeType, tuple[str, ...]]] = {}
"""Cached results of `_list_actor_names` by the code's id: hashing the code takes longer than listing the names."""
DRAFTS = str(Path(BACKEND, "draft_orders", "drafts.py"))
DRAFT_TABLES = ("draft_order", "cart", "line_item", "cart_shipping_method")
"""Tables that the services of `DRAFTS` may write without an entry: a draft order is pending work until it is sold.

For all other services, a customer's cart is no pending work.
"""


@dataclass
class ServiceCall:
    """A call of a service on behalf of an actor."""

    name: str
    file: str
    writes: list[str] = field(default_factory=list)
    is_recorded: bool = False


class AuditGuard:
    """The calls on behalf of an actor that were observed."""

    def __init__(self, code: str) -> None:
        self.code = code
        # the frame is referenced, so that no other frame gets its id
        self.calls: dict[int, tuple[FrameType, ServiceCall]] = {}

    def current_call(self) -> ServiceCall | None:
        """Return the current call on behalf of an actor, or None if there is none."""
        frame = _find_outermost_frame(self.code)
        if frame is None:
            return None
        code = frame.f_code
        return self.calls.setdefault(id(frame), (frame, ServiceCall(code.co_qualname, code.co_filename)))[1]

    def record_write(self, statement: str) -> None:
        """Count a statement for the current call if it writes to a table of the shop."""
        table = find_written_table(statement)
        if table is None or table in IGNORED_TABLES or (call := self.current_call()) is None:
            return
        if call.file != DRAFTS or table not in DRAFT_TABLES:
            call.writes.append(statement)

    def record_entry(self) -> None:
        """Note that the current call has recorded an audit entry."""
        if (call := self.current_call()) is not None:
            call.is_recorded = True

    def list_unrecorded(self) -> list[ServiceCall]:
        """Return the calls that wrote to the database and recorded no audit entry."""
        return [call for _frame, call in self.calls.values() if call.writes and not call.is_recorded]


def find_written_table(statement: str) -> str | None:
    """Return the table that a statement writes, or None for a statement that only reads."""
    words = statement.split(None, 3)
    if words[:2] == ["INSERT", "INTO"] or words[:2] == ["DELETE", "FROM"]:
        return words[2].strip('"')
    return words[1].strip('"') if words[:1] == ["UPDATE"] else None


@contextmanager
def watch_audit(code: str = BACKEND) -> Iterator[AuditGuard]:
    """Observe the calls on behalf of an actor, and their writes to every database of this process.

    Args:
        code: path of a folder. Calls of functions outside it are not observed.
    """
    guard = AuditGuard(code)

    def record(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        guard.record_write(statement)

    async def use_press_of_entry(*arguments: Any) -> None:
        await use_press(*arguments)
        guard.record_entry()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "use_press", use_press_of_entry)  # each entry uses the form's press first
        event.listen(Engine, "before_cursor_execute", record)
        try:
            yield guard
        finally:
            event.remove(Engine, "before_cursor_execute", record)


def _find_outermost_frame(code: str) -> FrameType | None:
    found = None
    frame: FrameType | None = sys._getframe(1)
    current: Any = greenlet.getcurrent()
    while frame is not None:
        if (names := _list_actor_names(frame.f_code, code)) and _has_actor(frame, names):
            found = frame
        frame = frame.f_back
        if frame is None and current.parent is not None:  # the database driver runs in a separate greenlet
            current = current.parent
            frame = current.gr_frame
    return found


def _list_actor_names(code: CodeType, folder: str) -> tuple[str, ...]:
    """Return the names of the parameters that may be an actor; none for a function outside the folder."""
    known = _ACTOR_NAMES.get((id(code), folder))
    if known is None:
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        is_inside = code.co_filename.startswith(folder)
        names = tuple(name for name in ("actor", "by", "decision") if is_inside and name in parameters)
        known = _ACTOR_NAMES[id(code), folder] = (code, names)
    return known[1]


def _has_actor(frame: FrameType, names: tuple[str, ...]) -> bool:
    for name in names:
        value = frame.f_locals.get(name)
        if isinstance(getattr(value, "by", value), Actor):
            return True
    return False
