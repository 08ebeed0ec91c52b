"""An import as the office shows it: what it would do or has done, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.headings import label_of
from backend.core.money import format_cop
from backend.core.texts import _, counted
from backend.imports.models import ImportStatus
from backend.imports.reports import ImportReport, last_import, report
from backend.imports.routes import PATH
from backend.staff.rights import Actor, Right

PRICES = frozenset({"price", "compare_at_price"})
NOTHING = _("nada")
LONGEST_VALUE = 80
"""Letters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class ProblemView:
    """Something to be mended: in which cell, what is wrong, and what to do."""

    key: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A value before and after."""

    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A row that makes a product or changes it."""

    line: int
    title: str
    is_new: bool
    changes: list[ChangeView]


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import.

    Attributes:
        status: `checked`, `running` or `done`.
        summary: what its rows would do, or did, counted.
        wrong: how many rows are left out.
        to_do: how many rows it would write.
        settled: how many of its `total` rows are done with.
        more: what is said where not all of the changes are shown.
    """

    id: str
    name: str
    status: str
    total: int
    settled: int
    summary: str
    to_do: int
    wrong: int
    makes_places: bool
    misses_places: bool
    ignored: str
    problems: list[ProblemView]
    more_problems: str
    rows: list[RowView]
    more: str
    refused_href: str


async def import_view(session: AsyncSession, actor: Actor) -> ImportView | None:
    """The actor's newest import; None when there is none, or they may not import."""
    actor.require(Right.READ_CATALOG)
    if not actor.may(Right.CHANGE_CATALOG):
        return None
    import_id = await last_import(session, actor)
    return _view(await report(session, actor, import_id)) if import_id else None


def _view(found: ImportReport) -> ImportView:
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
        to_do=moving,
        wrong=bad,
        makes_places=found.makes_places,
        misses_places=found.makes_places or bool(codes & {"category", "collection"}),
        ignored=", ".join(found.ignored),
        problems=[
            ProblemView(
                f"{one.line} {one.column} {one.code} {number}",
                _("Fila {line} · {column}").format(line=one.line, column=label_of(one.column))
                if one.column
                else _("Fila {line}").format(line=one.line),
                one.text,
            )
            for number, one in enumerate(found.problems)
        ],
        more_problems=counted(bad - shown_bad, _("Y {n} fila más."), _("Y {n} filas más."))
        if bad > shown_bad
        else "",
        rows=[
            RowView(one.line, one.title, one.is_new, [_change(change) for change in one.changes])
            for one in found.changes
        ],
        more=_("Y {n} más.").format(n=moving - len(found.changes))
        if is_checked and moving > len(found.changes)
        else "",
        refused_href=f"{PATH}/{found.id}/refused",
    )


def _change(change: Mapping[str, Any]) -> ChangeView:
    column = change["column"]
    return ChangeView(label_of(column), _said(column, change["before"]), _said(column, change["after"]))


def _said(column: str, value: Any) -> str:
    if value in (None, ""):
        return NOTHING
    if column in PRICES and isinstance(value, int):
        return format_cop(value)
    if column == "pictures":
        return ", ".join(part.rpartition("/")[2] for part in str(value).split("|"))[:LONGEST_VALUE]
    text = str(value).replace("|", ", ")
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
