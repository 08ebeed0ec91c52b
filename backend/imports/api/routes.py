"""`/admin/imports`: import of product spreadsheets and their pictures. The commerce platform has no such routes."""

import asyncio
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field

from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.spreadsheet import XLSX
from backend.core.texts import _
from backend.edge.dependencies import Db
from backend.edge.errors import REFUSALS, answer_unavailable
from backend.edge.query import paging_fields, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, ListParameters, example
from backend.edge.wire import Wire
from backend.imports.api.answers import (
    ImportAnswer,
    RefusedPicture,
    RowsAnswer,
    TakenAnswer,
    report_to_wire,
    row_to_wire,
)
from backend.imports.confirmation import discard_unstarted_imports, set_publishes, start_import
from backend.imports.files import build_template
from backend.imports.mapping_choice import choose_column
from backend.imports.messages import PICTURE_TEXTS, ZIP_TEXTS, format_file_problem
from backend.imports.pictures import MAX_ZIP_BYTES, add_pictures
from backend.imports.preview import preview_import
from backend.imports.refused_rows import build_refused_file
from backend.imports.reports import read_report
from backend.imports.row_pages import RowList, read_row_page
from backend.imports.spreadsheet_parsing import MAX_FILE_BYTES, UnreadableProductFile
from backend.imports.spreadsheet_upload import store_spreadsheet
from backend.imports.stopping import continue_import, stop_import
from backend.media.picture_store import PicturesUnavailable
from backend.media.sent_file import describe_file_body, read_sent_file, read_spreadsheet
from backend.media.upload_routes import get_uploads
from backend.media.uploads import PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

PATH = "/admin/imports"
PICTURES_PATH = "/admin/import-pictures"
"""Path to upload pictures; the query parameter `id` is the import's id.

It is separate from the other paths, because larger request bodies are allowed on it.
"""
MAX_SPREADSHEET_BODY_BYTES = MAX_FILE_BYTES + (64 << 10)
MAX_PICTURE_BODY_BYTES = MAX_ZIP_BYTES + (64 << 10)
"""Maximum size of a request with a picture: the file, and the multipart text around it."""

router = APIRouter(
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.CHANGE_CATALOG),
)


class RowsParameters(ListParameters):
    """Query parameters of an import's rows."""

    kind: Annotated[
        RowList,
        Field(
            description="`problems`: rows that cannot be imported as they are, that were refused, or that were written "
            "without a picture. `notes`: rows with cells that were read in another way than written. `changes`: rows "
            "that create or change a product."
        ),
    ] = RowList.PROBLEMS


class Confirmation(Body):
    """Decisions about an import that starts."""

    model_config = example(publish=True, confirm_losses=False)

    publish: Annotated[
        bool | None,
        Field(description="True: publish new products without a status. False: they are drafts."),
    ] = None
    confirm_losses: Annotated[
        bool, Field(description="True: empty or take away values of existing products, counted in `losses`.")
    ] = False


class ColumnChoice(Body):
    """Choice of the importer's column for one column of a spreadsheet in an unknown format."""

    model_config = example(place=1, column="sku")

    place: Annotated[int, Field(ge=0, le=1_000, description="Position in the file, from 0.")]
    column: Annotated[str, Field(max_length=60, description="The shop's column; empty to leave it out.")]


async def check_again(database: Database, actor: Actor, import_id: str, confirmed: Confirmation) -> None:
    """Check the rows of an import again before it starts.

    If `confirmed.publish` is set, store first whether new products are published.

    Raises:
        NotFound: `confirmed.publish` is set, and the import does not exist.
        NotAllowed: `confirmed.publish` is set, and the import was started already.
    """
    if confirmed.publish is None:
        await preview_import(database, import_id)
    else:
        await set_publishes(database, actor, import_id, publishes=confirmed.publish)


async def store_sent_spreadsheet(
    database: Database, actor: Actor, sent: SentFile, *, makes_places: bool = False, may_choose: bool = False
) -> str:
    """Store an uploaded spreadsheet as a new import, and return the import's id.

    Raises:
        InvalidData: the spreadsheet cannot be read.
    """
    content = await read_spreadsheet(sent, MAX_FILE_BYTES)
    try:
        return await store_spreadsheet(
            database, actor, sent.name, content, makes_places=makes_places, may_choose=may_choose
        )
    except UnreadableProductFile as error:
        await discard_unstarted_imports(database, actor)
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
        import_id = await store_sent_spreadsheet(
            database, actor, sent, makes_places=create_places, may_choose=True
        )
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
                return answer_unavailable(str(error))
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
    """Return the import's template: an empty workbook with the columns, examples and explanations."""
    actor.require(Right.CHANGE_CATALOG)
    return _xlsx_response(await asyncio.to_thread(build_template), _("Plantilla de productos.xlsx"))


@router.get(f"{PATH}/{{import_id}}")
async def read_import(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Return the state of an import."""
    return await _import_response(database, actor, import_id)


@router.get(f"{PATH}/{{import_id}}/rows")
async def list_import_rows(
    actor: StaffMember,
    database: Db,
    import_id: str,
    parameters: Annotated[RowsParameters, read_query(RowsParameters)],
) -> Wire[RowsAnswer]:
    """Return a page of one of the import's lists: rows with problems, with notes, or with changes."""
    async with database.read() as session:
        rows, count = await read_row_page(
            session, actor, import_id, parameters.kind, offset=parameters.offset, limit=parameters.limit
        )
    return Wire({"rows": [row_to_wire(row) for row in rows], **paging_fields(count, parameters)})


@router.post(f"{PATH}/{{import_id}}/columns")
async def choose_file_column(
    actor: StaffMember, database: Db, import_id: str, body: ColumnChoice
) -> Wire[ImportAnswer]:
    """Choose one of the importer's columns for a column of a file in the format `unknown`, and check the rows again."""
    await choose_column(database, actor, import_id, body.place, body.column)
    return await _import_response(database, actor, import_id)


@router.post(f"{PATH}/{{import_id}}/confirm")
async def confirm(
    actor: StaffMember, database: Db, import_id: str, body: Confirmation | None = None
) -> Wire[ImportAnswer]:
    """Start the import after a new check of its rows. Rows with problems are not imported.

    The import is refused if it would empty or take away values of existing products, unless `confirm_losses` is true.
    """
    confirmed = body or Confirmation()
    await check_again(database, actor, import_id, confirmed)
    await start_import(database, actor, import_id, confirms_losses=confirmed.confirm_losses)
    return await _import_response(database, actor, import_id)


@router.post(f"{PATH}/{{import_id}}/stop")
async def stop(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Stop a running import after its current batch of rows. Written rows stay. A stopped import is not changed."""
    await stop_import(database, actor, import_id)
    return await _import_response(database, actor, import_id)


@router.post(f"{PATH}/{{import_id}}/continue")
async def go_on(actor: StaffMember, database: Db, import_id: str) -> Wire[ImportAnswer]:
    """Write the remaining rows of a stopped import. A running import is not changed."""
    await continue_import(database, actor, import_id)
    return await _import_response(database, actor, import_id)


@router.get(
    f"{PATH}/{{import_id}}/refused",
    response_class=Response,
    responses={200: {"content": {XLSX: {}}, "description": "The rows, each with its problem."}},
)
async def fetch_refused(actor: StaffMember, database: Db, import_id: str) -> Response:
    """Return a workbook of the rows that were refused or have problems, each with its problems."""
    async with database.read() as session:
        content = await build_refused_file(session, actor, import_id)
    return _xlsx_response(content, _("Filas por corregir.xlsx"))


async def _import_response(database: Database, actor: StaffMember, import_id: str) -> Wire[ImportAnswer]:
    async with database.read() as session:
        found = await read_report(session, actor, import_id)
    return Wire({"product_import": report_to_wire(found)})


def _xlsx_response(content: bytes, name: str) -> Response:
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "cache-control": "no-store",
    }
    return Response(content, media_type=XLSX, headers=headers)
