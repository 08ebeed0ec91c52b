"""Pictures that nothing in the database names any more: of toys that are gone, or have others now.

A picture is kept while its folder's name stands anywhere in the database: in any text of any table, those of later
versions too. It has to be some days old: an import makes pictures before it writes what names them, and staff send them
before they save the product.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import JSON, Column, ColumnElement, MetaData, String, Table, TypeDecorator, cast, or_, select

from backend.core.clock import now
from backend.core.db.database import Database
from backend.media.picture_store import URL, Listed, PictureStore

YOUNG = timedelta(days=7)
MOST_FOLDERS = 500
"""At most so many are deleted in one run."""
ROWS_AT_ONCE = 2000

_NAMED = re.compile(rf"{URL}/([0-9a-f]+)/")


@dataclass(frozen=True, slots=True)
class Orphans:
    """Files that nothing names, and their bytes."""

    names: tuple[str, ...] = ()
    size: int = 0


async def find_orphans(database: Database, pictures: PictureStore, tables: MetaData) -> Orphans:
    """The files that nothing names: those of `MOST_FOLDERS` folders at most.

    Raises:
        PicturesUnavailable: the store does not answer.
    """
    folders: dict[str, list[Listed]] = defaultdict(list)
    youngest_to_go = now() - YOUNG
    async for some in pictures.listed():
        for picture in some:
            folders[picture.name.partition("/")[0]].append(picture)
    candidates = {
        folder
        for folder, files in folders.items()
        if all(picture.changed_at <= youngest_to_go for picture in files)
    }
    # the tables of pictures first: with them hardly a candidate is left, and the rest need not be read
    for table in sorted(tables.tables.values(), key=lambda table: table.name not in ("picture", "product")):
        if not candidates:
            break
        candidates -= await _named_in(database, table)
    gone = [picture for folder in sorted(candidates)[:MOST_FOLDERS] for picture in folders[folder]]
    return Orphans(tuple(picture.name for picture in gone), sum(picture.size for picture in gone))


async def _named_in(database: Database, table: Table) -> set[str]:
    """The folders that a table names. It is read in pieces, so that nobody waits long."""
    texts = [column for column in table.columns if _is_text(column)]
    if not texts:
        return set()
    key = table.primary_key.columns.values()[0]
    asked = [cast(column, String) for column in texts]
    named: set[str] = set()
    last = None
    while True:
        after: list[ColumnElement[bool]] = [key > last] if last is not None else []
        async with database.read() as session:
            ends = select(key).where(*after).order_by(key).offset(ROWS_AT_ONCE - 1).limit(1)
            end = (await session.execute(ends)).scalar_one_or_none()
            piece = [*after, key <= end] if end is not None else after
            found = select(*asked).where(*piece, or_(*(text.contains(f"{URL}/") for text in asked)))
            for row in await session.execute(found):
                named.update(folder for text in row if text for folder in _NAMED.findall(text))
        if end is None:
            return named
        last = end


def _is_text(column: Column[object]) -> bool:
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    return isinstance(kind, (String, JSON)) and not column.primary_key and not column.foreign_keys
