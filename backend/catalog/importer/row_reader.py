"""Reader of the import file: rows of parsed values, and the problems of each line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from backend.catalog.importer.cell_texts import AMOUNT_COLUMNS, cell_texts, mark_decimals, restore_age_range
from backend.catalog.importer.code_cells import CODE_COLUMNS, describe_damaged_code, find_code_fault
from backend.catalog.importer.columns import COLUMNS, ID_COLUMNS, OPTION_CELLS, OPTIONS, VARIANT_PICTURES
from backend.catalog.importer.headings import find_column
from backend.catalog.models import ONLY_VARIANT_TITLE
from backend.catalog.products.options import IMPLIED_TITLE
from backend.catalog.schemas.cell_numbers import find_exclusion
from backend.catalog.schemas.cell_parsers import CellError, Noted
from backend.core.commands import UNCHANGED
from backend.spreadsheet_reader.models import CellKind, Limits, Refusal, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import Sheet, open_spreadsheet

BATCH_SIZE = 500
TAX_RATE, TAX_EXCLUDED = "tax_rate", "tax_excluded"
MAX_QUOTED_LENGTH = 40
"""Maximum number of characters of a cell that a message quotes."""
LIMITS = Limits(
    max_file_bytes=1 << 30,
    max_unpacked_bytes=1 << 30,
    max_cells=50_000_000,
    max_columns=1_000,
    max_cpu_s=900,
    timeout_s=3_600,
    only_utf8=True,
)
"""Limits of the reader. The file comes from the operator, and may contain all products of a large shop."""
REFUSALS = {
    Refusal.TOO_LARGE: "the file is larger than 1 GiB",
    Refusal.TOO_MANY_CELLS: "the file has more than 50 million cells",
    Refusal.TOO_COMPLEX: "the file takes too much memory or time to read: split it",
    Refusal.DAMAGED: "this is no CSV: {detail}",
    Refusal.QUOTE: "this is no CSV: a quotation mark in a cell is not doubled, or one is missing ({detail})",
    Refusal.PASSWORD: "the file has a password: save it without one",
    Refusal.NOT_UTF8: "the file is not UTF-8 from about here: save it as CSV UTF-8",
    Refusal.OTHER_FORMAT: "this is a spreadsheet of another kind ({detail}): save it as .xlsx, in LibreOffice with"
    " File > Save As > Excel 2007-365, in Numbers with File > Export To > Excel, in Excel with File > Save As",
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem in the file that its author must correct. `column` is empty if the problem concerns the whole line."""

    line: int
    column: str
    message: str
    code: str = "cell"
    """Kind of the problem, for translated messages."""
    detail: str = ""
    """Subject of the problem: a handle, a line or a name."""

    def __str__(self) -> str:
        place = f"line {self.line}" + (f", {self.column}" if self.column else "")
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark for people about a cell or row that was read, such as rounded cents or a missing cell."""

    column: str
    code: str
    detail: str = ""


class UnreadableFile(Exception):
    """The file cannot be read, or cannot be read any further; `problem` has the reason and the line."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the file: the parsed values by column. A column without a value leaves the product unchanged."""

    line: int
    values: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()

    def get(self, column: str) -> Any:
        """Return the value in this column; None if the row has none."""
        return self.values.get(column)

    @property
    def picture_names(self) -> tuple[str, ...]:
        """Names of the pictures of the row's product and variant."""
        return (*(self.get("pictures") or ()), *(self.get(VARIANT_PICTURES) or ()))


def read_batches(path: Path, size: int = BATCH_SIZE) -> Iterator[list[Row]]:
    """Yield the rows of the file's first visible worksheet in batches. A child process reads the file.

    Consecutive variants of one product are in the same batch.

    Raises:
        UnreadableFile: the file is neither XLSX nor CSV in UTF-8, exceeds `LIMITS`, or has unknown headings.
    """
    with path.open("rb") as file, _translate_errors(), open_spreadsheet(file, LIMITS) as sheets:
        rows = _read_rows(next(sheets))
        following: Row | None = next(rows, None)
        while following is not None:
            batch = [following, *islice(rows, size - 1)]
            following = next(rows, None)
            while following is not None and is_same_product(batch[-1], following):
                batch.append(following)
                following = next(rows, None)
            yield batch


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Convert a reader's error into `UnreadableFile` with its reason and line."""
    try:
        yield
    except UnreadableSpreadsheet as error:
        message = REFUSALS[error.refusal].format(detail=error.detail)
        raise UnreadableFile(Problem(max(1, error.line), "", message)) from None


def is_same_product(row: Row, following: Row) -> bool:
    """Return True if both rows are variants of the same product, to be matched together."""
    handles = {row.get("handle"), following.get("handle")}
    return OPTIONS in row.values and OPTIONS in following.values and len(handles) == 1 and None not in handles


def _read_rows(sheet: Sheet) -> Iterator[Row]:
    rows = sheet.iter_rows()
    head = next(rows, None)
    names = _read_head(cell_texts(head) if head is not None else [])
    for row in rows:
        texts = cell_texts(row)
        if not sheet.is_text:  # a workbook omits the empty cells at the end of a row
            texts = [*texts, *("" for _missing in names[len(texts) :])]
        restored = _restore_age_ranges(names, texts, row.kinds)
        parsed = parse_row(row.number, names, _mark_decimals(names, restored, row.kinds))
        broken = tuple(_find_damaged_codes(row.number, names, texts, row.kinds))
        if row.is_hidden:
            broken += (Problem(row.number, "", "is hidden: show the row, or delete it"),)
        yield replace(parsed, problems=(*parsed.problems, *broken)) if broken else parsed


def _restore_age_ranges(names: Sequence[str], texts: list[str], kinds: str) -> list[str]:
    if CellKind.DATE not in kinds or "age_range" not in names:
        return texts
    place = names.index("age_range")
    return [restore_age_range(text) if number == place else text for number, text in enumerate(texts)]


def _mark_decimals(names: Sequence[str], texts: list[str], kinds: str) -> list[str]:
    if CellKind.NUMBER not in kinds:
        return texts
    return [
        mark_decimals(text) if name in AMOUNT_COLUMNS and kind == CellKind.NUMBER else text
        for name, text, kind in zip(names, texts, kinds.ljust(len(texts), CellKind.TEXT), strict=False)
    ]


def _find_damaged_codes(line: int, names: Sequence[str], texts: list[str], kinds: str) -> Iterator[Problem]:
    for name, text, kind in zip(names, texts, kinds, strict=False):
        if name in CODE_COLUMNS and (code := find_code_fault(text, kind, is_text_file=False)):
            yield Problem(line, name, describe_damaged_code(text), code, text)


def _read_head(texts: list[str]) -> list[str]:
    names = [find_column(cell) for cell in texts]
    unknown = [cell.strip() for cell, name in zip(texts, names, strict=True) if not name]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if unknown:
        raise UnreadableFile(
            Problem(1, "", f"unknown columns {unknown}; known columns are {', '.join(COLUMNS)}")
        )
    if repeated:
        raise UnreadableFile(Problem(1, "", f"repeated columns: {', '.join(repeated)}"))
    if not set(ID_COLUMNS) & set(names):
        raise UnreadableFile(Problem(1, "", "there must be a column handle or a column sku"))
    return names


def parse_row(line: int, names: Sequence[str], texts: Sequence[str | None]) -> Row:
    """Parse the cells under these columns into a row."""
    if len(texts) != len(names):
        message = f"has {len(texts)} cells, and the head has {len(names)}"
        return Row(line, {}, (Problem(line, "", message, "cells"),))
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    notes: list[Note] = []
    for name, text in zip(names, texts, strict=True):
        if text is None:  # not said
            continue
        column, cell = COLUMNS[name], text.strip()
        try:
            value = column.read(cell) if cell else column.empty
        except CellError as error:
            message = f"{error} (it is {shorten_cell(cell)!r})"
            problems.append(Problem(line, name, message, error.code, shorten_cell(cell)))
            continue
        if isinstance(value, Noted):
            notes.append(Note(name, value.code, shorten_cell(cell)))
            value = value.value
        if value is not UNCHANGED:
            values[name] = value
        if name == TAX_RATE and cell and (exclusion := find_exclusion(cell)) is not None:
            values.setdefault(TAX_EXCLUDED, exclusion)
    wrong = {problem.column for problem in problems}
    problems += [one for one in _move_options(line, values) if not _option_cells(one.column) & wrong]
    if OPTIONS not in values and (own := values.pop(VARIANT_PICTURES, ())):  # of the only variant
        values["pictures"] = tuple(dict.fromkeys([*values.get("pictures", ()), *own]))
    if values.get(TAX_EXCLUDED):
        values.setdefault(TAX_RATE, 0)
    problems += _check_cells_together(line, values, has_problems=bool(problems))
    return Row(line, values, tuple(problems), tuple(notes))


def _move_options(line: int, values: dict[str, Any]) -> Iterator[Problem]:
    """Replace the values of the option cells by one value, `OPTIONS`: the pairs of option title and value.

    Yield the problems of these cells, such as a repeated option.
    """
    option_values: dict[str, str] = {}
    cells = [(name, values.pop(name, "")) for name in OPTION_CELLS]
    for (title_cell, title), (value_cell, value) in zip(cells[::2], cells[1::2], strict=True):
        if value and not title:
            yield Problem(line, title_cell, f"is needed: {value} is a value of it", "option unnamed", value)
        elif title and not value:
            yield Problem(line, value_cell, f"is needed: it is the variant's {title}", "option empty", title)
        elif title in option_values:
            yield Problem(line, title_cell, f"{title} is twice in the line", "option again", title)
        elif title:
            option_values[title] = value
    if option_values and option_values != {
        IMPLIED_TITLE: ONLY_VARIANT_TITLE
    }:  # API clients see this pair for a product without options
        values[OPTIONS] = tuple(option_values.items())


def _option_cells(cell: str) -> set[str]:
    """Return the names of both cells (title and value) of the option that this cell belongs to."""
    number = cell[-1]
    return {f"option_{number}", f"value_{number}"}


def _check_cells_together(line: int, values: Mapping[str, Any], *, has_problems: bool) -> Iterator[Problem]:
    """Yield a problem if no cell names the product, and a problem for cells that contradict each other."""
    if not has_problems and not any(name in values for name in ID_COLUMNS):
        yield Problem(line, "handle", "is needed to identify the product", "no name")
    if values.get(TAX_EXCLUDED) and values.get(TAX_RATE):
        message = f"must be 0: the product is excluded from IVA (it is {values[TAX_RATE]})"
        yield Problem(line, TAX_RATE, message, "excluded")
    if (problem := find_compare_at_problem(line, values)) is not None:
        yield problem


def find_compare_at_problem(line: int, values: Mapping[str, Any]) -> Problem | None:
    """Return a problem if the price before a sale is not higher than the price."""
    price, before = values.get("price"), values.get("compare_at_price")
    if price is None or before is None or before > price:
        return None
    message = f"must be more than the price, {price} (it is {before})"
    return Problem(line, "compare_at_price", message, "before")


def shorten_cell(cell: str) -> str:
    """Return the cell, or its beginning if it is long, for messages."""
    return cell if len(cell) <= MAX_QUOTED_LENGTH else f"{cell[: MAX_QUOTED_LENGTH - 1]}…"
