"""Import of products through the commerce platform's routes: preview and confirmation (wire: commerce-api, Admin).

The routes use the same import as the office pages, with the platform's field names. They are stricter: if one cell
is wrong, the whole file is refused.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from sqlalchemy import String, case, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.catalog.importer.headings import get_label
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotFound
from backend.core.texts import _
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, FilledName, Name, example
from backend.edge.wire import Wire
from backend.imports.api.routes import PATH, Confirmation, check_again, store_sent_spreadsheet
from backend.imports.confirmation import discard_import, start_import
from backend.imports.models import ImportStatus, Plan, ProductImportRow
from backend.imports.preview import preview_import
from backend.imports.reports import read_report
from backend.media.sent_file import FILE, describe_file_body, read_sent_file
from backend.media.upload_routes import StoredFile
from backend.media.uploads import SentFile
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

MAX_NAMED_CELLS = 5
"""Maximum number of cells that a refusal names."""
SPREADSHEET_EXTENSIONS = frozenset({"csv", "xlsx", "ods", "xls", "xlsb", "numbers"})
"""File extensions of spreadsheets. Four of them are refused with advice on how to save them as XLSX."""
ANSWER = 202
ImportId = Annotated[str, Path(max_length=60)]

router = APIRouter(
    prefix="/admin/products",
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.CHANGE_CATALOG),
)


class SpreadsheetUploads:
    """Stores uploaded spreadsheets of products for `POST /admin/products/imports`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def is_spreadsheet(self, sent: SentFile) -> bool:
        """Return True if the file's name has the extension of a spreadsheet."""
        return sent.name.rpartition(".")[2].lower() in SPREADSHEET_EXTENSIONS

    async def store_spreadsheet(self, actor: Actor, sent: SentFile) -> StoredFile:
        """Store the file as a new import. The id of the stored file is the id of the import.

        Raises:
            InvalidData: the file cannot be read.
        """
        import_id = await store_sent_spreadsheet(self._database, actor, sent)
        return StoredFile(id=import_id, url=f"{PATH}/{import_id}")


class FileToImport(Body):
    """Request to import an uploaded file. `file_key` is the id of the uploaded file."""

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
    """Numbers of products that an import creates and updates."""

    toCreate: int
    toUpdate: Annotated[int, Field(description="Existing products, also those without a change.")]


class ImportBegun(TypedDict):
    """Response about an import that waits for confirmation: the numbers of products that it would create and update."""

    transaction_id: str
    summary: Summary


@router.post("/import", status_code=ANSWER, openapi_extra=describe_file_body("The table."))
async def import_products(actor: StaffMember, request: Request, database: Db) -> Wire[ImportBegun]:
    """Upload a spreadsheet of products (CSV or XLSX, at most 10 MiB and 10,000 rows). The response is a preview."""
    async with read_sent_file(request) as sent:
        import_id = await store_sent_spreadsheet(database, actor, sent)
    return await _preview_response(database, actor, import_id)


@router.post("/imports", status_code=ANSWER)
async def create_import(actor: StaffMember, body: FileToImport, database: Db) -> Wire[ImportBegun]:
    """Return a preview of the import of an uploaded spreadsheet."""
    return await _preview_response(database, actor, body.file_key)


@router.post("/import/{transaction_id}/confirm", status_code=ANSWER)
@router.post("/imports/{transaction_id}/confirm", status_code=ANSWER)
async def confirm_import(
    actor: StaffMember, transaction_id: ImportId, database: Db, body: Confirmation | None = None
) -> Wire[dict[str, str]]:
    """Start the import, which a job completes. If no row changes anything, discard the import instead.

    The import is refused if it would empty or take away values of existing products, unless `confirm_losses` is true.
    """
    confirmed = body or Confirmation()
    await check_again(database, actor, transaction_id, confirmed)
    async with database.read() as session:
        counts = (await read_report(session, actor, transaction_id)).counts
    if counts.new + counts.changed:
        await start_import(database, actor, transaction_id, confirms_losses=confirmed.confirm_losses)
    else:
        await discard_import(database, actor, transaction_id)
    return Wire({}, ANSWER)


async def _preview_response(database: Database, actor: Actor, import_id: str) -> Wire[ImportBegun]:
    """Check the rows, and return the effect of the import.

    Raises:
        NotFound: the import does not exist, or was started already.
        InvalidData: a cell is wrong. The import is deleted.
    """
    await preview_import(database, import_id)
    async with database.read() as session:
        found = await read_report(session, actor, import_id)
        summary = await _count_products(session, import_id)
    if found.status is not ImportStatus.CHECKED:
        raise NotFound(f"Import with id: {import_id} was not found")
    if found.counts.wrong:
        await discard_import(database, actor, import_id)
        problems = [
            _("Fila {line} · {column}: {problem}").format(
                line=one.line, column=get_label(one.column) or FILE, problem=one.text
            )
            for one in found.problems[:MAX_NAMED_CELLS]
        ]
        raise InvalidData(" ".join(problems))
    return Wire({"transaction_id": import_id, "summary": summary}, ANSWER)


async def _count_products(session: AsyncSession, import_id: str) -> Summary:
    """Count the new products that the rows would create, and the existing products that the rows refer to."""
    row = ProductImportRow
    new = (row.plan == Plan.NEW) & (row.product_id == "")
    own = case((row.of_product == "", cast(row.line, String)), else_=row.of_product)
    query = select(
        func.count(func.distinct(case((new, own)))),
        func.count(func.distinct(case((row.product_id != "", row.product_id)))),
    ).where(row.import_id == import_id)
    created, updated = (await session.execute(query)).one()
    return {"toCreate": created, "toUpdate": updated}
