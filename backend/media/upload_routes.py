"""`/admin/uploads`: pictures and videos from staff (platform: uploads). Who asks is known before the body is read."""

from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.datastructures import UploadFile
from typing_extensions import TypedDict

from backend.core.errors import InvalidData, require_found
from backend.core.outage import RETRY_AFTER
from backend.edge.dependencies import Shown
from backend.edge.errors import REFUSALS, Refusal
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, FilledName, Name, example
from backend.edge.wire import Wire
from backend.media.picture_store import PicturesUnavailable
from backend.media.uploads import AT_ONCE, MOST_BYTES, MOST_FILES, PictureUploads, SentFile
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

PATH = "/admin/uploads"
FILES = "files"
MULTIPART = "multipart/form-data"
MOST_FIELDS, MOST_FIELD_BYTES = 10, 1024
"""Of fields that are no files; there should be none."""
SENT = {
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
                        "maxItems": MOST_FILES,
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
        413: {"model": Refusal, "description": f"The body is longer than {MOST_BYTES >> 20} MiB."},
        429: {"model": Refusal, "description": f"{AT_ONCE} others are sending pictures."},
    },
    dependencies=staff_who_may(Right.CHANGE_CATALOG),
)


class StoredFile(TypedDict):
    """A picture in the shop's store, to be named by a product's `images`, or a video, by its `metadata.video`."""

    id: Annotated[str, Field(examples=["file_0a1b2c3d4e5f6071"])]
    url: Annotated[str, Field(examples=["/pictures/0a1b2c3d4e5f6071/foto-960x720-960.webp"])]


class PlaceWanted(Body):
    """A file that somebody is going to send."""

    model_config = example(originalname="juguetes.csv", mime_type="text/csv", size=1200)

    originalname: FilledName
    mime_type: Name
    size: Annotated[int, Field(ge=0, le=MOST_BYTES)]
    access: Literal["public", "private"] | None = None


class UploadPlace(TypedDict):
    """Where a file is sent: to a path of this API, as the parts of a form."""

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


async def uploads_of(request: Request) -> PictureUploads:
    """The running shop's uploads."""
    uploads: PictureUploads = request.app.state.uploads
    return uploads


class Sheets(Protocol):
    """Takes tables of products. What they hold is none of the catalogue's business."""

    def takes(self, sent: SentFile) -> bool:
        """Whether the file says that it is a table."""

    async def keep(self, actor: Actor, sent: SentFile) -> StoredFile:
        """Keep it, until somebody has it imported.

        Raises:
            InvalidData: it cannot be read.
        """


@router.post(PATH, openapi_extra={"requestBody": SENT})
async def upload_pictures(
    actor: StaffMember, request: Request, uploads: Annotated[PictureUploads, Depends(uploads_of)]
) -> Wire[UploadsAnswer]:
    """Store pictures for products: JPEG, PNG, WebP or AVIF, at most 10 of 15 MiB and 50 million pixels each.

    Also videos, MP4 or WebM, of at most `VIDEO_MB`: they are kept as they are, and a product's `metadata.video` names
    the `url` of one. All or none are taken. Pictures are made into the widths that pages ask for, turned upright, and
    lose what a camera wrote into them, such as the place. What no product names after a week is deleted.
    A table of products (CSV), alone, is kept for `POST /admin/products/imports`.
    """
    sheets: Sheets = request.app.state.sheets
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MULTIPART:
        raise InvalidData(f"Invalid request: Expected content-type: '{MULTIPART}'")
    with uploads.place(actor):
        async with request.form(
            max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=MOST_FIELD_BYTES
        ) as form:
            sent = [_file(name, part) for name, part in form.multi_items()]
            if not sent:
                raise InvalidData("No files were uploaded")
            if len(sent) == 1 and sheets.takes(sent[0]):
                return Wire({"files": [await sheets.keep(actor, sent[0])]})
            try:
                stored = await uploads.store(actor, sent)
            except PicturesUnavailable as error:
                return _unavailable(error)
    return Wire({"files": [{"id": one.id, "url": one.url} for one in stored]})


@router.post(f"{PATH}/presigned-urls")
async def where_to_send(body: PlaceWanted) -> Wire[UploadPlace]:
    """Where to send a file: the shop keeps its files itself, so that is `POST /admin/uploads`."""
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
    file_id: str, uploads: Annotated[PictureUploads, Depends(uploads_of)], fields: Shown
) -> Wire[UploadAnswer]:
    """Where a picture that was uploaded is, by the id of its file."""
    try:
        found = await uploads.find(file_id)
    except PicturesUnavailable as error:
        return _unavailable(error)
    found = require_found(found, "File", file_id)
    return Wire({"file": fields.pick(StoredFile(id=found.id, url=found.url))})


def _unavailable(error: PicturesUnavailable) -> Wire:
    body = {"type": "unavailable", "message": str(error)}
    return Wire(body, 503, headers={"Retry-After": str(RETRY_AFTER)})


def _file(name: str, part: UploadFile | str) -> SentFile:
    """One part of the body.

    Raises:
        InvalidData: it is none of the files.
    """
    if name != FILES:
        raise InvalidData(f"Invalid request: Unrecognized fields: '{name[:MOST_FIELD_BYTES]}'")
    if isinstance(part, str):
        raise InvalidData(f"Invalid request: Expected type: 'file' for field '{FILES}', got: 'string'")
    return SentFile(part.filename or "", part.size or 0, part.file)
