"""Reading the file, a row at a time: its columns, and what is wrong in a line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from backend.catalog.importer.cell_texts import cell_texts
from backend.catalog.importer.columns import COLUMNS, NAMES, OPTION_CELLS, OPTIONS
from backend.catalog.importer.headings import column_of
from backend.catalog.models import ONLY
from backend.catalog.products.options import IMPLIED_TITLE
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.commands import UNCHANGED
from backend.spreadsheet_reader.models import Limits, Refusal, UnreadableSpreadsheet
from backend.spreadsheet_reader.reader import Sheet, open_spreadsheet

BATCH = 500
LIMITS = Limits(
    max_file_bytes=1 << 30,
    max_unpacked_bytes=1 << 30,
    max_cells=50_000_000,
    max_columns=1_000,
    max_cpu_s=900,
    timeout_s=3_600,
    only_utf8=True,
)
"""A command reads its owner's file, which may hold all products of a large shop."""
REFUSALS = {
    Refusal.TOO_LARGE: "the file is larger than 1 GiB",
    Refusal.TOO_MANY_CELLS: "the file has more than 50 million cells",
    Refusal.TOO_COMPLEX: "the file takes too much memory or time to read: split it",
    Refusal.DAMAGED: "this is no CSV: {detail}",
    Refusal.NOT_UTF8: "the file is not UTF-8 from about here: save it as CSV UTF-8",
    Refusal.OTHER_FORMAT: "this is a spreadsheet of another kind ({detail}): save it as .xlsx, in LibreOffice with"
    " File > Save As > Excel 2007-365, in Numbers with File > Export To > Excel, in Excel with File > Save As",
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something in the file that has to be mended. `column` is empty when it concerns the whole line."""

    line: int
    column: str
    message: str
    code: str = "cell"
    """What kind of problem it is, for who says it in other words."""
    detail: str = ""
    """What the kind is about: a handle, a line, a name."""

    def __str__(self) -> str:
        place = f"line {self.line}" + (f", {self.column}" if self.column else "")
        return f"{place}: {self.message}"


class Unreadable(Exception):
    """The file cannot be read on from here."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the file: the values of the columns that say something. What is not in it is left as it is."""

    line: int
    values: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()

    def get(self, column: str) -> Any:
        """The value in this column; None when there is none."""
        return self.values.get(column)


def batches(path: Path, size: int = BATCH) -> Iterator[list[Row]]:
    """Yield the rows of the file's first visible sheet in batches. A child process reads the file.

    Raises:
        Unreadable: it is neither XLSX nor CSV in UTF-8, it exceeds `LIMITS`, or its head is not one we know.
    """
    with path.open("rb") as file, _reading(), open_spreadsheet(file, LIMITS) as sheets:
        rows = _rows(next(sheets))
        following: Row | None = next(rows, None)
        while following is not None:
            batch = [following, *islice(rows, size - 1)]
            following = next(rows, None)
            while following is not None and follows(batch[-1], following):
                batch.append(following)
                following = next(rows, None)
            yield batch


@contextmanager
def _reading() -> Iterator[None]:
    """Report why the file cannot be read on, and in which line."""
    try:
        yield
    except UnreadableSpreadsheet as error:
        message = REFUSALS[error.refusal].format(detail=error.detail)
        raise Unreadable(Problem(max(1, error.line), "", message)) from None


def follows(row: Row, following: Row) -> bool:
    """Whether the second row is another variant of the first one's product: they are looked at together."""
    handles = {row.get("handle"), following.get("handle")}
    return OPTIONS in row.values and OPTIONS in following.values and len(handles) == 1 and None not in handles


def _rows(sheet: Sheet) -> Iterator[Row]:
    rows = sheet.rows()
    head = next(rows, None)
    names = _head(cell_texts(head) if head is not None else [])
    for row in rows:
        texts = cell_texts(row)
        if not sheet.is_text:  # a workbook stores no cells after the last filled one
            texts = [*texts, *("" for _missing in names[len(texts) :])]
        yield row_of(row.number, names, texts)


def _head(texts: list[str]) -> list[str]:
    names = [column_of(cell) for cell in texts]
    unknown = [cell.strip() for cell, name in zip(texts, names, strict=True) if not name]
    twice = sorted({name for name in names if names.count(name) > 1})
    if unknown:
        raise Unreadable(Problem(1, "", f"unknown columns {unknown}; known are {', '.join(COLUMNS)}"))
    if twice:
        raise Unreadable(Problem(1, "", f"columns that come twice: {', '.join(twice)}"))
    if not set(NAMES) & set(names):
        raise Unreadable(Problem(1, "", "there must be a column handle or a column sku"))
    return names


def row_of(line: int, names: Sequence[str], texts: Sequence[str]) -> Row:
    """The row of these cells, under columns of these names."""
    if len(texts) != len(names):
        message = f"has {len(texts)} cells, and the head has {len(names)}"
        return Row(line, {}, (Problem(line, "", message, "cells"),))
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, cell in zip(names, map(str.strip, texts), strict=True):
        column = COLUMNS[name]
        try:
            value = column.read(cell) if cell else column.empty
        except CellError as error:
            problems.append(Problem(line, name, f"{error} (it is {_shown(cell)})"))
            continue
        if value is not UNCHANGED:
            values[name] = value
    wrong = {problem.column for problem in problems}
    problems += [one for one in _take_options(line, values) if not _pair_of(one.column) & wrong]
    problems += _together(line, values, has_problems=bool(problems))
    return Row(line, values, tuple(problems))


def _take_options(line: int, values: dict[str, Any]) -> Iterator[Problem]:
    """Put the options and values of the line together under `OPTIONS`; say what is wrong between them."""
    said: dict[str, str] = {}
    cells = [(name, values.pop(name, "")) for name in OPTION_CELLS]
    for (title_cell, title), (value_cell, value) in zip(cells[::2], cells[1::2], strict=True):
        if value and not title:
            yield Problem(line, title_cell, f"is needed: {value} is a value of it", "option unnamed", value)
        elif title and not value:
            yield Problem(line, value_cell, f"is needed: it is the variant's {title}", "option empty", title)
        elif title in said:
            yield Problem(line, title_cell, f"{title} stands twice in the line", "option again", title)
        elif title:
            said[title] = value
    if said and said != {IMPLIED_TITLE: ONLY}:  # which programs see of a product without any
        values[OPTIONS] = tuple(said.items())


def _pair_of(cell: str) -> set[str]:
    """The cells of an option and its value, of which this is one."""
    number = cell[-1]
    return {f"option_{number}", f"value_{number}"}


def _together(line: int, values: Mapping[str, Any], *, has_problems: bool) -> Iterator[Problem]:
    """What is wrong between the cells of a line."""
    if not has_problems and not any(name in values for name in NAMES):
        yield Problem(line, "handle", "is needed to know the product by", "no name")
    price, before = values.get("price"), values.get("compare_at_price")
    if price is not None and before is not None and before <= price:
        yield Problem(
            line, "compare_at_price", f"must be more than the price, {price} (it is {before})", "before"
        )


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else cell[:39] + "…")
