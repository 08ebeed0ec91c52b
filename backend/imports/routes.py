"""`/admin/imports`: import of product spreadsheets and their pictures. The commerce platform has no such routes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field
from starlette.datastructures import UploadFile
from typing_extensions import TypedDict

from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.outage import RETRY_AFTER_S
from backend.core.spreadsheet import XLSX
from backend.core.texts import _
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.imports.confirmation import start_import
from backend.imports.files import build_refused_file, build_template
from backend.imports.messages import PICTURE_TEXTS, ZIP_TEXTS, format_file_problem
from backend.imports.pictures import MAX_ZIP_BYTES, add_pictures
from backend.imports.preview import preview_import
from backend.imports.reports import ImportReport, read_report
from backend.imports.spreadsheet_parsing import MAX_FILE_BYTES, UnreadableProductFile
from backend.imports.spreadsheet_upload import store_spreadsheet
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import MULTIPART, get_uploads
from backend.media.uploads import PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

PATH = "/admin/imports"
PICTURES_PATH = "/admin/import-pictures"
"""Path for pictures, with the import's id in `id`. It is a separate path because its body may be larger."""
MAX_SPREADSHEET_BODY_BYTES = MAX_FILE_BYTES + (64 << 10)
MAX_PICTURE_BODY_BYTES = MAX_ZIP_BYTES + (64 << 10)
"""Maximum size of a request with a picture: the file, and the multipart text around it."""
FILE = "file"

router = APIRouter(
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.CHANGE_CATALOG),
)


def describe_file_body(description: str) -> dict[str, Any]:
    """Return the OpenAPI description of a request body with one file."""
    schema = {
        "type": "object",
        "required": [FILE],
        "properties": {FILE: {"type": "string", "format": "binary", "description": description}},
    }
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


class RowProblem(TypedDict):
    """A problem in the spreadsheet to correct."""

    row: Annotated[int, Field(description="Row number in the spreadsheet.")]
    column: Annotated[
        str, Field(description="The column's name; empty if the problem concerns the whole row.")
    ]
    code: str
    message: str


class RowChange(TypedDict):
    """A row that creates or changes a product."""

    row: int
    title: str
    is_new: bool
    changes: Annotated[list[dict[str, Any]], Field(description="A list of `column`, `before` and `after`.")]


class ImportOut(TypedDict):
    """State of an import."""

    id: str
    status: Annotated[str, Field(description="`checked`: nothing is written yet; `running`; `done`.")]
    total: int
    new: int
    changed: int
    same: int
    wrong: int
    settled: Annotated[int, Field(description="Rows that were written or refused.")]
    refused: int
    ignored_columns: list[str]
    problems: Annotated[list[RowProblem], Field(description="The first of them.")]
    changes: Annotated[list[RowChange], Field(description="The first of them.")]


class ImportAnswer(TypedDict):
    """The import."""

    product_import: ImportOut


class RefusedPicture(TypedDict):
    """A picture that was refused."""

    name: str
    code: str
    message: str


class TakenAnswer(TypedDict):
    """Result of an upload of pictures."""

    taken: int
    refused: list[RefusedPicture]
    left: Annotated[int, Field(description="Pictures of a zip that are not processed yet: send it again.")]


async def store_sent_spreadsheet(
    database: Database, actor: Actor, sent: SentFile, *, makes_places: bool = False
) -> str:
    """Store an uploaded spreadsheet as a new import, and return the import's id.

    Raises:
        InvalidData: the spreadsheet cannot be read.
    """
    if sent.size > MAX_FILE_BYTES:
        raise InvalidData("The spreadsheet is larger than 10 MiB")
    sent.content.seek(0)
    content = await asyncio.to_thread(sent.content.read)
    try:
        return await store_spreadsheet(database, actor, sent.name, content, makes_places=makes_places)
    except UnreadableProductFile as error:
        raise InvalidData(format_file_problem(error)) from None


@router.post(PATH, openapi_extra=describe_file_body("The spreadsheet."))
async def send_sheet(
    actor: StaffMember, request: Request, database: Db, create_places: bool = False
) -> Wire[ImportAnswer]:
    """Upload a spreadsheet (XLSX or CSV, at most 10 MiB and 10,000 rows).

    The response is a preview; no product changes.

    With `create_places`, missing categories and collections are created after the confirmation.
    """
    async with read_sent_file(request) as sent:
        import_id = await store_sent_spreadsheet(database, actor, sent, makes_places=create_places)
    await preview_import(database, import_id)
    return await _import_response(database, actor, import_id)


@router.post(PICTURES_PATH, openapi_extra=describe_file_body("A picture, or a zip of them."))
async def send_pictures(
    actor: StaffMember,
    request: Request,
    database: Db,
    uploads: Annotated[PictureUploads, Depends(get_uploads)],
    import_id: Annotated[str, Query(alias="id", max_length=60)],
) -> Wire[TakenAnswer]:
    """Upload a picture, or a zip of pictures (at most 100 MiB), for the import `id`.

    The picture cells of the spreadsheet refer to the pictures by their file names.
    """
    with uploads.reserve_catalog_slot(actor):
        async with read_sent_file(request) as sent:
            try:
                taken = await add_pictures(database, uploads, actor, import_id, sent)
            except InvalidData as error:
                raise InvalidData(ZIP_TEXTS.get(error.message, error.message)) from None
            except PicturesUnavailable as error:
                body = {"type": "unavailable", "message": str(error)}
                unavailable: Wire = Wire(body, 503, headers={"Retry-After": str(RETRY_AFTER_S)})
                return unavailable
    refused: list[RefusedPicture] = [
        {"name": name, "code": code, "message": PICTURE_TEXTS.get(code, code)} for name, code in taken.refused
    ]
    return Wire({"taken": taken.taken, "refused": refused, "left": taken.remaining_count})


@router.get(
    f"{PATH}/template",
    response_class=Response,
    responses={200: {"content": {XLSX: {}}, "description": "An empty spreadsheet with all headings."}},
)
async def fetch_template(actor: StaffMember) -> Response:
    """Return a workbook to fill in."""
    actor.require(Right.CHANGE_CATALOG)
    return _xlsx_response(await asyncio.to_thread(build_template), _("Plantilla de juguetes.xlsx"))


@router.get(f"{PATH}/{{import_id}}")
async def read_import(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Return the state of an import."""
    return await _import_response(database, actor, import_id)


@router.post(f"{PATH}/{{import_id}}/confirm")
async def confirm(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Start the import after a new check of its rows. Rows with problems are not imported."""
    await preview_import(database, import_id)
    await start_import(database, actor, import_id)
    return await _import_response(database, actor, import_id)


@router.get(
    f"{PATH}/{{import_id}}/refused",
    response_class=Response,
    responses={200: {"content": {XLSX: {}}, "description": "The rows, each with its problem."}},
)
async def fetch_refused(actor: StaffMember, database: Db, import_id: str) -> Response:
    """Return a workbook of the refused rows with their problems."""
    async with database.read() as session:
        content = await build_refused_file(session, actor, import_id)
    return _xlsx_response(content, _("Filas por corregir.xlsx"))


async def _import_response(database: Database, actor: StaffMember, import_id: str) -> Wire[ImportAnswer]:
    async with database.read() as session:
        found = await read_report(session, actor, import_id)
    return Wire({"product_import": _to_wire(found)})


def _to_wire(found: ImportReport) -> ImportOut:
    counts = found.counts
    return {
        "id": found.id,
        "status": found.status,
        "total": found.total,
        "new": counts.new,
        "changed": counts.changed,
        "same": counts.same,
        "wrong": counts.wrong,
        "settled": counts.settled,
        "refused": counts.refused,
        "ignored_columns": list(found.ignored),
        "problems": [
            {"row": one.line, "column": one.column, "code": one.code, "message": one.text}
            for one in found.problems
        ],
        "changes": [
            {"row": one.line, "title": one.title, "is_new": one.is_new, "changes": list(one.changes)}
            for one in found.changes
        ],
    }


@asynccontextmanager
async def read_sent_file(request: Request) -> AsyncIterator[SentFile]:
    """Read the one file of the request.

    Raises:
        InvalidData: the request has no file.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MULTIPART:
        raise InvalidData(f"Invalid request: Expected content-type: '{MULTIPART}'")
    async with request.form(max_files=1, max_fields=1, max_part_size=1024) as form:
        part = form.get(FILE)
        if not isinstance(part, UploadFile):
            raise InvalidData(f"Invalid request: Field '{FILE}' is required")
        yield SentFile(part.filename or "", part.size or 0, part.file)


def _xlsx_response(content: bytes, name: str) -> Response:
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "cache-control": "no-store",
    }
    return Response(content, media_type=XLSX, headers=headers)
