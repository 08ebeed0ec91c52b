"""An import from beginning to end: check all of it, make the pictures, write it batch by batch."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from backend.catalog.importer.batch_writer import ImportResult, ShopChanged, write
from backend.catalog.importer.file_validation import Refused, check
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.row_reader import Problem, Row, batches
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.db.database import Database
from backend.core.errors import ShopError
from backend.media.picture_widths import Prepared

AT_ONCE = 2
"""Pictures that are made at the same time: a large one takes a few hundred megabytes for a moment."""

Steps = Callable[[int], None]
Bar = Callable[[int | None, str], AbstractContextManager[Steps]]
"""Shows how far something is: its length, where it is known, and its name."""


async def import_file(
    database: Database,
    path: Path,
    pictures: PictureFolder,
    location_id: str,
    bar: Bar,
    *,
    only_check: bool,
    makes_places: bool = False,
) -> ImportResult:
    """Import the file.

    Args:
        path: the file.
        pictures: where its pictures are, and where what is made of them goes.
        location_id: the location that is stocked.
        bar: shows how far it is.
        only_check: write nothing.
        makes_places: see `check`.

    Returns:
        How many rows were new, changed or the same.

    Raises:
        Refused: there are problems; nothing was written.
        ShopChanged: the shop or the file changed meanwhile; batches written before stay.
    """
    with bar(None, "Looking through the file") as step:
        checked = await check(database, path, pictures, step, makes_places=makes_places)
        count = checked.count
    with bar(count, "Making the pictures") as step:
        for rows in batches(path):
            await _prepared(pictures, rows)
            step(len(rows))
    result = ImportResult()
    if only_check:
        return result
    try:
        async with database.transaction() as session:
            result.made = await checked.places.make(session)
    except ShopError as error:
        raise ShopChanged(error.message) from error
    with bar(count, "Writing") as step:
        for rows in batches(path):
            made = await _prepared(pictures, rows)
            try:
                await write(database, rows, location_id, made.__getitem__, result)
            except DBAPIError as error:
                raise ShopChanged(f"somebody else was quicker ({type(error.orig).__name__})") from error
            step(len(rows))
    return result


async def _prepared(pictures: PictureFolder, rows: Iterable[Row]) -> dict[str, Prepared]:
    """The rows' pictures by their names; made where they are not there yet.

    Raises:
        Refused: some of them are damaged.
    """
    lines = {name: row.line for row in rows for name in row.get("pictures") or ()}
    places = asyncio.Semaphore(AT_ONCE)

    async def prepare(name: str) -> Prepared | Problem:
        async with places:
            try:
                return await asyncio.to_thread(pictures.prepare, name)
            except CellError as error:
                return Problem(lines[name], "pictures", str(error))

    made = dict(zip(lines, await asyncio.gather(*map(prepare, lines)), strict=True))
    if problems := [one for one in made.values() if isinstance(one, Problem)]:
        raise Refused(problems)
    return {name: one for name, one in made.items() if isinstance(one, Prepared)}
