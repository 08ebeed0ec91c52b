"""Who writes as a member of staff and leaves no entry in the audit: found while any test runs.

A service does something as somebody when it takes an `Actor` (or a decision made by one). Every statement that writes,
run below such a function of the shop, counts for the outermost of them; so does every entry that is recorded.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import greenlet
import pytest
from sqlalchemy import Engine, event

import backend
from backend.audit import recording
from backend.staff.rights import Actor

BACKEND = str(Path(backend.__file__).parent)
NOTHING_OF_THE_SHOP = (
    "job", "outbox_event", "rate_limit_counter", "audit_entry", "audit_personal_value",
    "product_import", "product_import_row", "product_import_picture",
)  # fmt: skip
"""Tables that hold work to do, limits, and the audit itself. A sheet is work to do until it is begun."""


@dataclass
class Act:
    """A call of a service by somebody."""

    name: str
    writes: list[str] = field(default_factory=list)
    is_recorded: bool = False


class Guard:
    """The calls seen so far."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.acts: dict[int, tuple[FrameType, Act]] = {}  # the frame is kept, so that no other gets its id

    def act(self) -> Act | None:
        """The call that is under way; None when nobody does anything."""
        frame = _outermost_with_actor(self.code)
        if frame is None:
            return None
        return self.acts.setdefault(id(frame), (frame, Act(frame.f_code.co_qualname)))[1]

    def wrote(self, statement: str) -> None:
        """This statement is about to run."""
        table = written_table(statement)
        if table is not None and table not in NOTHING_OF_THE_SHOP and (act := self.act()) is not None:
            act.writes.append(statement)

    def recorded(self) -> None:
        """An entry was recorded."""
        if (act := self.act()) is not None:
            act.is_recorded = True

    def silent(self) -> list[Act]:
        """The calls that wrote and recorded nothing."""
        return [act for _frame, act in self.acts.values() if act.writes and not act.is_recorded]


def written_table(statement: str) -> str | None:
    """The table that a statement writes; None for one that reads."""
    words = statement.split(None, 3)
    if words[:2] == ["INSERT", "INTO"] or words[:2] == ["DELETE", "FROM"]:
        return words[2].strip('"')
    return words[1].strip('"') if words[:1] == ["UPDATE"] else None


@contextmanager
def watching(code: str = BACKEND) -> Iterator[Guard]:
    """Watch every database of this process. `code` is where the services lie."""
    guard = Guard(code)

    def before(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        guard.wrote(statement)

    class Entry(recording._Entry):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            guard.recorded()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "_Entry", Entry)
        event.listen(Engine, "before_cursor_execute", before)
        try:
            yield guard
        finally:
            event.remove(Engine, "before_cursor_execute", before)


def _outermost_with_actor(code: str) -> FrameType | None:
    found = None
    frame: FrameType | None = sys._getframe(1)
    current: Any = greenlet.getcurrent()
    while frame is not None:
        if frame.f_code.co_filename.startswith(code) and _has_actor(frame):
            found = frame
        frame = frame.f_back
        if frame is None and current.parent is not None:  # the database driver runs in a greenlet of its own
            current = current.parent
            frame = current.gr_frame
    return found


def _has_actor(frame: FrameType) -> bool:
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    for name in ("actor", "by", "decision"):
        if name in names:
            value = frame.f_locals.get(name)
            if isinstance(getattr(value, "by", value), Actor):
                return True
    return False
