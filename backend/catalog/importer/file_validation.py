"""Checking the whole file before anything of it is written, and finding the product of a row."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from backend.catalog.importer.categories import Places
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.row_matching import Known, settle
from backend.catalog.importer.row_reader import Problem, Row, Unreadable, batches, follows
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.db.database import Database

MOST_PROBLEMS = 100
"""At most so many are reported."""

UNIQUE = ("handle", "sku", "ean")
"""The columns in which no two rows have the same."""


class Refused(Exception):
    """The file cannot be imported. Nothing was written."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems)[:MOST_PROBLEMS]
        self.are_all = len(problems) < MOST_PROBLEMS


@dataclass(frozen=True, slots=True)
class Checked:
    """A file without problems: how many rows it has, and the places that it names."""

    count: int
    places: Places


async def check(
    database: Database,
    path: Path,
    pictures: PictureFolder,
    step: Callable[[int], None],
    *,
    makes_places: bool,
) -> Checked:
    """Check the whole file.

    Args:
        path: the file.
        pictures: where its pictures are.
        step: is called with how many more lines were checked.
        makes_places: categories and collections that the shop does not have are to be made. In a shop without any
            they are in any case.

    Returns:
        How many rows there are, and what is to be made before they are written.

    Raises:
        Refused: there are problems.
    """
    problems: list[Problem] = []
    places = Places()
    names = {name: Repeats() for name in UNIQUE}
    count = 0
    try:
        async with database.read() as session:
            places = await Places.read(session, makes_places=makes_places)
        for rows in batches(path):
            count += len(rows)
            problems += [problem for row in rows for problem in _of_places(row, places, pictures)]
            sound = [row for row in rows if not row.problems]
            async with database.read() as session:
                known = await Known.read(session, sound)
            problems += [problem for one in settle(known, rows) for problem in one.problems]
            for name, repeats in names.items():
                repeats.add_all(str(value) for _line, value in _said(name, rows))
            step(len(rows))
            if len(problems) >= MOST_PROBLEMS:
                break
        problems += _repeated(path, names)
    except Unreadable as error:
        problems.append(error.problem)
    if problems:
        raise Refused(problems)
    return Checked(count, places)


class Repeats:
    """Finds values that occur twice, in eight bytes a value."""

    def __init__(self) -> None:
        self._digests = array("Q")

    def add_all(self, values: Iterator[str]) -> None:
        """Add these values."""
        self._digests.extend(map(digest, values))

    def suspects(self) -> set[int]:
        """The digests that occur more than once: of equal values, or very rarely of two with one digest."""
        return {one for one, next_one in pairwise(sorted(self._digests)) if one == next_one}


def digest(value: str) -> int:
    """Eight bytes that stand for the value."""
    return int.from_bytes(blake2b(value.encode(), digest_size=8).digest())


def _repeated(path: Path, names: dict[str, Repeats]) -> list[Problem]:
    """Values that occur twice. The file is read again only when there are any."""
    suspects = {name: found for name, repeats in names.items() if (found := repeats.suspects())}
    problems: list[Problem] = []
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for rows in batches(path) if suspects else ():
        for name, digests in suspects.items():
            for line, value in _said(name, rows):
                if digest(value) not in digests:
                    continue
                first = seen[name].setdefault(value, line)
                if first != line:
                    problems.append(Problem(line, name, f"{value} stands in line {first} already"))
        if len(problems) >= MOST_PROBLEMS:
            break
    return problems


def _said(column: str, rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """The lines and values of a column; of a product's variants that follow each other, its handle once."""
    for place, row in enumerate(rows):
        value = row.get(column)
        if value is not None and not (column == "handle" and place and follows(rows[place - 1], row)):
            yield row.line, value


def _of_places(row: Row, places: Places, pictures: PictureFolder) -> Iterator[Problem]:
    """What the row names that there is not."""
    yield from places.problems_of(row)
    for name in row.get("pictures") or ():
        try:
            pictures.inspect(name)
        except CellError as error:
            yield Problem(row.line, "pictures", str(error))
