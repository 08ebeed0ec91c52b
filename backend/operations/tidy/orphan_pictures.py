"""Deletion of pictures to which no text in the database refers: their products were deleted or have other pictures.

A picture stays while the name of its folder appears in any text of any table, including tables of later versions.
It is deleted only some days after it was stored, because an import stores its pictures before its rows, and staff
upload pictures before they save the product.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import JSON, Column, ColumnElement, MetaData, String, Table, TypeDecorator, cast, or_, select

from backend.core.clock import now
from backend.core.db.database import Database
from backend.media.picture_store import URL, PictureEntry, PictureStore

MIN_AGE = timedelta(days=7)
MAX_FOLDERS = 500
"""Maximum number of folders that are deleted in one run."""
BATCH_SIZE = 2000

_NAMED = re.compile(rf"{URL}/([0-9a-f]+)/")


@dataclass(frozen=True, slots=True)
class OrphanPictures:
    """Picture files to which no text in the database refers, and their size in bytes."""

    names: tuple[str, ...] = ()
    size: int = 0


async def find_orphans(database: Database, pictures: PictureStore, tables: MetaData) -> OrphanPictures:
    """Return the picture files to which no text in the database refers, from at most `MAX_FOLDERS` folders.

    Raises:
        PicturesUnavailable: the store does not answer.
    """
    folders: dict[str, list[PictureEntry]] = defaultdict(list)
    youngest_to_go = now() - MIN_AGE
    async for some in pictures.iter_pictures():
        for picture in some:
            folders[picture.name.partition("/")[0]].append(picture)
    candidates = {
        folder
        for folder, files in folders.items()
        if all(picture.changed_at <= youngest_to_go for picture in files)
    }
    # the tables of pictures come first: after them hardly a candidate remains, and other tables need not be read
    for table in sorted(tables.tables.values(), key=lambda table: table.name not in ("picture", "product")):
        if not candidates:
            break
        candidates -= await _find_named_folders(database, table)
    orphans = [picture for folder in sorted(candidates)[:MAX_FOLDERS] for picture in folders[folder]]
    return OrphanPictures(
        tuple(picture.name for picture in orphans), sum(picture.size for picture in orphans)
    )


async def _find_named_folders(database: Database, table: Table) -> set[str]:
    """Return the picture folders whose names appear in the texts of a table.

    The table is read in batches, so that other statements do not wait long.
    """
    texts = [column for column in table.columns if _is_text(column)]
    if not texts:
        return set()
    key = table.primary_key.columns.values()[0]
    text_columns = [cast(column, String) for column in texts]
    named: set[str] = set()
    last = None
    while True:
        after: list[ColumnElement[bool]] = [key > last] if last is not None else []
        async with database.read() as session:
            ends = select(key).where(*after).order_by(key).offset(BATCH_SIZE - 1).limit(1)
            end = (await session.execute(ends)).scalar_one_or_none()
            piece = [*after, key <= end] if end is not None else after
            found = select(*text_columns).where(
                *piece, or_(*(text.contains(f"{URL}/") for text in text_columns))
            )
            for row in await session.execute(found):
                named.update(folder for text in row if text for folder in _NAMED.findall(text))
        if end is None:
            return named
        last = end


def _is_text(column: Column[object]) -> bool:
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    return isinstance(kind, (String, JSON)) and not column.primary_key and not column.foreign_keys
