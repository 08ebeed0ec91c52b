"""`/admin/uploads`: uploads of pictures and videos by staff. The caller's rights are checked before the upload."""

from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.datastructures import UploadFile
from typing_extensions import TypedDict

from backend.core.errors import InvalidData, require_found
from backend.edge.dependencies import RequestedFields
from backend.edge.errors import REFUSALS, Refusal, answer_unavailable
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, FilledName, Name, example
from backend.edge.wire import Wire
from backend.media.picture_store import PicturesUnavailable
from backend.media.sent_file import MULTIPART, require_multipart
from backend.media.uploads import MAX_FILES, MAX_STAFF_REQUESTS, MAX_UPLOAD_BYTES, PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

PATH = "/admin/uploads"
FILES = "files"
MAX_FIELDS, MAX_FIELD_BYTES = 10, 1024
"""Maximum number and size of form fields that are not files. A normal upload has none."""
REQUEST_BODY = {
    "required": True,
    "content": {
        MULTIPART: {
            "schema": {
                "type": "object",
                "required": [FILES],
                "properties": {
                    FILES: {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": MAX_FILES,
                        "items": {"type": "string", "format": "binary"},
                    }
                },
            }
        }
    },
}

router = APIRouter(
    route_class=WireRoute,
    tags=["admin: catalogue"],
    responses={
        **REFUSALS,
        413: {"model": Refusal, "description": f"The body is longer than {MAX_UPLOAD_BYTES >> 20} MiB."},
        429: {"model": Refusal, "description": f"{MAX_STAFF_REQUESTS} others are sending pictures."},
    },
    dependencies=require_staff_right(Right.CHANGE_CATALOG),
)


class StoredFile(TypedDict):
    """A file in the shop's store. A product refers to a picture in `images`, and to a video in `metadata.video`."""

    id: Annotated[str, Field(examples=["file_0a1b2c3d4e5f6071"])]
    url: Annotated[str, Field(examples=["/pictures/0a1b2c3d4e5f6071/foto-960x720-960.webp"])]


class UploadUrlRequest(Body):
    """Description of a file that the caller is about to send."""

    model_config = example(originalname="juguetes.csv", mime_type="text/csv", size=1200)

    originalname: FilledName
    mime_type: Name
    size: Annotated[int, Field(ge=0, le=MAX_UPLOAD_BYTES)]
    access: Literal["public", "private"] | None = None


class UploadUrl(TypedDict):
    """The URL to which a file is uploaded: a path of this API, for a multipart form."""

    url: Annotated[str, Field(examples=[PATH])]
    filename: str
    originalname: str
    mime_type: str
    extension: str
    size: int


class UploadsAnswer(TypedDict):
    """The pictures in the order of the files."""

    files: list[StoredFile]


class UploadAnswer(TypedDict):
    """A picture in the shop's store."""

    file: StoredFile


async def get_uploads(request: Request) -> PictureUploads:
    """Return the running shop's service that stores uploads."""
    uploads: PictureUploads = request.app.state.uploads
    return uploads


class SpreadsheetReceiver(Protocol):
    """Interface for storing uploaded spreadsheets of products. `backend.imports` implements it."""

    def is_spreadsheet(self, sent: SentFile) -> bool:
        """Return True if the file has the name of a spreadsheet."""

    async def store_spreadsheet(self, actor: Actor, sent: SentFile) -> StoredFile:
        """Store the file until its import is requested.

        Raises:
            InvalidData: the file cannot be read.
        """


@router.post(PATH, openapi_extra={"requestBody": REQUEST_BODY})
async def upload_pictures(
    actor: StaffMember, request: Request, uploads: Annotated[PictureUploads, Depends(get_uploads)]
) -> Wire[UploadsAnswer]:
    """Store pictures for products: JPEG, PNG, WebP or AVIF.

    A request has at most 10 files; a picture has at most 15 MiB and 50 million pixels.

    Videos (MP4 or WebM, at most `VIDEO_MB`) are stored unchanged; set a product's `metadata.video` to the `url` of
    the video. If one file is refused, all are refused. Pictures are converted to the widths that pages request,
    turned upright, and lose the camera's metadata, such as the location. Files that no product uses after a week
    are deleted. A spreadsheet of products (CSV) must be sent alone; it is stored for `POST
    /admin/products/imports`.
    """
    spreadsheets: SpreadsheetReceiver = request.app.state.sheets
    require_multipart(request)
    with uploads.reserve_catalog_slot(actor):
        async with request.form(
            max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES
        ) as form:
            sent = [_to_sent_file(name, part) for name, part in form.multi_items()]
            if not sent:
                raise InvalidData("No files were uploaded")
            if len(sent) == 1 and spreadsheets.is_spreadsheet(sent[0]):
                return Wire({"files": [await spreadsheets.store_spreadsheet(actor, sent[0])]})
            try:
                stored = await uploads.store(actor, sent)
            except PicturesUnavailable as error:
                return answer_unavailable(str(error))
    return Wire({"files": [{"id": one.id, "url": one.url} for one in stored]})


@router.post(f"{PATH}/presigned-urls")
async def get_upload_url(body: UploadUrlRequest) -> Wire[UploadUrl]:
    """Return the URL for an upload. The shop stores its files itself, so it is always `POST /admin/uploads`."""
    _name, _dot, extension = body.originalname.rpartition(".")
    return Wire(
        {
            "url": PATH,
            "filename": body.originalname,
            "originalname": body.originalname,
            "mime_type": body.mime_type,
            "size": body.size,
            "extension": extension if _dot else "",
        }
    )


@router.get(f"{PATH}/{{file_id}}")
async def read_upload(
    file_id: str, uploads: Annotated[PictureUploads, Depends(get_uploads)], fields: RequestedFields
) -> Wire[UploadAnswer]:
    """Return the address of an uploaded picture by its file id."""
    try:
        found = await uploads.find(file_id)
    except PicturesUnavailable as error:
        return answer_unavailable(str(error))
    found = require_found(found, "File", file_id)
    return Wire({"file": fields.pick(StoredFile(id=found.id, url=found.url))})


def _to_sent_file(name: str, part: UploadFile | str) -> SentFile:
    """Return one part of the multipart body as a file.

    Raises:
        InvalidData: the part is not a file of the field `FILES`.
    """
    if name != FILES:
        raise InvalidData(f"Invalid request: Unrecognized fields: '{name[:MAX_FIELD_BYTES]}'")
    if isinstance(part, str):
        raise InvalidData(f"Invalid request: Expected type: 'file' for field '{FILES}', got: 'string'")
    return SentFile(part.filename or "", part.size or 0, part.file)
