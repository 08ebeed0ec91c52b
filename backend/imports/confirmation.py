"""Decisions of staff about a checked spreadsheet: import it, or discard it.

The shop's data does not change before `start_import`.
"""

from sqlalchemy import select, update

from backend.audit import Subject, SubjectType, record
from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.source_rows import parse_typed_row
from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.events import publish
from backend.core.texts import _, format_count
from backend.imports.column_mapping import store_mapping
from backend.imports.events import ImportProgressed
from backend.imports.lookup import find_import, find_open_import
from backend.imports.models import ImportStatus, Plan, ProductImport, ProductImportRow, RowState
from backend.imports.preview import preview_import
from backend.imports.reports import count_losses
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.import"


class UnconfirmedLosses(NotAllowed):
    """The import would empty or take away values of existing products, and this was not confirmed."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"Values of existing products that the import would empty or take away: {count}. Start it with "
            "confirm_losses to do so",
            staff_text=format_count(
                count,
                _("Se perdería 1 valor. Márcalo primero."),
                _("Se perderían {n} valores. Márcalo primero."),
            ),
        )


async def set_makes_places(database: Database, actor: Actor, import_id: str, *, makes_places: bool) -> None:
    """Set whether missing categories and collections are created, and check the rows again.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        found.makes_places = makes_places
    await preview_import(database, import_id)


async def set_publishes(database: Database, actor: Actor, import_id: str, *, publishes: bool) -> None:
    """Set whether new products without a status are published, and check the rows again.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        found.publishes = publishes
    await preview_import(database, import_id)


async def start_import(
    database: Database, actor: Actor, import_id: str, *, confirms_losses: bool = False
) -> None:
    """Start an import: a job writes the rows after the commit. Rows with problems are refused, the others are written.

    Args:
        database: the shop's database.
        actor: the staff member.
        import_id: the import, as it was previewed.
        confirms_losses: True if the import may empty or take away values of existing products.

    Raises:
        Forbidden: see `Actor.require`; an import with a stock column also needs the right to change stock.
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
        UnconfirmedLosses: it has losses, and `confirms_losses` is False.
        InvalidData: no row would change anything, or a person must still choose between several columns for one
            field (`change_mapping`).
        ShopError: another request created one of the new categories or collections in the meantime.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.read() as session:
        checked = await find_import(session, import_id)
        if any(one["contested"] for one in checked.mapping):
            raise InvalidData(
                "Several columns are for one field: choose one of them",
                staff_text=_("Varias columnas son para lo mismo: elige primero una."),
            )
        query = select(ProductImportRow.line, ProductImportRow.texts).where(
            ProductImportRow.import_id == import_id, ProductImportRow.plan.in_([Plan.NEW, Plan.CHANGED])
        )
        rows = [parse_typed_row(checked.columns, line, texts) for line, texts in await session.execute(query)]
        places = await ProductGroups.read(session, makes_places=checked.makes_places)
    if not rows:
        raise InvalidData("No row of it changes anything")
    if "stock" in checked.columns:
        actor.require(Right.CHANGE_STOCK)
    for row in rows:
        places.find_group_problems(row)  # also collects the missing categories and collections
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        losses = count_losses(found)
        if losses and not confirms_losses:
            raise UnconfirmedLosses(losses)
        made = await places.create_new_groups(session, actor)
        found.status, found.actor_id = ImportStatus.RUNNING, actor.id
        if found.mapping:
            headings = [one["heading"] for one in found.mapping]
            await store_mapping(session, headings, [one["column"] for one in found.mapping])
        table = table_of(ProductImportRow)
        for plan, state in ((Plan.WRONG, RowState.REFUSED), (Plan.SAME, RowState.DONE)):
            await session.execute(
                update(table).where(table.c.import_id == import_id, table.c.plan == plan).values(state=state)
            )
        await record(
            session,
            actor,
            "imported",
            Subject(SubjectType.CATALOG, import_id),
            {
                "file": (None, found.name),
                "rows": (None, len(rows)),
                "made": (None, made),
                "publishes": (None, found.publishes),
                "losses": (None, losses),
            },
        )
        await publish(session, ImportProgressed(import_id))
        await enqueue(session, JOB, {"import_id": import_id}, key=import_id)


async def discard_unstarted_imports(database: Database, actor: Actor) -> None:
    """Discard the actor's imports that were not started.

    Call this when a new file, which would have replaced them, is refused.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        query = select(ProductImport).where(
            ProductImport.actor_id == actor.id, ProductImport.status == ImportStatus.CHECKED
        )
        for found in (await session.execute(lock_rows(query))).scalars():
            await session.delete(found)
            await publish(session, ImportProgressed(found.id))


async def discard_import(database: Database, actor: Actor, import_id: str) -> None:
    """Discard an import that was not started.

    Raises:
        NotFound: the import does not exist.
        NotAllowed: the import was started already.
    """
    actor.require(Right.CHANGE_CATALOG)
    async with database.transaction() as session:
        found = await find_open_import(session, import_id, lock=True)
        await session.delete(found)
        await publish(session, ImportProgressed(import_id))
