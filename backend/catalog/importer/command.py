"""The import from start to end: check the file, create the pictures, write the batches."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from backend.catalog.importer.batch_writer import ImportResult, ShopChanged, write_batch
from backend.catalog.importer.file_validation import ImportRefused, check_file
from backend.catalog.importer.pictures import PictureFolder
from backend.catalog.importer.row_reader import Problem, Row, read_batches
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.db.database import Database
from backend.core.errors import ShopError
from backend.media.picture_widths import PreparedPicture

CONCURRENCY = 2
"""Pictures processed concurrently: a large one needs a few hundred megabytes of memory for a moment."""

StepCallback = Callable[[int], None]
ProgressBar = Callable[[int | None, str], AbstractContextManager[StepCallback]]
"""Creates a progress bar, from its length (if known) and its title."""


async def import_file(
    database: Database,
    path: Path,
    pictures: PictureFolder,
    location_id: str,
    bar: ProgressBar,
    *,
    only_check: bool,
    makes_places: bool = False,
) -> ImportResult:
    """Import the file.

    Args:
        path: the file.
        pictures: the source folder of its pictures, and the store for the resized files.
        location_id: the location whose stock is set.
        bar: creates a progress bar.
        only_check: write nothing.
        makes_places: see `check_file`.

    Returns:
        The number of new, changed and unchanged rows.

    Raises:
        ImportRefused: the file has problems; nothing was written.
        ShopChanged: the shop or the file changed in the meantime; batches that were already written are not rolled
            back.
    """
    with bar(None, "Looking through the file") as step:
        checked = await check_file(database, path, pictures, step, makes_places=makes_places)
        count = checked.count
    with bar(count, "Making the pictures") as step:
        for rows in read_batches(path):
            await _prepare_pictures(pictures, rows)
            step(len(rows))
    result = ImportResult()
    if only_check:
        return result
    try:
        async with database.transaction() as session:
            result.created_names = await checked.places.create_new_groups(session)
    except ShopError as error:
        raise ShopChanged(error.message) from error
    with bar(count, "Writing") as step:
        for rows in read_batches(path):
            prepared = await _prepare_pictures(pictures, rows)
            try:
                await write_batch(database, rows, location_id, prepared.__getitem__, result)
            except DBAPIError as error:
                raise ShopChanged(f"a concurrent change was faster ({type(error.orig).__name__})") from error
            step(len(rows))
    return result


async def _prepare_pictures(pictures: PictureFolder, rows: Iterable[Row]) -> dict[str, PreparedPicture]:
    """Resize the pictures of the rows, unless that was done before. Return the prepared pictures by name.

    Raises:
        ImportRefused: some pictures are damaged.
    """
    lines = {name: row.line for row in rows for name in row.get("pictures") or ()}
    limit = asyncio.Semaphore(CONCURRENCY)

    async def prepare(name: str) -> PreparedPicture | Problem:
        async with limit:
            try:
                return await asyncio.to_thread(pictures.prepare, name)
            except CellError as error:
                return Problem(lines[name], "pictures", str(error))

    prepared = dict(zip(lines, await asyncio.gather(*map(prepare, lines)), strict=True))
    if problems := [one for one in prepared.values() if isinstance(one, Problem)]:
        raise ImportRefused(problems)
    return {name: one for name, one in prepared.items() if isinstance(one, PreparedPicture)}
