"""Taking a sheet, saying what it would do, and having it done.

The sheet's rows are kept with what each would change. They are looked at again whenever something about them changes:
pictures came, or categories are to be made. Nothing of the shop is changed before `begin`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.cells import LIST_SEPARATOR
from backend.catalog.handles import handle_from
from backend.catalog.importer.columns import COLUMNS, ID_CELLS, OPTION_CELLS, OPTIONS
from backend.catalog.importer.matching import Known, Match, product_key, settle
from backend.catalog.importer.places import Places
from backend.catalog.importer.reading import Problem, Row, row_of
from backend.catalog.models import Category, Collection, Product, Variant
from backend.catalog.options import title_of
from backend.catalog.product_fields import AGE_RANGES
from backend.database import Database, locked
from backend.errors import InvalidData, NotAllowed, NotFound
from backend.events import publish
from backend.imports.album import Album
from backend.imports.comparing import RESERVED, cell_of, changes_of, values_now
from backend.imports.events import ImportMoved
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.sheets import Sheet, is_broken, read_sheet
from backend.jobs import enqueue
from backend.shipping.models import StockLocation
from backend.staff.rights import Actor, Right
from backend.tables import JsonObject, table_of

JOB = "catalog.import"
AT_ONCE = 500
"""Rows that are looked at together."""
MOST_KEPT = 20
"""So many imports are kept: the last ones."""
LONGEST_NAME = 200
NO_NAME = "no name"
"""The code of a row that names no product."""
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


async def take_sheet(
    database: Database, actor: Actor, name: str, content: bytes, location_id: str, *, makes_places: bool
) -> str:
    """Keep a sheet, and look at it. Those of the same person that were never begun are forgotten.

    Returns:
        The id of the import.

    Raises:
        Forbidden: see `Actor.require`.
        UnreadableSheet: it is no sheet, or exceeds a bound.
    """
    import_id = await keep_sheet(database, actor, name, content, location_id, makes_places=makes_places)
    await look(database, import_id)
    return import_id


async def keep_sheet(
    database: Database, actor: Actor, name: str, content: bytes, location_id: str, *, makes_places: bool
) -> str:
    """The same without looking at it: see `take_sheet`."""
    actor.require(Right.CHANGE_CATALOG)
    sheet = await asyncio.to_thread(read_sheet, content)
    async with database.transaction() as session:
        await _by_handle(session, sheet)
        await session.execute(
            delete(table_of(ProductImport)).where(
                table_of(ProductImport).c.actor_id == actor.id,
                table_of(ProductImport).c.status == ImportStatus.CHECKED,
            )
        )
        await _forget_old(session)
        taken = ProductImport(
            actor_id=actor.id,
            name=name[:LONGEST_NAME],
            location_id=location_id,
            makes_places=makes_places,
            columns=sheet.columns,
            ignored=sheet.ignored,
            total=len(sheet.rows),
        )
        session.add(taken)
        await session.flush()
        rows = _kept(taken.id, sheet)
        await session.execute(insert(table_of(ProductImportRow)), rows)
    return taken.id


async def _by_handle(session: AsyncSession, sheet: Sheet) -> None:
    """Let the sheet name categories and collections by their handles, where a program wrote their ids."""
    for column, table in (("categories", Category), ("collection", Collection)):
        for place in _places_of(sheet.columns, column):
            ids = {part for _line, texts in sheet.rows for part in texts[place].split(LIST_SEPARATOR)}
            query = select(table.id, table.handle).where(table.id.in_(ids))
            handles = dict((await session.execute(query)).all())
            for _line, texts in sheet.rows if handles else ():
                parts = texts[place].split(LIST_SEPARATOR)
                texts[place] = LIST_SEPARATOR.join(handles.get(part, part) for part in parts)


async def look(database: Database, import_id: str) -> None:
    """Say of each row what it would do now. Of an import that was begun nothing is changed."""
    async with database.read() as session:
        found = await session.get(ProductImport, import_id)
        if found is None or found.status != ImportStatus.CHECKED:
            return
        query = select(ProductImportRow.line, ProductImportRow.texts).where(
            ProductImportRow.import_id == import_id
        )
        lines = [
            (line, texts) for line, texts in await session.execute(query.order_by(ProductImportRow.line))
        ]
    places = await Places.read(database, makes_places=found.makes_places)
    repeats = Repeated()
    typed: list[Row] = []
    for start in range(0, len(lines), AT_ONCE):
        typed += await asyncio.to_thread(_typed, found.columns, lines[start : start + AT_ONCE])
    keys = await _keys_of(database, typed)
    for rows in _together(typed, keys):
        async with database.read() as session:
            judged = await judge(session, found, rows, places, repeats)
        values = [_outcome(import_id, one, keys.get(one.row.line, "")) for one in judged]
        async with database.transaction() as session:
            now = await lock_import(session, import_id)
            if now.status != ImportStatus.CHECKED:
                return
            await session.execute(_JUDGED, values)
    async with database.transaction() as session:
        await publish(session, ImportMoved(import_id))


async def _keys_of(database: Database, rows: Sequence[Row]) -> dict[int, str]:
    """By line, of the rows with options, what those of one product have in common."""
    keys: dict[int, str] = {}
    with_options = [row for row in rows if OPTIONS in row.values]
    for start in range(0, len(with_options), AT_ONCE):
        some = with_options[start : start + AT_ONCE]
        titled = _titled(some)
        async with database.read() as session:
            known = await Known.read(session, [*some, *titled.values()])
        keys |= {row.line: product_key(known, row, titled) for row in some}
    return keys


def _together(rows: Sequence[Row], keys: Mapping[int, str]) -> Iterator[list[Row]]:
    """The rows, some at a time; those with options of one product at the same time."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(keys.get(row.line) or f"line {row.line}", []).append(row)
    some: list[Row] = []
    for group in groups.values():
        some += group
        if len(some) >= AT_ONCE:
            yield some
            some = []
    if some:
        yield some


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
    titled = _titled(sound)
    known = await Known.read(session, [*sound, *titled.values()], lock=lock)
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
            problems += _of_places(row, places)
        if match is None or match.product is None:
            judged.append(Judged(row, match, problems, _of_new(row)))
            continue
        matched.append((row, match, problems))
        pairs.append((match.product, match.variant))
    for (row, match, problems), now in zip(
        matched, await values_now(session, pairs, found.location_id), strict=True
    ):
        changes = changes_of(row.values, now, album)
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
    return (_named_by_title(row) or row).get("handle") or ""


def typed_row(columns: Sequence[str], line: int, texts: Sequence[str]) -> Row:
    """The row of these cells, as people write them."""
    broken = [
        Problem(line, column, "no value", "formula")
        for column, text in zip(columns, texts, strict=True)
        if is_broken(text)
    ]
    cells = dict(zip(columns, texts, strict=True))
    if cells.get("collection"):
        cells["collection"] = handle_from(cells["collection"])
    if cells.get("age_range"):
        said = cells["age_range"].casefold().replace("años", "").replace("–", "-").replace(" ", "")
        cells["age_range"] = said if said in AGE_RANGES else cells["age_range"]
    row = row_of(line, list(cells), list(cells.values()))
    without_value = {one.column for one in broken}
    problems = (*broken, *(one for one in row.problems if one.column not in without_value))
    row = Row(line, row.values, problems)
    if any(one.code == NO_NAME for one in problems) and (named := _named_by_title(row)):
        return Row(line, named.values, tuple(one for one in problems if one.code != NO_NAME))
    return row


def _typed(columns: Sequence[str], lines: Sequence[tuple[int, Sequence[str]]]) -> list[Row]:
    return [typed_row(columns, line, texts) for line, texts in lines]


def _titled(rows: Sequence[Row]) -> dict[int, Row]:
    """By line, the rows that may be known by their titles, with the handles that those make."""
    return {row.line: one for row in rows if (one := _named_by_title(row))}


def _named_by_title(row: Row) -> Row | None:
    """The row with the handle that its title makes; None where it has a handle, or its title makes none."""
    handle = handle_from(row.get("title") or "")
    if not handle or row.get("handle") is not None:
        return None
    return Row(row.line, {**row.values, "handle": handle}, row.problems)


async def lock_import(session: AsyncSession, import_id: str, *, for_update: bool = True) -> ProductImport:
    """The import, locked for a change.

    Raises:
        NotFound: there is none.
    """
    query = select(ProductImport).where(ProductImport.id == import_id)
    found = (await session.execute(locked(query) if for_update else query)).scalar_one_or_none()
    if found is None:
        raise NotFound(f"Import with id: {import_id} was not found")
    return found


async def set_makes_places(database: Database, actor: Actor, import_id: str, *, makes_places: bool) -> None:
    """Say whether categories and collections that the shop does not have are made, and look again.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such import.
        NotAllowed: it was begun already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await lock_import(session, import_id)
        if found.status != ImportStatus.CHECKED:
            raise NotAllowed("The import was begun already")
        found.makes_places = makes_places
    await look(database, import_id)


async def begin(database: Database, actor: Actor, import_id: str) -> None:
    """Have it done: a job does it after the commit. Rows that cannot be done are refused, the others are written.

    Raises:
        Forbidden: see `Actor.require`; with a column for stock its right is needed too.
        NotFound: there is no such import.
        NotAllowed: it was begun already.
        InvalidData: no row of it would change anything.
        ShopError: a category or collection that is to be made was made by somebody else meanwhile.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        seen = await lock_import(session, import_id, for_update=False)
        query = select(ProductImportRow.line, ProductImportRow.texts).where(
            ProductImportRow.import_id == import_id, ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED])
        )
        rows = [typed_row(seen.columns, line, texts) for line, texts in await session.execute(query)]
    if not rows:
        raise InvalidData("No row of it changes anything")
    if "stock" in seen.columns:
        actor.require(Right.CHANGE_STOCK)
    places = await Places.read(database, makes_places=seen.makes_places)
    for row in rows:
        list(_of_places(row, places))
    async with database.transaction() as session:
        found = await lock_import(session, import_id)
        if found.status != ImportStatus.CHECKED:
            raise NotAllowed("The import was begun already")
        made = await places.make(session, actor)
        found.status, found.actor_id = ImportStatus.RUNNING, actor.id
        for plan, state in ((Plan.WRONG, RowState.REFUSED), (Plan.SAME, RowState.DONE)):
            await session.execute(
                update(_ROW).where(_ROW.c.import_id == import_id, _ROW.c.plan == plan).values(state=state)
            )
        await record(
            session,
            actor,
            "imported",
            Subject(Thing.CATALOG, import_id),
            {"file": (None, found.name), "rows": (None, len(rows)), "made": (None, made)},
        )
        await publish(session, ImportMoved(import_id))
        await enqueue(session, JOB, {"import_id": import_id}, key=import_id)


async def drop(database: Database, actor: Actor, import_id: str) -> None:
    """Forget an import that was not begun.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such import.
        NotAllowed: it was begun already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await lock_import(session, import_id)
        if found.status != ImportStatus.CHECKED:
            raise NotAllowed("The import was begun already")
        await session.delete(found)


async def first_location(session: AsyncSession) -> str:
    """The id of the stock location that sheets speak of: the first; empty when there is none."""
    located = select(StockLocation.id).order_by(StockLocation.id).limit(1)
    return (await session.execute(located)).scalar_one_or_none() or ""


async def counts_of(session: AsyncSession, import_id: str) -> dict[tuple[str, str], int]:
    """How many rows there are, by their plan and their state."""
    query = (
        select(ProductImportRow.plan, ProductImportRow.state, func.count())
        .where(ProductImportRow.import_id == import_id)
        .group_by(ProductImportRow.plan, ProductImportRow.state)
    )
    return {(plan, state): count for plan, state, count in await session.execute(query)}


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


def _of_new(row: Row) -> dict[str, tuple[Any, Any]]:
    return {
        column: (None, value)
        for column, value in row.values.items()
        if column not in ID_CELLS and value not in (None, "", ())
    }


def _of_places(row: Row, places: Places) -> list[Problem]:
    problems = [
        Problem(row.line, "categories", "unknown", "category", name)
        for name in row.get("categories") or ()
        if places.problem_of_category(name)
    ]
    collection = row.get("collection")
    if collection and places.problem_of_collection(collection):
        problems.append(Problem(row.line, "collection", "unknown", "collection", collection))
    return problems


def _of_pictures(row: Row, album: Album) -> list[Problem]:
    return [
        Problem(row.line, "pictures", code, f"picture {code}", name)
        for name in row.get("pictures") or ()
        if (code := album.problem_of(name))
    ]


def _kept(import_id: str, sheet: Sheet) -> list[dict[str, Any]]:
    known_by = [place for column in ("title", "sku", "handle") for place in _places_of(sheet.columns, column)]
    values = [place for column in list(OPTION_CELLS)[1::2] for place in _places_of(sheet.columns, column)]
    return [
        {
            "import_id": import_id,
            "line": line,
            "texts": texts,
            "plan": Plan.WRONG.value,
            "state": RowState.WAITING.value,
            "title": " · ".join(
                part
                for part in (
                    next((texts[place] for place in known_by if texts[place]), ""),
                    title_of(texts[place] for place in values if texts[place]),
                )
                if part
            )[:LONGEST_NAME],
            "product_id": "",
            "problems": [],
            "changes": [],
        }
        for line, texts in sheet.rows
    ]


def _places_of(columns: Sequence[str], column: str) -> list[int]:
    return [place for place, one in enumerate(columns) if one == column]


def _outcome(import_id: str, judged: Judged, of_product: str) -> dict[str, Any]:
    product = judged.match.product if judged.match else None
    return {
        "of_import": import_id,
        "at_line": judged.row.line,
        "new_plan": judged.plan.value,
        "new_product": product.id if product else "",
        "new_key": of_product,
        "new_problems": as_problems(judged.problems),
        "new_changes": as_changes(judged.changes),
    }


async def _forget_old(session: AsyncSession) -> None:
    """Forget the imports before the last ones. What was done stays in the audit."""
    newest = select(ProductImport.id).order_by(ProductImport.created_at.desc(), ProductImport.id.desc())
    kept = list((await session.execute(newest.limit(MOST_KEPT))).scalars())
    table = table_of(ProductImport)
    await session.execute(delete(table).where(table.c.id.not_in(kept), table.c.status == ImportStatus.DONE))


_ROW = table_of(ProductImportRow)
_JUDGED = (
    update(_ROW)
    .where(_ROW.c.import_id == bindparam("of_import"), _ROW.c.line == bindparam("at_line"))
    .values(
        plan=bindparam("new_plan"),
        product_id=bindparam("new_product"),
        of_product=bindparam("new_key"),
        problems=bindparam("new_problems", type_=_ROW.c.problems.type),
        changes=bindparam("new_changes", type_=_ROW.c.changes.type),
    )
)
