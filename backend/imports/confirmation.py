"""What somebody of the staff decides about a sheet that was looked at: to have it done, or to forget it.

Nothing of the shop is changed before `begin`.
"""

from sqlalchemy import select, update

from backend.audit import Subject, Thing, record
from backend.catalog.importer.categories import Places
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.core.events import publish
from backend.imports.events import ImportMoved
from backend.imports.lookup import find_import, find_open_import
from backend.imports.models import ImportStatus, Plan, ProductImportRow, RowState
from backend.imports.preview import look
from backend.imports.row_parsing import typed_row
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.import"


async def set_makes_places(database: Database, actor: Actor, import_id: str, *, makes_places: bool) -> None:
    """Say whether categories and collections that the shop does not have are made, and look again.

    Raises:
        NotFound: there is no such import.
        NotAllowed: it was begun already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        found.makes_places = makes_places
    await look(database, import_id)


async def begin(database: Database, actor: Actor, import_id: str) -> None:
    """Have it done: a job does it after the commit. Rows that cannot be done are refused, the others are written.

    Raises:
        Forbidden: see `Actor.require`; with a column for stock its right is needed too.
        NotFound: there is no such import.
        NotAllowed: it was begun already.
        InvalidData: no row of it would change anything.
        ShopError: a category or collection that is to be made was made by somebody else meanwhile.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        seen = await find_import(session, import_id)
        query = select(ProductImportRow.line, ProductImportRow.texts).where(
            ProductImportRow.import_id == import_id, ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED])
        )
        rows = [typed_row(seen.columns, line, texts) for line, texts in await session.execute(query)]
        places = await Places.read(session, makes_places=seen.makes_places)
    if not rows:
        raise InvalidData("No row of it changes anything")
    if "stock" in seen.columns:
        actor.require(Right.CHANGE_STOCK)
    for row in rows:
        places.problems_of(row)  # notes in them what is to be made
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        made = await places.make(session, actor)
        found.status, found.actor_id = ImportStatus.RUNNING, actor.id
        kept = table_of(ProductImportRow)
        for plan, state in ((Plan.WRONG, RowState.REFUSED), (Plan.SAME, RowState.DONE)):
            await session.execute(
                update(kept).where(kept.c.import_id == import_id, kept.c.plan == plan).values(state=state)
            )
        await record(
            session,
            actor,
            "imported",
            Subject(Thing.CATALOG, import_id),
            {"file": (None, found.name), "rows": (None, len(rows)), "made": (None, made)},
        )
        await publish(session, ImportMoved(import_id))
        await enqueue(session, JOB, {"import_id": import_id}, key=import_id)


async def drop(database: Database, actor: Actor, import_id: str) -> None:
    """Forget an import that was not begun.

    Raises:
        NotFound: there is no such import.
        NotAllowed: it was begun already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        await session.delete(found)
