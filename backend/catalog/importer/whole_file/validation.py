"""Validation of the whole import file before anything is written."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.pictures import PictureFolder, read_shop_pictures
from backend.catalog.importer.publication import PRICE_ZERO, set_new_statuses
from backend.catalog.importer.row_matching import KnownProducts, MatchedRow, match_rows
from backend.catalog.importer.row_reader import Problem, Row, UnreadableFile, is_same_product
from backend.catalog.importer.source_rows import find_titled_rows
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.db.database import Database

MAX_PROBLEMS = 100
"""Maximum number of reported problems."""

UNIQUE = ("handle", "sku", "ean")
"""Columns whose values must not repeat within a file."""


class ImportRefused(Exception):
    """The file was rejected because of its problems. Nothing was written."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems)[:MAX_PROBLEMS]
        self.is_complete = len(problems) < MAX_PROBLEMS


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A valid file.

    Attributes:
        count: number of its rows.
        places: the categories and collections that it names.
        unpriced: lines that have a price of 0 and create or restore a product. These products become drafts.
    """

    count: int
    places: ProductGroups
    unpriced: Sequence[int] = ()


async def check_file(
    database: Database,
    read: Callable[[], Iterator[list[Row]]],
    pictures: PictureFolder,
    step: Callable[[int], None],
    *,
    makes_places: bool,
) -> CheckedFile:
    """Check the whole file.

    Args:
        read: yields the rows of the file in batches.
        pictures: the source folder of its pictures.
        step: called with the number of newly checked rows.
        makes_places: True if missing categories and collections will be created. In a shop without any, they are
            always created.

    Returns:
        The number of rows, the categories and collections to create before writing, and the lines of new products
            with a price of 0.

    Raises:
        ImportRefused: the file has problems.
    """
    problems: list[Problem] = []
    places = ProductGroups()
    names = {name: RepeatFinder() for name in UNIQUE}
    count = 0
    unpriced: list[int] = []
    try:
        async with database.read() as session:
            places = await ProductGroups.read(session, makes_places=makes_places)
        for rows in read():
            count += len(rows)
            matched, known_names = await _match_rows(database, rows, makes_places=makes_places)
            problems += [
                problem for row in rows for problem in _find_row_problems(row, places, pictures, known_names)
            ]
            problems += [problem for one in matched for problem in one.problems]
            unpriced += [
                one.row.line
                for one in set_new_statuses(matched, publishes=True)
                if any(note.code == PRICE_ZERO for note in one.row.notes)
            ]
            for name, repeats in names.items():
                repeats.add_all(str(value) for _line, value in _column_values(name, matched))
            step(len(rows))
            if len(problems) >= MAX_PROBLEMS:
                break
        problems += await _find_repeats(database, read, names, makes_places=makes_places)
    except UnreadableFile as error:
        problems.append(error.problem)
    if problems:
        raise ImportRefused(problems)
    return CheckedFile(count, places, unpriced)


class RepeatFinder:
    """Finder of repeated values that stores eight bytes per value."""

    def __init__(self) -> None:
        self._digests = array("Q")

    def add_all(self, values: Iterator[str]) -> None:
        """Store the digests of these values."""
        self._digests.extend(map(digest, values))

    def find_repeated_digests(self) -> set[int]:
        """Return the digests that occur more than once. Very rarely, two different values share a digest."""
        return {one for one, next_one in pairwise(sorted(self._digests)) if one == next_one}


def digest(value: str) -> int:
    """Return an eight-byte digest of the value as an integer."""
    return int.from_bytes(blake2b(value.encode(), digest_size=8).digest())


async def _match_rows(
    database: Database, rows: Sequence[Row], *, makes_places: bool
) -> tuple[list[MatchedRow], Collection[str]]:
    """Return the rows with their products, and the names of those pictures that the shop has already."""
    titled = find_titled_rows([row for row in rows if not row.problems])
    names = {name for row in rows for name in row.picture_names}
    async with database.read() as session:
        known_products = await KnownProducts.read(session, [*rows, *titled.values()])
        known_names = await read_shop_pictures(session, names) if names else {}
    return match_rows(known_products, rows, titled, creates_words=makes_places), known_names


async def _find_repeats(
    database: Database,
    read: Callable[[], Iterator[list[Row]]],
    names: dict[str, RepeatFinder],
    *,
    makes_places: bool,
) -> list[Problem]:
    """Return a problem for each value that is repeated although it must be unique.

    The file is read again only if digests repeat.
    """
    repeated_digests = {
        name: found for name, repeats in names.items() if (found := repeats.find_repeated_digests())
    }
    problems: list[Problem] = []
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for rows in read() if repeated_digests else ():
        matched, _known_names = await _match_rows(database, rows, makes_places=makes_places)
        for name, digests in repeated_digests.items():
            for line, value in _column_values(name, matched):
                if digest(value) not in digests:
                    continue
                first = seen[name].setdefault(value, line)
                if first != line:
                    problems.append(Problem(line, name, f"{value} is already in line {first}"))
        if len(problems) >= MAX_PROBLEMS:
            break
    return problems


def _column_values(column: str, matched: Sequence[MatchedRow]) -> Iterator[tuple[int, str]]:
    """Yield the line and the value of each filled cell of a column.

    Consecutive variants of one product have the same handle, which is yielded only once.
    """
    rows = [one.row for one in matched]
    for place, row in enumerate(rows):
        value = row.get(column)
        if value is not None and not (column == "handle" and place and is_same_product(rows[place - 1], row)):
            yield row.line, value


def _find_row_problems(
    row: Row, places: ProductGroups, pictures: PictureFolder, known_names: Collection[str]
) -> Iterator[Problem]:
    """Yield the row's problems with categories, collections and pictures."""
    yield from places.find_group_problems(row)
    for name in dict.fromkeys(row.picture_names):
        if name in known_names:
            continue
        try:
            pictures.inspect(name)
        except CellError as error:
            yield Problem(row.line, "pictures", str(error))
