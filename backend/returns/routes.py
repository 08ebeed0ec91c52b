"""Files of returns for the shop's people: the buyer's pictures, and the receipt of a transfer that the owner adds."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from backend.catalog.picture_store import PicturesUnavailable
from backend.catalog.upload_routes import uploads_of
from backend.catalog.uploads import MOST_FILE_BYTES, PictureUploads, SentFile
from backend.edge.dependencies import Db
from backend.edge.requests import WireRoute
from backend.errors import Conflict, InvalidData
from backend.returns.handling import add_receipt, read_file
from backend.staff.access import StaffMember, staff_who_may
from backend.staff.rights import OFFICE, Right

RECEIPTS = "/admin/return-receipts"
MOST_RECEIPT_BYTES = MOST_FILE_BYTES + (64 << 10)
"""Of a request with a receipt: the file, and what is written around it."""
PDF, WEBP = "application/pdf", "image/webp"
MOST_PDF_BYTES = 2 << 20
OFFICE_PAGE = f"{OFFICE}/devoluciones"

router = APIRouter(
    route_class=WireRoute,
    include_in_schema=False,  # for the office's own pages
    dependencies=staff_who_may(Right.READ_ORDERS),
)


@router.get("/admin/return-files/{file_id}")
async def get_file(actor: StaffMember, file_id: str, database: Db) -> Response:
    """A file of a return. A PDF is never shown as a page of the shop's."""
    async with database.read() as session:
        file = await read_file(session, actor, file_id)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if file.media_type == PDF:
        headers["Content-Disposition"] = f'attachment; filename="{file.id}.pdf"'
    return Response(file.content, media_type=file.media_type, headers=headers)


@router.post(RECEIPTS)
async def send_receipt(
    actor: StaffMember,
    request: Request,
    database: Db,
    uploads: Annotated[PictureUploads, Depends(uploads_of)],
) -> Response:
    """Keep the receipt that the form of a return's screen sends: a picture, or a PDF. It leads back to the screen."""
    actor.require(Right.BOOK_REFUNDS)
    return_id = request.query_params.get("id", "")[:60]
    page = f"{OFFICE_PAGE}/{return_id}"
    with uploads.room():
        async with request.form(max_files=1, max_fields=2) as form:
            sent = form.get("receipt")
            if not isinstance(sent, UploadFile):
                return RedirectResponse(f"{page}?comprobante=no", 303)
            try:
                media_type, content = await _receipt(uploads, sent)
                async with database.transaction() as session:
                    await add_receipt(session, actor, return_id, media_type, content)
            except (InvalidData, Conflict, PicturesUnavailable):
                return RedirectResponse(f"{page}?comprobante=no", 303)
    return RedirectResponse(page, 303)


async def _receipt(uploads: PictureUploads, sent: UploadFile) -> tuple[str, bytes]:
    """The receipt as it is kept.

    Raises:
        InvalidData: it is neither a picture nor a PDF, or too large.
    """
    if (await sent.read(5)) == b"%PDF-":
        if (sent.size or 0) > MOST_PDF_BYTES:
            raise InvalidData("A receipt is smaller")
        await sent.seek(0)
        return PDF, await sent.read()
    (picture,) = await uploads.as_webp([SentFile(sent.filename or "", sent.size or 0, sent.file)])
    return WEBP, picture
