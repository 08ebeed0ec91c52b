"""The browser's own forms that carry pictures: how they are read, whatever they ask."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.media.uploads import PictureRefused, PictureUploads, SentFile
from backend.rate_limit.limiter import Client

PICTURES = "pictures"
"""The name of the field with the pictures."""
MOST_FILES = 10
"""That are read; a form takes fewer."""


@dataclass(frozen=True, slots=True)
class PictureForm:
    """A form as it was sent. Its files are there while it is open.

    Attributes:
        typed: what was typed and chosen, by the field's name.
        files: those of the field `PICTURES` that hold anything.
    """

    typed: dict[str, str]
    files: list[SentFile]

    def pictures(self, most: int) -> list[SentFile]:
        """The files, if they are no more than that.

        Raises:
            PictureRefused: there are more.
        """
        if len(self.files) > most:
            raise PictureRefused("Too many pictures", "too_many")
        return self.files


@asynccontextmanager
async def picture_form(
    request: Request, uploads: PictureUploads, client: Client, *, most_fields: int, most_field_bytes: int
) -> AsyncIterator[PictureForm]:
    """Read the form of a buyer at this client. The caller has checked that there is something to send it for.

    Raises:
        TooManyRequests: see `PictureUploads.buyers_room`.
    """
    with uploads.buyers_room(client.address):
        async with request.form(
            max_files=MOST_FILES, max_fields=most_fields, max_part_size=most_field_bytes
        ) as form:
            parts = form.multi_items()
            yield PictureForm(
                typed={name: part for name, part in parts if isinstance(part, str)},
                files=[
                    SentFile(part.filename or "", part.size, part.file)
                    for name, part in parts
                    if name == PICTURES and isinstance(part, UploadFile) and part.size
                ],
            )
