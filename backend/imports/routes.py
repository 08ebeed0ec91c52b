"""`/admin/imports`: sheets of products, their pictures, and what came of them. The platform has no such routes."""

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
from backend.core.outage import RETRY_AFTER
from backend.core.spreadsheet import XLSX
from backend.core.texts import _
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.imports.confirmation import begin
from backend.imports.files import refused_file, template
from backend.imports.messages import PICTURES, ZIPS, sheet_text
from backend.imports.pictures import MOST_ZIP_BYTES, add_pictures
from backend.imports.preview import look
from backend.imports.reports import ImportReport, report
from backend.imports.spreadsheet_parsing import MOST_FILE_BYTES, UnreadableSheet
from backend.imports.spreadsheet_upload import keep_sheet
from backend.media.picture_store import PicturesUnavailable
from backend.media.upload_routes import MULTIPART, uploads_of
from backend.media.uploads import PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

PATH = "/admin/imports"
PICTURES_PATH = "/admin/import-pictures"
"""With the import's id in `id`: a path of its own has a bound of its own."""
MOST_SHEET_BYTES = MOST_FILE_BYTES + (64 << 10)
MOST_PICTURE_BYTES = MOST_ZIP_BYTES + (64 << 10)
"""Of a request: the file, and what is written around it."""
FILE = "file"

router = APIRouter(
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.CHANGE_CATALOG),
)


def sheet_body(description: str) -> dict[str, Any]:
    """A request's body with one file, as OpenAPI has it."""
    schema = {
        "type": "object",
        "required": [FILE],
        "properties": {FILE: {"type": "string", "format": "binary", "description": description}},
    }
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


class RowProblem(TypedDict):
    """Something in the sheet to be mended."""

    row: Annotated[int, Field(description="As the spreadsheet counts.")]
    column: Annotated[str, Field(description="The column's name; empty where it is about the whole row.")]
    code: str
    message: str


class RowChange(TypedDict):
    """A row that makes a product or changes it."""

    row: int
    title: str
    is_new: bool
    changes: Annotated[list[dict[str, Any]], Field(description="`column`, `before` and `after` of each.")]


class ImportOut(TypedDict):
    """How an import stands."""

    id: str
    status: Annotated[str, Field(description="`checked`: nothing of it is in the shop; `running`; `done`.")]
    total: int
    new: int
    changed: int
    same: int
    wrong: int
    settled: Annotated[int, Field(description="How many rows were written or refused.")]
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
    """What came of pictures that were sent."""

    taken: int
    refused: list[RefusedPicture]
    left: Annotated[int, Field(description="How many of a zip are still to be made: send it again.")]


async def keep_sent(database: Database, actor: Actor, sent: SentFile, *, makes_places: bool = False) -> str:
    """Keep a sheet that was sent: the id of its import.

    Raises:
        InvalidData: it cannot be read.
    """
    if sent.size > MOST_FILE_BYTES:
        raise InvalidData("The sheet is larger than 10 MiB")
    sent.content.seek(0)
    content = await asyncio.to_thread(sent.content.read)
    try:
        return await keep_sheet(database, actor, sent.name, content, makes_places=makes_places)
    except UnreadableSheet as error:
        raise InvalidData(sheet_text(error)) from None


@router.post(PATH, openapi_extra=sheet_body("The sheet."))
async def send_sheet(
    actor: StaffMember, request: Request, database: Db, create_places: bool = False
) -> Wire[ImportAnswer]:
    """Send a sheet (XLSX or CSV, at most 10 MiB and 10,000 rows), and learn what it would do. Nothing is changed.

    `create_places`: categories and collections that the shop does not have are made once it is confirmed.
    """
    async with sent_file(request) as sent:
        import_id = await keep_sent(database, actor, sent, makes_places=create_places)
    await look(database, import_id)
    return await _answer(database, actor, import_id)


@router.post(PICTURES_PATH, openapi_extra=sheet_body("A picture, or a zip of them."))
async def send_pictures(
    actor: StaffMember,
    request: Request,
    database: Db,
    uploads: Annotated[PictureUploads, Depends(uploads_of)],
    import_id: Annotated[str, Query(alias="id", max_length=60)],
) -> Wire[TakenAnswer]:
    """Send a picture, or a zip of pictures (at most 100 MiB), for the import `id`, by the names that its sheet has."""
    with uploads.place(actor):
        async with sent_file(request) as sent:
            try:
                taken = await add_pictures(database, uploads, actor, import_id, sent)
            except InvalidData as error:
                raise InvalidData(ZIPS.get(error.message, error.message)) from None
            except PicturesUnavailable as error:
                body = {"type": "unavailable", "message": str(error)}
                unavailable: Wire = Wire(body, 503, headers={"Retry-After": str(RETRY_AFTER)})
                return unavailable
    refused: list[RefusedPicture] = [
        {"name": name, "code": code, "message": PICTURES.get(code, code)} for name, code in taken.refused
    ]
    return Wire({"taken": taken.taken, "refused": refused, "left": taken.left})


@router.get(
    f"{PATH}/template",
    response_class=Response,
    responses={200: {"content": {XLSX: {}}, "description": "An empty sheet with all headings."}},
)
async def fetch_template(actor: StaffMember) -> Response:
    """A workbook to fill in."""
    actor.require(Right.CHANGE_CATALOG)
    return _file(await asyncio.to_thread(template), _("Plantilla de juguetes.xlsx"))


@router.get(f"{PATH}/{{import_id}}")
async def read_import(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """How an import stands."""
    return await _answer(database, actor, import_id)


@router.post(f"{PATH}/{{import_id}}/confirm")
async def confirm(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Have it done. It is looked at once more first; rows with problems are left out."""
    await look(database, import_id)
    await begin(database, actor, import_id)
    return await _answer(database, actor, import_id)


@router.get(
    f"{PATH}/{{import_id}}/refused",
    response_class=Response,
    responses={200: {"content": {XLSX: {}}, "description": "The rows, with what is wrong beside each."}},
)
async def fetch_refused(actor: StaffMember, database: Db, import_id: str) -> Response:
    """A workbook of the rows that were refused, and why."""
    async with database.read() as session:
        content = await refused_file(session, actor, import_id)
    return _file(content, _("Filas por corregir.xlsx"))


async def _answer(database: Database, actor: StaffMember, import_id: str) -> Wire[ImportAnswer]:
    async with database.read() as session:
        found = await report(session, actor, import_id)
    return Wire({"product_import": _wire(found)})


def _wire(found: ImportReport) -> ImportOut:
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
async def sent_file(request: Request) -> AsyncIterator[SentFile]:
    """The one file of the request.

    Raises:
        InvalidData: there is none.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MULTIPART:
        raise InvalidData(f"Invalid request: Expected content-type: '{MULTIPART}'")
    async with request.form(max_files=1, max_fields=1, max_part_size=1024) as form:
        part = form.get(FILE)
        if not isinstance(part, UploadFile):
            raise InvalidData(f"Invalid request: Field '{FILE}' is required")
        yield SentFile(part.filename or "", part.size or 0, part.file)


def _file(content: bytes, name: str) -> Response:
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "cache-control": "no-store",
    }
    return Response(content, media_type=XLSX, headers=headers)
