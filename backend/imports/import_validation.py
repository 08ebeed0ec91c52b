"""What the rows of an import would do now: what each changes of the shop, and why it cannot be done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.categories import Places
from backend.catalog.importer.columns import COLUMNS, ID_CELLS, OPTIONS
from backend.catalog.importer.row_matching import Known, Match, settle
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.models import Product, Variant
from backend.core.db.tables import JsonObject
from backend.imports.models import Plan, ProductImport
from backend.imports.picture_matching import Album
from backend.imports.row_changes import RESERVED, cell_of, changes_of, values_now
from backend.imports.row_parsing import named_by_title, titled_rows

LONGEST_SHOWN = 300
"""Letters of a value that are kept of what changes."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a row would do.

    Attributes:
        row: its values; its handle is filled in where it follows from its title.
        match: the product and the variant that it changes.
        problems: why it cannot be done.
        changes: by column, the value before and after.
    """

    row: Row
    match: Match | None = None
    problems: Sequence[Problem] = ()
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """What it would do, in one word."""
        if self.problems:
            return Plan.WRONG
        if self.match is None or self.match.product is None or self.match.variant is None:
            return Plan.NEW
        return Plan.CHANGED if self.changes else Plan.SAME


@dataclass
class Repeated:
    """The lines in which names and codes stand that no two rows may have."""

    lines: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def problems_of(self, row: Row, match: Match | None) -> list[Problem]:
        """What the row has that an earlier one had. Rows of variants of one product that there is share its handle."""
        shares = match is None or (match.variant is not None and row.get("sku") is not None)
        problems = []
        if match is not None and match.product is None:
            problems += self._of_new(row)
        shares = shares or OPTIONS in row.values
        for column in ("sku", "ean") if shares else ("sku", "ean", "handle"):
            value = row.get(column)
            if value is None:
                continue
            first = self.lines[column].setdefault(value, row.line)
            if first != row.line:
                problems.append(Problem(row.line, column, "stands twice", "twice", str(first)))
        return problems

    def _of_new(self, row: Row) -> list[Problem]:
        """That a row with options makes the same product as one without any."""
        own, other = ("with options", "without") if OPTIONS in row.values else ("without", "with options")
        handle = row.values["handle"]
        self.lines[own].setdefault(handle, row.line)
        first = self.lines[other].get(handle)
        if first is None:
            return []
        return [Problem(row.line, OPTIONS, "others have options", "option names", str(first))]


async def judge(
    session: AsyncSession,
    found: ProductImport,
    rows: Sequence[Row],
    places: Places | None,
    repeats: Repeated | None = None,
    *,
    lock: bool = False,
) -> list[Judged]:
    """What these rows would do now.

    Args:
        session: with `lock` a transaction: the products are locked.
        found: their import.
        rows: their values.
        places: what categories and collections there are; None where that was looked at already.
        repeats: what the rows before these have; None where that was looked at already.
        lock: see `session`.
    """
    sound = [row for row in rows if not row.problems]
    titled = titled_rows(sound)
    known = await Known.read(session, [*sound, *titled.values()], lock=lock)
    known_places = places or await Places.read(session)
    album = await Album.read(session, found.id, {name for row in sound for name in row.get("pictures") or ()})
    judged: list[Judged] = []
    pairs: list[tuple[Product, Variant | None]] = []
    matched: list[tuple[Row, Match, list[Problem]]] = []
    for settled in settle(known, rows, titled):
        row, match, problems = settled.row, settled.match, list(settled.problems)
        if repeats is not None:
            problems += repeats.problems_of(row, match)
        problems += _of_pictures(row, album)
        if places is not None:
            problems += places.problems_of(row)
        if match is None or match.product is None:
            judged.append(Judged(row, match, problems, _all_of(row)))
            continue
        matched.append((row, match, problems))
        pairs.append((match.product, match.variant))
    for (row, match, problems), now in zip(
        matched, await values_now(session, pairs, found.location_id), strict=True
    ):
        changes = changes_of(row.values, now, album, known_places)
        if match.product is not None and match.product.deleted_at is not None:
            changes["status"] = (None, row.get("status") or "published")
        if "stock" in changes and row.get("stock") < now[RESERVED]:
            problems.append(Problem(row.line, "stock", "reserved", "reserved", str(now[RESERVED])))
        judged.append(Judged(row, match, problems, changes))
    return _whole_toys(sorted(judged, key=lambda one: one.row.line))


def _whole_toys(judged: Sequence[Judged]) -> list[Judged]:
    """A new toy comes with all its rows, or not at all: where one is wrong, the others name it."""
    wrong: dict[str, str] = {}
    for one in judged:
        if one.problems and (toy := _new_toy(one)):
            wrong.setdefault(toy, str(one.row.line))
    return [
        replace(one, problems=[Problem(one.row.line, "", f"line {line} is wrong", "other row", line)])
        if not one.problems and (line := wrong.get(_new_toy(one)))
        else one
        for one in judged
    ]


def _new_toy(judged: Judged) -> str:
    """The handle of the toy with options that a row would make; empty for any other row."""
    row, match = judged.row, judged.match
    if OPTIONS not in row.values or (match is not None and match.product is not None):
        return ""
    return (named_by_title(row) or row).get("handle") or ""


def _all_of(row: Row) -> dict[str, tuple[Any, Any]]:
    """What something new gets."""
    return {
        column: (None, value)
        for column, value in row.values.items()
        if column not in ID_CELLS and value not in (None, "", ())
    }


def _of_pictures(row: Row, album: Album) -> list[Problem]:
    return [
        Problem(row.line, "pictures", code, f"picture {code}", name)
        for name in row.get("pictures") or ()
        if (code := album.problem_of(name))
    ]


def as_changes(changes: Mapping[str, tuple[Any, Any]]) -> list[JsonObject]:
    """What changes, as it is kept with the row."""
    return [
        {"column": column, "before": _short(column, before), "after": _short(column, after)}
        for column, (before, after) in changes.items()
        if column in COLUMNS or column == OPTIONS
    ]


def as_problems(problems: Sequence[Problem]) -> list[JsonObject]:
    """What is wrong, as it is kept with the row."""
    return [
        {"column": one.column, "code": one.code, "detail": one.detail[:LONGEST_SHOWN]} for one in problems
    ]


def _short(column: str, value: Any) -> object:
    cell = cell_of(column, value)
    return cell[:LONGEST_SHOWN] if isinstance(cell, str) else cell
