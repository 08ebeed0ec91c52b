"""Parsing of browser forms that carry pictures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.media.uploads import PictureRefused, PictureUploads, SentFile
from backend.rate_limit.limiter import Client

PICTURES = "pictures"
"""The form field that holds the pictures."""
MAX_FORM_FILES = 10
"""Maximum number of files that are read from any form. Each form also has its own lower limit."""


@dataclass(frozen=True, slots=True)
class PictureForm:
    """A submitted form with uploaded files. The files are deleted when the form is closed.

    Attributes:
        text_fields: the text fields by name.
        files: the non-empty files of the field `PICTURES`.
    """

    text_fields: dict[str, str]
    files: list[SentFile]

    def get_pictures(self, max_count: int) -> list[SentFile]:
        """Return the files of the form.

        Raises:
            PictureRefused: there are more than `max_count` files.
        """
        if len(self.files) > max_count:
            raise PictureRefused("Too many pictures", "too_many")
        return self.files


@asynccontextmanager
async def read_picture_form(
    request: Request, uploads: PictureUploads, client: Client, *, max_fields: int, max_field_bytes: int
) -> AsyncIterator[PictureForm]:
    """Read a customer's form with pictures. The caller has checked that the customer may send it.

    Raises:
        TooManyRequests: see `PictureUploads.reserve_customer_slot`.
    """
    with uploads.reserve_customer_slot(client.address):
        async with request.form(
            max_files=MAX_FORM_FILES, max_fields=max_fields, max_part_size=max_field_bytes
        ) as form:
            parts = form.multi_items()
            yield PictureForm(
                text_fields={name: part for name, part in parts if isinstance(part, str)},
                files=[
                    SentFile(part.filename or "", part.size, part.file)
                    for name, part in parts
                    if name == PICTURES and isinstance(part, UploadFile) and part.size
                ],
            )
