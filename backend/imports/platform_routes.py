"""The platform's import of products: what it would do, and having it done (wire: commerce-api, Admin).

It is the office's import under other names, and stricter: where one cell is wrong, nothing of the file is taken.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from sqlalchemy import String, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.catalog.importer.headings import label_of
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, FilledName, Name, example
from backend.edge.wire import Wire
from backend.imports.confirmation import begin, drop
from backend.imports.models import ImportStatus, Plan, ProductImportRow
from backend.imports.preview import look
from backend.imports.reports import report
from backend.imports.routes import FILE, PATH, keep_sent, sent_file, sheet_body
from backend.media.upload_routes import StoredFile
from backend.media.uploads import SentFile
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

MOST_TOLD = 5
"""Cells that a refusal names."""
SHEETS = frozenset({"csv", "xlsx", "ods", "xls", "xlsb", "numbers"})
"""The last four are refused with how to save them as XLSX."""
ANSWER = 202
ImportId = Annotated[str, Path(max_length=60)]

router = APIRouter(
    prefix="/admin/products",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.CHANGE_CATALOG),
)


class SheetUploads:
    """Keeps tables of products that are uploaded, for `POST /admin/products/imports`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def takes(self, sent: SentFile) -> bool:
        """Whether the file says that it is a table."""
        return sent.name.rpartition(".")[2].lower() in SHEETS

    async def keep(self, actor: Actor, sent: SentFile) -> StoredFile:
        """Keep it; its id is that of its import.

        Raises:
            InvalidData: it cannot be read.
        """
        import_id = await keep_sent(self._database, actor, sent)
        return StoredFile(id=import_id, url=f"{PATH}/{import_id}")


class FileToImport(Body):
    """A table that was uploaded: `file_key` is the id of its file."""

    model_config = example(
        file_key="imp_01JD0000000000000000000000", originalname="juguetes.csv", extension="csv", size=1200,
        mime_type="text/csv",
    )  # fmt: skip

    file_key: FilledName
    originalname: Name
    extension: Name | None = None
    size: int | None = None
    mime_type: Name | None = None


class Summary(TypedDict):
    """How many products."""

    toCreate: int
    toUpdate: Annotated[int, Field(description="Those that the shop has, whatever of them changes.")]


class ImportBegun(TypedDict):
    """What an import would do once it is confirmed."""

    transaction_id: str
    summary: Summary


@router.post("/import", status_code=ANSWER, openapi_extra=sheet_body("The table."))
async def import_products(actor: StaffMember, request: Request, database: Db) -> Wire[ImportBegun]:
    """Send a table of products (CSV or XLSX, at most 10 MiB and 10,000 rows), and learn what it would do."""
    async with sent_file(request) as sent:
        import_id = await keep_sent(database, actor, sent)
    return await _looked_at(database, actor, import_id)


@router.post("/imports", status_code=ANSWER)
async def create_import(actor: StaffMember, body: FileToImport, database: Db) -> Wire[ImportBegun]:
    """Learn what a table would do that was uploaded."""
    return await _looked_at(database, actor, body.file_key)


@router.post("/import/{transaction_id}/confirm", status_code=ANSWER)
@router.post("/imports/{transaction_id}/confirm", status_code=ANSWER)
async def confirm_import(actor: StaffMember, transaction_id: ImportId, database: Db) -> Wire[dict[str, str]]:
    """Have it done; it goes on by itself. Where nothing would change, nothing is done."""
    await look(database, transaction_id)
    async with database.read() as session:
        counts = (await report(session, actor, transaction_id)).counts
    if counts.new + counts.changed:
        await begin(database, actor, transaction_id)
    else:
        await drop(database, actor, transaction_id)
    return Wire({}, ANSWER)


async def _looked_at(database: Database, actor: Actor, import_id: str) -> Wire[ImportBegun]:
    """What the file would do.

    Raises:
        NotFound: there is no such import that was not begun.
        InvalidData: a cell of it is wrong. The file is forgotten.
    """
    await look(database, import_id)
    async with database.read() as session:
        found = await report(session, actor, import_id)
        summary = await _summary(session, import_id)
    if found.status is not ImportStatus.CHECKED:
        raise NotFound(f"Import with id: {import_id} was not found")
    if found.counts.wrong:
        await drop(database, actor, import_id)
        told = [
            _("Fila {line} · {column}: {problem}").format(
                line=one.line, column=label_of(one.column) or FILE, problem=one.text
            )
            for one in found.problems[:MOST_TOLD]
        ]
        raise InvalidData(" ".join(told))
    return Wire({"transaction_id": import_id, "summary": summary}, ANSWER)


async def _summary(session: AsyncSession, import_id: str) -> Summary:
    """How many products the rows make, and how many they name that there are."""
    row = ProductImportRow
    new = (row.plan == Plan.NEW) & (row.product_id == "")
    own = case((row.of_product == "", cast(row.line, String)), else_=row.of_product)
    query = select(
        func.count(func.distinct(case((new, own)))),
        func.count(func.distinct(case((row.product_id != "", row.product_id)))),
    ).where(row.import_id == import_id)
    created, updated = (await session.execute(query)).one()
    return {"toCreate": created, "toUpdate": updated}
