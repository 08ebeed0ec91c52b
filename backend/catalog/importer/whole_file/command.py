"""The import from start to end: check the file, create the pictures, write the batches."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.batch_writer import ImportResult, ShopChanged, write_batch
from backend.catalog.importer.pictures import PictureFolder, read_shop_pictures
from backend.catalog.importer.row_reader import Problem, Row, UnreadableFile
from backend.catalog.importer.whole_file.product_file import MAX_NAMED, ProductFile, open_product_file
from backend.catalog.importer.whole_file.validation import ImportRefused, check_file
from backend.catalog.schemas.cell_parsers import CellError
from backend.core.db.database import Database
from backend.core.errors import ShopError
from backend.media.picture_widths import PreparedPicture

CONCURRENCY = 2
"""Pictures processed concurrently: a large one needs a few hundred megabytes of memory for a moment."""

StepCallback = Callable[[int], None]
ProgressBar = Callable[[int | None, str], AbstractContextManager[StepCallback]]
"""Creates a progress bar, from its length (if known) and its title."""
LossCounter = Callable[
    [AsyncSession, Sequence[Row], Mapping[str, PreparedPicture], str], Awaitable[Counter[str]]
]
"""Counts the values that rows would remove, by column: see `backend.imports.rows.losses.count_losses`."""


class UnconfirmedLosses(Exception):
    """The file would remove values of existing products, and this was not confirmed. No product was written."""

    def __init__(self, counts: Counter[str]) -> None:
        super().__init__(", ".join(f"{column} {count}" for column, count in sorted(counts.items())))
        self.counts = counts


async def import_file(
    database: Database,
    path: Path,
    pictures: PictureFolder,
    location_id: str,
    bar: ProgressBar,
    *,
    count_losses: LossCounter,
    columns: Mapping[str, str] = MappingProxyType({}),
    describe: Callable[[str], None] = lambda _line: None,
    only_check: bool = False,
    makes_places: bool = False,
    publishes: bool = False,
    confirms_losses: bool = False,
) -> ImportResult:
    """Import the file.

    Args:
        path: the file.
        pictures: the source folder of its pictures, and the store for the resized files.
        location_id: the location whose stock is set.
        bar: creates a progress bar.
        count_losses: counts the values of existing products that rows would remove. It is not called with
            `confirms_losses`.
        columns: see `open_product_file`.
        describe: called with each line about how the file was read.
        only_check: True to check the file and store its pictures, without writing products.
        makes_places: see `check_file`.
        publishes: True to publish new products without a status; otherwise they are drafts.
        confirms_losses: True if the file may remove values of existing products.

    Returns:
        The numbers of new, changed and unchanged rows; all 0 with `only_check`.

    Raises:
        ImportRefused: the file has problems; no product was written.
        UnconfirmedLosses: the file would remove values, and `confirms_losses` is False; no product was written.
        ShopChanged: the shop or the file changed in the meantime; batches that were already written are not rolled
            back.
    """
    file = await _open_file(database, path, columns, describe)
    with bar(None, "Looking through the file") as step:
        checked = await check_file(database, file.read, pictures, step, makes_places=makes_places)
        count = checked.count
    if lines := checked.unpriced:
        named = ", ".join(map(str, lines[:MAX_NAMED])) + (" …" if len(lines) > MAX_NAMED else "")
        describe(f"Price 0 without is_free: the products of {len(lines)} lines are drafts ({named}).")
    losses: Counter[str] = Counter()
    with bar(count, "Making the pictures") as step:
        for rows in file.read():
            prepared = await _prepare_pictures(database, pictures, rows)
            if not confirms_losses:
                async with database.read() as session:
                    losses += await count_losses(session, rows, prepared, location_id)
            step(len(rows))
    if losses:
        raise UnconfirmedLosses(losses)
    result = ImportResult()
    if only_check:
        return result
    try:
        async with database.transaction() as session:
            result.created_names = await checked.places.create_new_groups(session)
    except ShopError as error:
        raise ShopChanged(error.message) from error
    with bar(count, "Writing") as step:
        for rows in file.read():
            prepared = await _prepare_pictures(database, pictures, rows)
            try:
                await write_batch(
                    database, rows, location_id, prepared.__getitem__, result, publishes=publishes
                )
            except DBAPIError as error:
                raise ShopChanged(f"a concurrent change was faster ({type(error.orig).__name__})") from error
            step(len(rows))
    return result


async def _open_file(
    database: Database, path: Path, columns: Mapping[str, str], describe: Callable[[str], None]
) -> ProductFile:
    """Open the file, and describe how it was read.

    Raises:
        ImportRefused: the file cannot be read.
    """
    try:
        file = await open_product_file(database, path, columns)
    except UnreadableFile as error:
        raise ImportRefused([error.problem]) from None
    for line in file.description:
        describe(line)
    return file


async def _prepare_pictures(
    database: Database, pictures: PictureFolder, rows: Iterable[Row]
) -> dict[str, PreparedPicture]:
    """Resize the pictures of the rows, unless that was done before. Return the prepared pictures by name.

    Raises:
        ImportRefused: some pictures are damaged.
    """
    lines = {name: row.line for row in rows for name in row.picture_names}
    async with database.read() as session:
        stored = await read_shop_pictures(session, lines)
    limit = asyncio.Semaphore(CONCURRENCY)

    async def prepare(name: str) -> PreparedPicture | Problem:
        if name in stored:
            return stored[name]
        async with limit:
            try:
                return await asyncio.to_thread(pictures.prepare, name)
            except CellError as error:
                return Problem(lines[name], "pictures", str(error))

    prepared = dict(zip(lines, await asyncio.gather(*map(prepare, lines)), strict=True))
    if problems := [one for one in prepared.values() if isinstance(one, Problem)]:
        raise ImportRefused(problems)
    return {name: one for name, one in prepared.items() if isinstance(one, PreparedPicture)}
