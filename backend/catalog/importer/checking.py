"""Looking through the whole file before anything of it is written."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from sqlalchemy import select

from backend.catalog.importer.columns import CellError
from backend.catalog.importer.known import Known
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.reading import NAMES, Problem, Row, Unreadable, batches
from backend.catalog.models import Category, Collection
from backend.database import Database

MOST_PROBLEMS = 100
"""So many are told; whoever has mended them looks again."""


class Refused(Exception):
    """The file cannot be imported. Nothing was written."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems)[:MOST_PROBLEMS]
        self.are_all = len(problems) < MOST_PROBLEMS


async def check(database: Database, path: Path, pictures: PictureFolder, step: Callable[[int], None]) -> int:
    """Look through the file.

    Args:
        database: the shop's.
        path: the file.
        pictures: where its pictures are.
        step: is told of how many lines more were looked at.

    Returns:
        How many rows there are.

    Raises:
        Refused: there is something to mend.
    """
    problems: list[Problem] = []
    names = {name: Repeats() for name in NAMES}
    count = 0
    try:
        places = await _Places.read(database)
        for rows in batches(path):
            count += len(rows)
            problems += [problem for row in rows for problem in row.problems]
            problems += [problem for row in rows for problem in places.problems(row, pictures)]
            sound = [row for row in rows if not row.problems]
            async with database.read() as session:
                known = await Known.read(session, sound)
            matched = (known.match(row) for row in sound)
            problems += [found for found in matched if isinstance(found, Problem)]
            for name, repeats in names.items():
                repeats.add_all(str(row.get(name)) for row in rows if row.get(name))
            step(len(rows))
            if len(problems) >= MOST_PROBLEMS:
                break
        problems += _repeated(path, names)
    except Unreadable as error:
        problems.append(error.problem)
    if problems:
        raise Refused(problems)
    return count


class Repeats:
    """Finds values that came before, in eight bytes a value."""

    def __init__(self) -> None:
        self._digests = array("Q")

    def add_all(self, values: Iterator[str]) -> None:
        """Take these values in."""
        self._digests.extend(map(digest, values))

    def suspects(self) -> set[int]:
        """The digests that came more than once: of equal values, or, once in an age, of two that only share one."""
        return {one for one, next_one in pairwise(sorted(self._digests)) if one == next_one}


def digest(value: str) -> int:
    """Eight bytes that stand for the value."""
    return int.from_bytes(blake2b(value.encode(), digest_size=8).digest())


def _repeated(path: Path, names: dict[str, Repeats]) -> list[Problem]:
    """What comes twice. The file is read again only when something does."""
    suspects = {name: found for name, repeats in names.items() if (found := repeats.suspects())}
    problems: list[Problem] = []
    seen: dict[str, dict[str, int]] = defaultdict(dict)
    for row in (row for rows in batches(path) for row in rows) if suspects else ():
        for name, digests in suspects.items():
            value = row.get(name)
            if value is None or digest(value) not in digests:
                continue
            first = seen[name].setdefault(value, row.line)
            if first != row.line:
                problems.append(Problem(row.line, name, f"{value} stands in line {first} already"))
        if len(problems) >= MOST_PROBLEMS:
            break
    return problems


class _Places:
    """The categories and collections there are."""

    def __init__(self, categories: set[str], collections: set[str]) -> None:
        self._categories, self._collections = categories, collections

    @classmethod
    async def read(cls, database: Database) -> "_Places":
        async with database.read() as session:
            categories = set((await session.execute(select(Category.handle))).scalars())
            collections = set((await session.execute(select(Collection.handle))).scalars())
        return cls(categories, collections)

    def problems(self, row: Row, pictures: PictureFolder) -> Iterator[Problem]:
        """What the row names that is not there."""
        for category in row.get("categories") or ():
            if category not in self._categories:
                yield Problem(row.line, "categories", f"the shop has no category {category}")
        collection = row.get("collection")
        if collection is not None and collection not in self._collections:
            yield Problem(row.line, "collection", f"the shop has no collection {collection}")
        for name in row.get("pictures") or ():
            try:
                pictures.inspect(name)
            except CellError as error:
                yield Problem(row.line, "pictures", str(error))
