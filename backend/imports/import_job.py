"""The job that writes an import in batches, each in its own transaction.

After an interruption the job continues where it was. If a staff member stops the import, the job ends after its batch.
Each batch locks the import's row, so two workers never write the same import at the same time.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from io import BytesIO
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Requester, Subject, SubjectType, record
from backend.catalog.importer.batch_writer import ShopChanged, write_rows
from backend.catalog.importer.columns import OPTIONS, PICTURE_COLUMNS
from backend.catalog.importer.pictures import DOWNLOAD_TIMEOUT_S, is_url
from backend.catalog.importer.row_reader import Problem, Row
from backend.catalog.importer.source_rows import parse_typed_row
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.core.outage import DatabaseUnavailable
from backend.core.web.outside_fetch import FETCHERS, FetchError, fetch
from backend.imports.confirmation import JOB
from backend.imports.events import ImportProgressed
from backend.imports.import_validation import (
    RowValidation,
    to_stored_changes,
    to_stored_messages,
    validate_rows,
)
from backend.imports.lookup import find_import
from backend.imports.models import (
    ImportStatus,
    Plan,
    ProductImport,
    ProductImportPicture,
    ProductImportRow,
    RowState,
)
from backend.imports.picture_matching import NOT_STORED, Album
from backend.imports.rows.changes import select_changed
from backend.inventory.movements import MovementDetails, Reason
from backend.jobs import JobRun, RunAgain, job
from backend.media.picture_store import PicturesUnavailable
from backend.media.picture_widths import PreparedPicture
from backend.media.uploads import MAX_FILE_BYTES, PictureRefused, PictureUploads, SentFile

log = logging.getLogger(__name__)

BATCH_SIZE = 50
"""Rows per transaction. A purchase waits for the locks no longer than one batch takes."""
RUN_TIME_S = 20.0
"""Maximum duration of one run of the job, in seconds. Then other jobs have their turn."""
RUN_TIMEOUT = timedelta(minutes=10)
FETCH_CONCURRENCY = 4
FETCH_TIME_S = 60.0
"""Seconds after which the remaining downloads of a batch are left for the next run."""
NOT_FETCHED = "not fetched"
"""Code of the problem that a picture could not be downloaded."""
SLOW_FETCH_S = 5.0
"""Seconds from which a failed download counts as slow."""
MAX_SLOW_FETCHES = 3
"""Number of consecutive slow failures after which this run downloads no more pictures from the host."""


class ProductImports:
    """Writes the imports that staff started."""

    def __init__(self, database: Database, uploads: PictureUploads, *, allow_private: bool = False) -> None:
        """Create the writer. With `allow_private`, picture URLs may also point to this machine and private networks."""
        self._database = database
        self._uploads = uploads
        self._allow_private = allow_private

    @job(JOB, concurrency=1, timeout=RUN_TIMEOUT)
    async def run(self, run: JobRun) -> RunAgain | None:
        """Continue an import until it has finished, or until `RUN_TIME_S` has passed; then the job runs again."""
        import_id = run.payload["import_id"]
        clock = asyncio.get_running_loop()
        until = clock.time() + RUN_TIME_S
        slow: Counter[str] = Counter()
        while await self._process_batch(import_id, slow):
            if clock.time() > until:
                return RunAgain(timedelta(0), reset=True)
            await asyncio.sleep(0)  # let other tasks run
        return None

    async def _process_batch(self, import_id: str, slow: Counter[str]) -> bool:
        """Process one batch. Return True if there may be more, False if the import has finished or was stopped.

        `slow` counts, by host, the latest downloads of this run that failed after a long time.
        """
        if not await self._fetch_pictures(import_id, slow):
            return True
        try:
            return await self._write_batch(import_id, BATCH_SIZE)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("a batch of an import failed: its rows are written one by one")
        for _row in range(BATCH_SIZE):
            try:
                if not await self._write_batch(import_id, 1):
                    return False
            except DatabaseUnavailable:
                raise
            except Exception as error:
                log.exception("a row was not imported with the others")
                code = "changed since" if isinstance(error, ShopChanged) else "failed"
                await self._refuse_first(import_id, code)
        return True

    async def _write_batch(self, import_id: str, limit: int) -> bool:
        async with self._database.transaction() as session:
            found = await find_import(session, import_id, lock=True)
            if found.status != ImportStatus.RUNNING:
                return False
            waiting = await _find_waiting_rows(session, import_id, limit)
            if waiting:
                await _write_rows(session, found, waiting)
            else:
                found.status = ImportStatus.DONE
            await publish(session, ImportProgressed(import_id))
        return bool(waiting)

    async def _refuse_first(self, import_id: str, code: str) -> None:
        """Refuse the next row, which failed when it was written alone. The import continues with the other rows."""
        async with self._database.transaction() as session:
            await find_import(session, import_id, lock=True)
            for row in (await _find_waiting_rows(session, import_id, 1))[:1]:
                problems = to_stored_messages([Problem(row.line, "", code, code)])
                await session.execute(
                    _OUTCOME, [_outcome_values(row, RowState.REFUSED, problems, row.changes)]
                )

    async def _fetch_pictures(self, import_id: str, slow: Counter[str]) -> bool:
        """Download the pictures that the next rows name by web address.

        Return False if there was not enough time for all of them. The pictures are downloaded and stored in small
        groups, so an interrupted run does not lose earlier groups.
        """
        addresses = await self._hosted_pictures(import_id)
        clock = asyncio.get_running_loop()
        until = clock.time() + FETCH_TIME_S
        for start in range(0, len(addresses), FETCH_CONCURRENCY):
            if start and clock.time() > until:
                return False
            some = addresses[start : start + FETCH_CONCURRENCY]
            found = await asyncio.gather(*(self._fetch_unless_slow(name, slow) for name in some))
            async with self._database.transaction() as session:
                status = (await find_import(session, import_id, lock=True)).status
                for name, (url, problem) in zip(some, found, strict=True):
                    picture = ProductImportPicture(import_id=import_id, name=name, url=url, problem=problem)
                    await session.merge(picture)
            if status != ImportStatus.RUNNING:
                break
        return True

    async def _hosted_pictures(self, import_id: str) -> Sequence[str]:
        """Return the web addresses of the next rows' pictures that were not requested yet."""
        async with self._database.read() as session:
            found = await session.get(ProductImport, import_id)
            if (
                found is None
                or found.status != ImportStatus.RUNNING
                or not PICTURE_COLUMNS & {*found.columns}
            ):
                return []
            rows = [
                parse_typed_row(found.columns, one.line, one.texts)
                for one in await _find_waiting_rows(session, import_id, BATCH_SIZE)
            ]
            names = {name for row in rows for name in row.picture_names if is_url(name)}
            album = await Album.read(session, import_id, names)
        return [name for name in sorted(names) if album.find(name) is None and not album.find_problem(name)]

    async def _fetch_unless_slow(self, address: str, slow: Counter[str]) -> tuple[str, str]:
        """Call `_fetch_picture`. If the host was slow too often in this run, return a problem without a download."""
        host = address.split("/", 3)[2].lower()
        if slow[host] >= MAX_SLOW_FETCHES:
            return "", NOT_FETCHED
        clock = asyncio.get_running_loop()
        started = clock.time()
        url, problem = await self._fetch_picture(address)
        if problem != NOT_FETCHED:
            slow[host] = 0
        elif clock.time() - started >= SLOW_FETCH_S:
            slow[host] += 1
        return url, problem

    async def _fetch_picture(self, address: str) -> tuple[str, str]:
        """Download and store a picture.

        Return its URL in the picture store and the problem code; one of the two is empty.
        """
        try:
            content = await FETCHERS.run(
                fetch,
                address,
                max_bytes=MAX_FILE_BYTES,
                timeout_s=DOWNLOAD_TIMEOUT_S,
                allow_private=self._allow_private,
            )
            name = blake2b(address.encode(), digest_size=8).hexdigest()
            (stored,) = await self._uploads.store_unchecked([SentFile(name, len(content), BytesIO(content))])
        except FetchError:
            return "", NOT_FETCHED
        except PictureRefused as error:
            return "", error.reason
        except PicturesUnavailable:
            return "", NOT_STORED
        return stored.url, ""


async def _find_waiting_rows(session: AsyncSession, import_id: str, limit: int) -> Sequence[ProductImportRow]:
    """Return the next waiting rows, and with them all other waiting rows of the same products."""
    query = select(ProductImportRow).where(
        ProductImportRow.import_id == import_id, ProductImportRow.state == RowState.WAITING
    )
    rows = (await session.execute(query.order_by(ProductImportRow.line).limit(limit))).scalars().all()
    products = {row.of_product for row in rows} - {""}
    if not products:
        return rows
    lines = {row.line for row in rows}
    others = (await session.execute(query.where(ProductImportRow.of_product.in_(products)))).scalars()
    return sorted([*rows, *(row for row in others if row.line not in lines)], key=lambda row: row.line)


async def _write_rows(
    session: AsyncSession, found: ProductImport, waiting: Sequence[ProductImportRow]
) -> None:
    rows = [parse_typed_row(found.columns, row.line, row.texts) for row in waiting]
    by_line = {row.line: row for row in waiting}
    validated = await validate_rows(session, found, rows, None, lock=True)
    created = await _find_created_products(session, found.id, validated)
    good: list[RowValidation] = []
    outcomes: list[dict[str, Any]] = []
    for now in validated:
        row = by_line[now.row.line]
        validation = _restrict_to_preview(row, now, created)
        if validation.problems:
            outcomes.append(
                _outcome_values(row, RowState.REFUSED, to_stored_messages(validation.problems), row.changes)
            )
        elif validation.plan is Plan.SAME:
            outcomes.append(_written_values(row, validation, row.changes))
        else:
            good.append(validation)
    actor = Requester(found.actor_id)
    names = {name for validation in good for name in validation.row.picture_names}
    album = await Album.read(session, found.id, names)
    writable = [_to_row(validation) for validation in good]
    targets, _changed = await write_rows(
        session,
        writable,
        found.location_id,
        partial(_get_picture, album),
        MovementDetails(Reason.COUNT, actor),
    )
    for validation, target in zip(good, targets, strict=True):
        row = by_line[validation.row.line]
        subject = Subject(SubjectType.PRODUCT, target.product.id)
        changes = {
            change["column"]: (change["before"], change["after"])
            for change in to_stored_changes(validation.changes)
        }
        action = "created" if target.is_new else "variant added" if target.is_new_variant else "changed"
        await record(session, actor, action, subject, changes)
        written = _written_values(row, validation, to_stored_changes(validation.changes))
        outcomes.append({**written, "new_product": target.product.id, "new_plan": validation.plan.value})
    await session.execute(_OUTCOME, outcomes)


def _to_row(validation: RowValidation) -> Row:
    row = validation.row
    match = validation.match
    if match is None or match.product is None:
        return row
    values = select_changed(row.values, validation.changes) | {"product_id": match.product.id}
    if match.variant is None:
        return Row(row.line, values | {OPTIONS: row.values[OPTIONS]} if OPTIONS in row.values else values)
    return Row(row.line, values | {"variant_id": match.variant.id})


async def _find_created_products(
    session: AsyncSession, import_id: str, validated: Sequence[RowValidation]
) -> set[str]:
    """Return the ids of the rows' products that this import created."""
    ids = {
        one.match.product.id for one in validated if one.match is not None and one.match.product is not None
    }
    query = select(ProductImportRow.product_id).where(
        ProductImportRow.import_id == import_id,
        ProductImportRow.state.in_([RowState.DONE, RowState.PARTIAL]),
        ProductImportRow.product_id.in_(ids),
    )
    return set((await session.execute(query)).scalars())


def _restrict_to_preview(
    row: ProductImportRow, validation: RowValidation, created: set[str]
) -> RowValidation:
    """Restrict a row to the changes that its preview showed.

    The row gets a problem if a current value differs from the value in the preview, for example because units were
    sold in the meantime. `created` are the ids of the products that this import created.
    """
    product = validation.match.product if validation.match else None
    is_of_others = product is not None and row.product_id != product.id and product.id not in created
    if validation.plan is not Plan.WRONG and (
        (row.plan == Plan.NEW) != (validation.plan is Plan.NEW) or (row.plan == Plan.NEW and is_of_others)
    ):
        return replace(validation, problems=[Problem(row.line, "", "changed since", "changed since")])
    if row.plan == Plan.NEW:
        return validation
    shown = {change["column"]: change["before"] for change in row.changes}
    changes = {column: change for column, change in validation.changes.items() if column in shown}
    moved = [
        Problem(row.line, change["column"], "changed since", "changed since")
        for change in to_stored_changes(changes)
        if shown[change["column"]] != change["before"]
    ]
    return replace(validation, changes=changes, problems=[*validation.problems, *moved])


def _get_picture(album: Album, name: str) -> PreparedPicture:
    found = album.find(name)
    if found is None:
        raise ShopChanged(f"the picture {name} is gone")
    return found


def _written_values(
    row: ProductImportRow, validation: RowValidation, changes: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    state = RowState.PARTIAL if validation.lost_pictures else RowState.DONE
    return _outcome_values(row, state, to_stored_messages(validation.lost_pictures), changes)


def _outcome_values(
    row: ProductImportRow,
    state: RowState,
    problems: Sequence[Mapping[str, Any]],
    changes: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    return {
        "of_import": row.import_id,
        "at_line": row.line,
        "new_state": state.value,
        "new_plan": row.plan,
        "new_problems": list(problems),
        "new_changes": list(changes),
        "new_product": row.product_id,
    }


_ROW = table_of(ProductImportRow)
_OUTCOME = (
    update(_ROW)
    .where(_ROW.c.import_id == bindparam("of_import"), _ROW.c.line == bindparam("at_line"))
    .values(
        state=bindparam("new_state"),
        plan=bindparam("new_plan"),
        product_id=bindparam("new_product"),
        problems=bindparam("new_problems", type_=_ROW.c.problems.type),
        changes=bindparam("new_changes", type_=_ROW.c.changes.type),
    )
)
