"""Stop and continuation of a running import.

The import's status in the database controls its job, so stopping and continuing survive a restart.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database
from backend.core.errors import NotAllowed
from backend.core.events import publish
from backend.core.texts import _
from backend.imports.confirmation import JOB
from backend.imports.events import ImportProgressed
from backend.imports.lookup import find_import
from backend.imports.models import ImportStatus, ProductImport
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right


async def stop_import(database: Database, actor: Actor, import_id: str) -> None:
    """Stop an import after the current batch of its job. Written rows stay. Do nothing if it is stopped already.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: the import does not exist.
        NotAllowed: it was not started, or has finished.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await _find_started_import(session, import_id)
        if found.status == ImportStatus.RUNNING:
            found.status = ImportStatus.STOPPED
            await _record_change(session, actor, found, "import stopped")


async def continue_import(database: Database, actor: Actor, import_id: str) -> None:
    """Write the remaining rows of a stopped import. Do nothing if it is running already.

    Raises:
        Forbidden: see `Actor.require`; an import with a stock column also needs the right to change stock.
        NotFound: the import does not exist.
        NotAllowed: it was not started, or has finished.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await _find_started_import(session, import_id)
        if "stock" in found.columns:
            actor.require(Right.CHANGE_STOCK)
        if found.status == ImportStatus.STOPPED:
            found.status = ImportStatus.RUNNING
            await _record_change(session, actor, found, "import continued")
            await enqueue(session, JOB, {"import_id": import_id}, key=import_id)


async def _find_started_import(session: AsyncSession, import_id: str) -> ProductImport:
    """Return the import with its row locked. This waits until a batch that is being written ends."""
    found = await find_import(session, import_id, lock=True)
    if found.status not in (ImportStatus.RUNNING, ImportStatus.STOPPED):
        raise NotAllowed(
            "The import is not running", staff_text=_("Esta importación ya terminó o no empezó.")
        )
    return found


async def _record_change(session: AsyncSession, actor: Actor, found: ProductImport, action: str) -> None:
    await record(session, actor, action, Subject(SubjectType.CATALOG, found.id), {"file": (None, found.name)})
    await publish(session, ImportProgressed(found.id))
