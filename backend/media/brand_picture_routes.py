"""`/admin/brand/pictures`: upload of the shop's logo or icon. The caller's rights are checked before the upload."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from typing_extensions import TypedDict

from backend.core.errors import InvalidData
from backend.edge.errors import REFUSALS, Refusal, answer_unavailable
from backend.edge.requests import WireRoute
from backend.edge.wire import Wire
from backend.media.picture_store import PicturesUnavailable
from backend.media.sent_file import describe_file_body, require_multipart
from backend.media.upload_routes import FILES, MAX_FIELD_BYTES, MAX_FIELDS, StoredFile, get_uploads
from backend.media.uploads import MAX_FILE_BYTES, MAX_STAFF_REQUESTS, PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

PATH = "/admin/brand/pictures"
MAX_BODY_BYTES = MAX_FILE_BYTES + (64 << 10)
"""Maximum size of a request: the file and the multipart headers."""

router = APIRouter(
    route_class=WireRoute,
    tags=["admin: content"],
    responses={
        **REFUSALS,
        413: {"model": Refusal, "description": f"The body is longer than {MAX_BODY_BYTES >> 20} MiB."},
        429: {"model": Refusal, "description": f"{MAX_STAFF_REQUESTS} others are sending pictures."},
    },
    dependencies=require_staff_right(Right.CHANGE_BRAND),
)


class BrandPictureAnswer(TypedDict):
    """The stored picture. Its `url` is the value of `logo` or `icon` in the content `brand`."""

    files: list[StoredFile]


@router.post(PATH, openapi_extra=describe_file_body("The logo or the icon.", FILES))
async def upload_brand_picture(
    actor: StaffMember, request: Request, uploads: Annotated[PictureUploads, Depends(get_uploads)]
) -> Wire[BrandPictureAnswer]:
    """Store the shop's logo or icon: one PNG, JPEG, WebP, AVIF or SVG.

    The file has at most 15 MiB and 16 million pixels, an SVG at most 1 MiB. An SVG is rendered to PNG and is not
    stored: it may contain shapes and embedded pictures, but no text, scripts or references to other files. Icons are
    made from the picture. Files that are not used after a week are deleted.
    """
    require_multipart(request)
    with uploads.reserve_staff_slot():
        async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES) as form:
            parts = [part for name, part in form.multi_items() if name == FILES]
            if len(parts) != 1 or not isinstance(part := parts[0], UploadFile):
                raise InvalidData(f"Invalid request: Expected one file in field '{FILES}'")
            sent = SentFile(part.filename or "", part.size or 0, part.file)
            try:
                stored = await uploads.store_brand_picture(actor, sent)
            except PicturesUnavailable as error:
                return answer_unavailable(str(error))
    return Wire({"files": [StoredFile(id=stored.id, url=stored.url)]})
