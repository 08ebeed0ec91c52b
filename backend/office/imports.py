"""Views of a product import: the changes that it would make or has made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.headings import get_label
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.imports.models import ImportStatus
from backend.imports.reports import ImportReport, find_newest_import, read_report
from backend.imports.routes import PATH
from backend.staff.rights import Actor, Right

PRICES = frozenset({"price", "compare_at_price"})
EMPTY_VALUE = _("nada")
MAX_VALUE_LENGTH = 80
"""Maximum number of characters of a value."""


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem to correct: the cell, and what is wrong with it."""

    key: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A value before and after the import."""

    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A spreadsheet row that creates or changes a product."""

    line: int
    title: str
    is_new: bool
    changes: list[ChangeView]


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import.

    Attributes:
        status: `checked`, `running` or `done`.
        total: number of rows.
        settled: number of rows that are finished.
        summary: number of rows by their result, in words.
        to_write: number of rows that create or change a product.
        refused: number of rows that are not imported.
        makes_places: True if missing categories and collections are created.
        more: sentence with the number of changes that are not shown; empty if all are.
    """

    id: str
    name: str
    status: str
    total: int
    settled: int
    summary: str
    to_write: int
    refused: int
    makes_places: bool
    misses_places: bool
    ignored: str
    problems: list[ProblemView]
    more_problems: str
    rows: list[RowView]
    more: str
    refused_href: str


async def import_view(session: AsyncSession, actor: Actor) -> ImportView | None:
    """Return the actor's newest import; None if there is none, or if the actor may not import."""
    actor.require(Right.READ_CATALOG)
    if not actor.may(Right.CHANGE_CATALOG):
        return None
    import_id = await find_newest_import(session, actor)
    return _import_view(await read_report(session, actor, import_id)) if import_id else None


def _import_view(found: ImportReport) -> ImportView:
    counts = found.counts
    is_checked = found.status is ImportStatus.CHECKED
    bad = counts.wrong if is_checked else counts.refused
    shown_bad = len({one.line for one in found.problems})
    moving = counts.new + counts.changed
    if is_checked:
        parts = [
            (counts.new, _("1 nuevo"), _("{n} nuevos")),
            (counts.changed, _("1 cambia"), _("{n} cambian")),
            (counts.same, _("1 ya está así"), _("{n} ya están así")),
            (bad, _("1 por corregir"), _("{n} por corregir")),
        ]
    else:
        parts = [
            (counts.settled - bad, _("1 listo"), _("{n} listos")),
            (bad, _("1 no se importó"), _("{n} no se importaron")),
        ]
    codes = {one.code for one in found.problems}
    return ImportView(
        id=found.id,
        name=found.name,
        status=found.status.value,
        total=found.total,
        settled=counts.settled,
        summary=" · ".join(
            one if count == 1 else many.format(n=count) for count, one, many in parts if count
        ),
        to_write=moving,
        refused=bad,
        makes_places=found.makes_places,
        misses_places=found.makes_places or bool(codes & {"category", "collection"}),
        ignored=", ".join(found.ignored),
        problems=[
            ProblemView(
                f"{one.line} {one.column} {one.code} {number}",
                _("Fila {line} · {column}").format(line=one.line, column=get_label(one.column))
                if one.column
                else _("Fila {line}").format(line=one.line),
                one.text,
            )
            for number, one in enumerate(found.problems)
        ],
        more_problems=format_count(bad - shown_bad, _("Y {n} fila más."), _("Y {n} filas más."))
        if bad > shown_bad
        else "",
        rows=[
            RowView(one.line, one.title, one.is_new, [_change_view(change) for change in one.changes])
            for one in found.changes
        ],
        more=_("Y {n} más.").format(n=moving - len(found.changes))
        if is_checked and moving > len(found.changes)
        else "",
        refused_href=f"{PATH}/{found.id}/refused",
    )


def _change_view(change: Mapping[str, Any]) -> ChangeView:
    column = change["column"]
    return ChangeView(
        get_label(column), _value_text(column, change["before"]), _value_text(column, change["after"])
    )


def _value_text(column: str, value: Any) -> str:
    if value in (None, ""):
        return EMPTY_VALUE
    if column in PRICES and isinstance(value, int):
        return format_cop(value)
    if column == "pictures":
        return ", ".join(part.rpartition("/")[2] for part in str(value).split("|"))[:MAX_VALUE_LENGTH]
    text = str(value).replace("|", ", ")
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"
