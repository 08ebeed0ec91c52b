"""The job that writes an import, batch by batch, each in a transaction of its own.

A program that ends in between goes on where it was. Two workers with the same import take turns by its row's lock.
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

from backend.audit import Requester, Subject, Thing, record
from backend.catalog.importer.batch_writer import ShopChanged, write_rows
from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.pictures import FETCHED_WITHIN, is_address
from backend.catalog.importer.row_reader import Problem, Row
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.events import publish
from backend.core.outage import DatabaseUnavailable
from backend.core.web.outside_fetch import FETCHERS, NotFetched, fetch
from backend.imports.confirmation import JOB
from backend.imports.events import ImportMoved
from backend.imports.import_validation import Judged, as_changes, as_problems, judge
from backend.imports.lookup import find_import
from backend.imports.models import (
    ImportStatus,
    Plan,
    ProductImport,
    ProductImportPicture,
    ProductImportRow,
    RowState,
)
from backend.imports.picture_matching import Album
from backend.imports.row_changes import only_changed
from backend.imports.row_parsing import typed_row
from backend.inventory.movements import Reason, Why
from backend.jobs import JobRun, RunAgain, job
from backend.media.picture_store import PicturesUnavailable
from backend.media.picture_widths import Prepared
from backend.media.uploads import MOST_FILE_BYTES, PictureRefused, PictureUploads, SentFile

log = logging.getLogger(__name__)

AT_ONCE = 50
"""Rows that are written in one transaction: a sale waits for no longer than that takes."""
WITHIN = 20.0
"""Seconds that one run of the job takes; then others have their turn."""
LONGEST_RUN = timedelta(minutes=10)
FETCHED_AT_ONCE = 4
FETCHING_WITHIN = 60.0
"""Seconds after which the other pictures of a batch that are hosted elsewhere are left to the next run."""
NOT_FETCHED = "not fetched"
SLOW = 5.0
"""Seconds after which a picture that cannot be had counts against its host."""
SLOW_AT_MOST = 3
"""So many in a row, and in this run the host is not asked again."""


class ProductImports:
    """Writes imports that staff began."""

    def __init__(self, database: Database, uploads: PictureUploads, *, allow_private: bool = False) -> None:
        """`allow_private`: pictures may also be hosted on this machine and in its networks."""
        self._database = database
        self._uploads = uploads
        self._allow_private = allow_private

    @job(JOB, at_once=1, timeout=LONGEST_RUN)
    async def run(self, run: JobRun) -> RunAgain | None:
        """Go on with an import until it is done, or for `WITHIN` seconds."""
        import_id = run.payload["import_id"]
        clock = asyncio.get_running_loop()
        until = clock.time() + WITHIN
        slow: Counter[str] = Counter()
        while await self._step(import_id, slow):
            if clock.time() > until:
                return RunAgain(timedelta(0), reset=True)
            await asyncio.sleep(0)  # others are served in between
        return None

    async def _step(self, import_id: str, slow: Counter[str]) -> bool:
        """One batch. Whether there may be more.

        `slow`: how many pictures in a row each host has let this run wait for in vain.
        """
        if not await self._fetch_pictures(import_id, slow):
            return True
        try:
            return await self._batch(import_id, AT_ONCE)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("a batch of an import failed: its rows are written one by one")
        for _row in range(AT_ONCE):
            try:
                if not await self._batch(import_id, 1):
                    return False
            except DatabaseUnavailable:
                raise
            except Exception as error:
                log.exception("a row was not imported with the others")
                code = "changed since" if isinstance(error, ShopChanged) else "failed"
                await self._refuse_first(import_id, code)
        return True

    async def _batch(self, import_id: str, most: int) -> bool:
        async with self._database.transaction() as session:
            found = await find_import(session, import_id, lock=True)
            if found.status != ImportStatus.RUNNING:
                return False
            waiting = await _waiting(session, import_id, most)
            if waiting:
                await _write(session, found, waiting)
            else:
                found.status = ImportStatus.DONE
            await publish(session, ImportMoved(import_id))
        return bool(waiting)

    async def _refuse_first(self, import_id: str, code: str) -> None:
        """Let the row that comes next be one that failed, so that the others go on."""
        async with self._database.transaction() as session:
            await find_import(session, import_id, lock=True)
            for row in (await _waiting(session, import_id, 1))[:1]:
                problems = as_problems([Problem(row.line, "", code, code)])
                await session.execute(_OUTCOME, [_outcome(row, RowState.REFUSED, problems, row.changes)])

    async def _fetch_pictures(self, import_id: str, slow: Counter[str]) -> bool:
        """Make the pictures of the next rows that are hosted elsewhere. Whether none of them is missing now.

        They are stored in fours: a run that is ended in between keeps what came.
        """
        wanted = await self._hosted_pictures(import_id)
        clock = asyncio.get_running_loop()
        until = clock.time() + FETCHING_WITHIN
        for start in range(0, len(wanted), FETCHED_AT_ONCE):
            if start and clock.time() > until:
                return False
            some = wanted[start : start + FETCHED_AT_ONCE]
            found = await asyncio.gather(*(self._fetched_unless_slow(name, slow) for name in some))
            async with self._database.transaction() as session:
                await find_import(session, import_id, lock=True)
                for name, (url, problem) in zip(some, found, strict=True):
                    picture = ProductImportPicture(import_id=import_id, name=name, url=url, problem=problem)
                    await session.merge(picture)
        return True

    async def _hosted_pictures(self, import_id: str) -> Sequence[str]:
        """The addresses of the next rows' pictures that were not asked for yet."""
        async with self._database.read() as session:
            found = await session.get(ProductImport, import_id)
            if found is None or found.status != ImportStatus.RUNNING or "pictures" not in found.columns:
                return []
            rows = [
                typed_row(found.columns, one.line, one.texts)
                for one in await _waiting(session, import_id, AT_ONCE)
            ]
            names = {name for row in rows for name in row.get("pictures") or () if is_address(name)}
            album = await Album.read(session, import_id, names)
        return [name for name in sorted(names) if album.find(name) is None and not album.problem_of(name)]

    async def _fetched_unless_slow(self, address: str, slow: Counter[str]) -> tuple[str, str]:
        """As `_fetched`. A host that let this run wait in vain too often is not asked."""
        host = address.split("/", 3)[2].lower()
        if slow[host] >= SLOW_AT_MOST:
            return "", NOT_FETCHED
        clock = asyncio.get_running_loop()
        started = clock.time()
        url, problem = await self._fetched(address)
        if problem != NOT_FETCHED:
            slow[host] = 0
        elif clock.time() - started >= SLOW:
            slow[host] += 1
        return url, problem

    async def _fetched(self, address: str) -> tuple[str, str]:
        """Where the picture at an address is in the store now, or why there is none."""
        try:
            content = await FETCHERS.run(
                fetch,
                address,
                most_bytes=MOST_FILE_BYTES,
                within=FETCHED_WITHIN,
                allow_private=self._allow_private,
            )
            name = blake2b(address.encode(), digest_size=8).hexdigest()
            (stored,) = await self._uploads.keep([SentFile(name, len(content), BytesIO(content))])
        except NotFetched:
            return "", NOT_FETCHED
        except PictureRefused as error:
            return "", error.reason
        except PicturesUnavailable:
            return "", "not stored"
        return stored.url, ""


async def _waiting(session: AsyncSession, import_id: str, most: int) -> Sequence[ProductImportRow]:
    """The next rows, with all others of the same products."""
    query = select(ProductImportRow).where(
        ProductImportRow.import_id == import_id, ProductImportRow.state == RowState.WAITING
    )
    rows = (await session.execute(query.order_by(ProductImportRow.line).limit(most))).scalars().all()
    products = {row.of_product for row in rows} - {""}
    if not products:
        return rows
    lines = {row.line for row in rows}
    others = (await session.execute(query.where(ProductImportRow.of_product.in_(products)))).scalars()
    return sorted([*rows, *(row for row in others if row.line not in lines)], key=lambda row: row.line)


async def _write(session: AsyncSession, found: ProductImport, waiting: Sequence[ProductImportRow]) -> None:
    rows = [typed_row(found.columns, one.line, one.texts) for one in waiting]
    kept = {one.line: one for one in waiting}
    judged = await judge(session, found, rows, None, lock=True)
    made = await _made(session, found.id, judged)
    good: list[Judged] = []
    outcomes: list[dict[str, Any]] = []
    for now in judged:
        row = kept[now.row.line]
        one = _as_shown(row, now, made)
        if one.problems:
            outcomes.append(_outcome(row, RowState.REFUSED, as_problems(one.problems), row.changes))
        elif one.plan is Plan.SAME:
            outcomes.append(_outcome(row, RowState.DONE, [], row.changes))
        else:
            good.append(one)
    who = Requester(found.actor_id)
    names = {name for one in good for name in one.row.get("pictures") or ()}
    album = await Album.read(session, found.id, names)
    writable = [_to_write(one) for one in good]
    targets, _changed = await write_rows(
        session, writable, found.location_id, partial(_picture, album), Why(Reason.COUNT, who)
    )
    for one, target in zip(good, targets, strict=True):
        row = kept[one.row.line]
        subject = Subject(Thing.PRODUCT, target.product.id)
        changes = {
            change["column"]: (change["before"], change["after"]) for change in as_changes(one.changes)
        }
        action = "created" if target.is_new else "variant added" if target.is_new_variant else "changed"
        await record(session, who, action, subject, changes)
        done = _outcome(row, RowState.DONE, [], as_changes(one.changes))
        outcomes.append({**done, "new_product": target.product.id, "new_plan": one.plan.value})
    await session.execute(_OUTCOME, outcomes)


def _to_write(judged: Judged) -> Row:
    row = judged.row
    match = judged.match
    if match is None or match.product is None:
        return row
    values = only_changed(row.values, judged.changes) | {"product_id": match.product.id}
    if match.variant is None:
        return Row(row.line, values | {OPTIONS: row.values[OPTIONS]} if OPTIONS in row.values else values)
    return Row(row.line, values | {"variant_id": match.variant.id})


async def _made(session: AsyncSession, import_id: str, judged: Sequence[Judged]) -> set[str]:
    """The ids of those products of the rows that this import has made."""
    ids = {one.match.product.id for one in judged if one.match is not None and one.match.product is not None}
    query = select(ProductImportRow.product_id).where(
        ProductImportRow.import_id == import_id,
        ProductImportRow.state == RowState.DONE,
        ProductImportRow.product_id.in_(ids),
    )
    return set((await session.execute(query)).scalars())


def _as_shown(row: ProductImportRow, judged: Judged, made: set[str]) -> Judged:
    """What was shown of the row, and nothing that has come to differ since: a sale may have taken units meanwhile.

    What was shown with another value before than there is now becomes a problem. `made`: the products that this import
    has made.
    """
    product = judged.match.product if judged.match else None
    is_of_others = product is not None and row.product_id != product.id and product.id not in made
    if judged.plan is not Plan.WRONG and (
        (row.plan == Plan.NEW) != (judged.plan is Plan.NEW) or (row.plan == Plan.NEW and is_of_others)
    ):
        return replace(judged, problems=[Problem(row.line, "", "changed since", "changed since")])
    if row.plan == Plan.NEW:
        return judged
    shown = {change["column"]: change["before"] for change in row.changes}
    changes = {column: change for column, change in judged.changes.items() if column in shown}
    moved = [
        Problem(row.line, change["column"], "changed since", "changed since")
        for change in as_changes(changes)
        if shown[change["column"]] != change["before"]
    ]
    return replace(judged, changes=changes, problems=[*judged.problems, *moved])


def _picture(album: Album, name: str) -> Prepared:
    found = album.find(name)
    if found is None:
        raise ShopChanged(f"the picture {name} is gone")
    return found


def _outcome(
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
