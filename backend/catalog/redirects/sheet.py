"""A spreadsheet with two columns: former addresses, and the product, category or collection of each."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from tempfile import TemporaryFile

from sqlalchemy import bindparam, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.redirects.addresses import InvalidAddress, OldAddress, is_address, parse_address
from backend.catalog.redirects.models import UrlRedirect
from backend.catalog.redirects.service import (
    INVALID_ADDRESS_TEXT,
    OWN_ADDRESS_TEXT,
    SEVERAL_TARGETS_TEXT,
    UNKNOWN_TARGET_TEXT,
    add_addresses,
    find_current_pages,
)
from backend.catalog.redirects.targets import AMBIGUOUS, RedirectTarget, find_targets, read_owners
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.core.texts import _, format_count
from backend.core.threads import Threads
from backend.spreadsheet_reader.models import Limits, Row, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import Sheet, open_spreadsheet
from backend.staff.rights import Actor, Right

MAX_FILE_BYTES = 2 << 20
MAX_ROWS = 10_000
BATCH_SIZE = 500
"""Rows per transaction. A purchase waits for the locks no longer than one batch takes."""
SAMPLE_ROWS = 20
MAX_SHOWN_LENGTH = 60
LIMITS = Limits(max_file_bytes=MAX_FILE_BYTES, max_unpacked_bytes=32 << 20, max_cells=200_000, max_columns=10)
READERS = Threads("redirect spreadsheets", 1)
"""A thread that reads spreadsheets. It waits for a child process that may use `Limits.max_memory_bytes`."""
UNREADABLE_TEXT = _(
    "No pudimos leer el archivo. Guárdalo como .xlsx o CSV, sin clave y hasta {megabytes} MB."
).format(megabytes=MAX_FILE_BYTES >> 20)
TOO_MANY_TEXT = _("Tiene demasiadas filas: hasta 10.000.")
EMPTY_TEXT = _(
    "No encontramos dos columnas: la dirección anterior, y el SKU, el nombre o la dirección nueva."
)
HIDDEN_SHEET_TEXT = _("Las hojas ocultas no se leen: muéstralas en el archivo.")
HIDDEN_ROW_TEXT = _("1 fila oculta no se leyó: muéstrala en el archivo.")
HIDDEN_ROWS_TEXT = _("{n} filas ocultas no se leyeron: muéstralas en el archivo.")
NO_TARGET_TEXT = _("Falta a dónde lleva: el SKU, el nombre o la dirección nueva.")
EXTRA_TEXT = _("La fila tiene más de dos celdas.")
TWICE_TEXT = _("Ya está en la fila {line}, y lleva a otra página.")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row: a former address and its target, as they were written. `extra` is True if more cells are filled."""

    line: int
    address: str
    target: str
    extra: bool = False


@dataclass(frozen=True, slots=True)
class SheetContents:
    """The visible rows of a spreadsheet without its headings, and the numbers of the hidden rows."""

    rows: list[SheetRow]
    hidden_lines: list[int]


@dataclass(frozen=True, slots=True)
class SheetProblem:
    """A row that was not stored, or the first hidden row, and the reason for staff."""

    line: int
    value: str
    text: str


@dataclass(slots=True)
class SheetResult:
    """Numbers of created, changed and unchanged redirects, and the rows that were not stored."""

    created: int = 0
    changed: int = 0
    same: int = 0
    problems: list[SheetProblem] = field(default_factory=list)


async def import_sheet(database: Database, actor: Actor, content: bytes) -> SheetResult:
    """Store the redirects of a spreadsheet. If an address is redirected elsewhere, its redirect is changed.

    Hidden rows are not read: the first problem has their number.

    Raises:
        InvalidData: the file cannot be read, does not have two columns, or has more than `MAX_ROWS` visible rows.
        NotAllowed: the shop would have too many redirects; earlier batches stay.
    """
    actor.require(Right.CHANGE_CATALOG)
    contents = await READERS.run(read_sheet, content)
    async with database.read() as session:
        result, targets = await _check_rows(session, contents.rows)
    waiting = iter(targets.items())
    while batch := dict(islice(waiting, BATCH_SIZE)):
        async with database.transaction() as session:
            await _store_batch(session, actor, batch, result)
        await asyncio.sleep(0)  # let other tasks run
    result.problems.sort(key=lambda problem: problem.line)
    if contents.hidden_lines:
        text = _describe_hidden_rows(contents.hidden_lines)
        result.problems.insert(0, SheetProblem(contents.hidden_lines[0], "", text))
    return result


def read_sheet(content: bytes) -> SheetContents:
    """Read the first visible sheet that has two columns in its visible rows. Call it from a thread.

    Raises:
        InvalidData: see `import_sheet`.
    """
    if len(content) > MAX_FILE_BYTES:
        raise _unreadable(UNREADABLE_TEXT)
    found: list[Row] = []
    hidden_lines: list[int] = []
    has_hidden_sheets = False
    try:
        with TemporaryFile() as file:
            file.write(content)
            file.flush()
            with open_spreadsheet(file, LIMITS) as sheets:
                for sheet in sheets:
                    if has_hidden_sheets := sheet.is_hidden:  # the visible ones come first
                        break
                    found, lines = _read_visible_rows(sheet)
                    if _has_two_columns(found):
                        hidden_lines = lines
                        break
                    hidden_lines += lines
    except UnreadableSpreadsheet:
        raise _unreadable(UNREADABLE_TEXT) from None
    rows = list(_split_columns(found))
    if not rows:
        texts = [
            EMPTY_TEXT,
            _describe_hidden_rows(hidden_lines) if hidden_lines else "",
            HIDDEN_SHEET_TEXT if has_hidden_sheets else "",
        ]
        raise _unreadable(" ".join(filter(None, texts)))
    if len(rows) > MAX_ROWS:
        raise _unreadable(TOO_MANY_TEXT)
    return SheetContents(rows, hidden_lines)


def _read_visible_rows(sheet: Sheet) -> tuple[list[Row], list[int]]:
    """Return the visible rows, at most a heading and one row more than allowed, and the numbers of the hidden rows."""
    visible: list[Row] = []
    hidden_lines: list[int] = []
    for row in sheet.iter_rows():
        if row.is_hidden:
            hidden_lines.append(row.number)
            continue
        visible.append(row)
        if len(visible) == MAX_ROWS + 2:
            break
    return visible, hidden_lines


def _describe_hidden_rows(lines: Sequence[int]) -> str:
    return format_count(len(lines), HIDDEN_ROW_TEXT, HIDDEN_ROWS_TEXT)


def _has_two_columns(rows: Sequence[Row]) -> bool:
    return any(len(row.texts) > 1 for row in rows)


def _split_columns(rows: Sequence[Row]) -> Iterator[SheetRow]:
    """Yield the rows with their former address first and their target second, without the heading row.

    The column of former addresses is the one in which more of the first `SAMPLE_ROWS` rows have an address.
    """
    if not _has_two_columns(rows):
        return
    sample = [[*row.texts, ""][:2] for row in rows[:SAMPLE_ROWS]]
    first, second = (sum(is_address(texts[place]) for texts in sample) for place in (0, 1))
    place = 1 if second > first else 0
    for number, row in enumerate(rows):
        cells = [*row.texts, "", ""]
        address, target = cells[place], cells[1 - place]
        if number or is_address(address):  # the first row may be a head
            yield SheetRow(row.number, address, target, extra=any(cells[2:]))


async def _check_rows(
    session: AsyncSession, rows: Sequence[SheetRow]
) -> tuple[SheetResult, dict[str, RedirectTarget]]:
    """Return a result with the problems of invalid rows, and the targets of the other rows by normalized address."""
    result = SheetResult()
    addresses: dict[int, OldAddress] = {}
    for row in rows:
        try:
            addresses[row.line] = _parse_row(row)
        except InvalidData as error:
            result.problems.append(_to_problem(row, row.address, error.message))
    current = await find_current_pages(session, list(addresses.values()))
    targets_by_text = await find_targets(session, {row.target for row in rows if row.target})
    targets: dict[str, RedirectTarget] = {}
    lines: dict[str, int] = {}
    for row in rows:
        if row.line not in addresses:
            continue
        address = str(addresses[row.line])
        target = targets_by_text[row.target]
        shown = row.target[:MAX_SHOWN_LENGTH]
        if address in current:
            result.problems.append(_to_problem(row, row.address, OWN_ADDRESS_TEXT))
        elif target is None or target is AMBIGUOUS:
            text = UNKNOWN_TARGET_TEXT if target is None else SEVERAL_TARGETS_TEXT
            result.problems.append(_to_problem(row, row.target, text.format(text=shown)))
        elif targets.setdefault(address, target) != target:
            result.problems.append(_to_problem(row, row.address, TWICE_TEXT.format(line=lines[address])))
        lines.setdefault(address, row.line)
    return result, targets


def _parse_row(row: SheetRow) -> OldAddress:
    if row.extra:
        raise InvalidData(EXTRA_TEXT)
    if not row.target:
        raise InvalidData(NO_TARGET_TEXT)
    if not is_address(row.address):
        raise InvalidData(INVALID_ADDRESS_TEXT)
    try:
        return parse_address(row.address)
    except InvalidAddress:
        raise InvalidData(INVALID_ADDRESS_TEXT) from None


async def _store_batch(
    session: AsyncSession, actor: Actor, targets: Mapping[str, RedirectTarget], result: SheetResult
) -> None:
    known = await read_owners(session, targets)
    new = {address: target for address, target in targets.items() if address not in known}
    changed = {address: target for address, target in targets.items() if known.get(address, target) != target}
    result.created += len(new)
    result.changed += len(changed)
    result.same += len(targets) - len(new) - len(changed)
    if not new and not changed:
        return
    counts = {"addresses added": (None, len(new) or None), "addresses changed": (None, len(changed) or None)}
    await record(session, actor, "addresses imported", Subject(SubjectType.CATALOG, "redirects"), counts)
    await add_addresses(session, new)
    if changed:
        await session.execute(
            _CHANGE,
            [
                {
                    "of_address": address,
                    "product": target.product_id,
                    "category": target.category_id,
                    "collection": target.collection_id,
                    "moment": now(),
                }
                for address, target in changed.items()
            ],
        )


def _to_problem(row: SheetRow, value: str, text: str) -> SheetProblem:
    return SheetProblem(row.line, value[:MAX_SHOWN_LENGTH], text)


def _unreadable(text: str) -> InvalidData:
    return InvalidData(text, staff_text=text)


_TABLE = table_of(UrlRedirect)
_CHANGE = (
    update(_TABLE)
    .where(_TABLE.c.former_address == bindparam("of_address"))
    .values(
        product_id=bindparam("product"),
        category_id=bindparam("category"),
        collection_id=bindparam("collection"),
        updated_at=bindparam("moment"),
    )
)
