"""Requests with one file, for routes that receive spreadsheets or pictures."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.core.errors import InvalidData
from backend.media.uploads import SentFile

MULTIPART = "multipart/form-data"
FILE = "file"


def describe_file_body(description: str, field: str = FILE) -> dict[str, Any]:
    """Return the OpenAPI description of a request body with one file in this field."""
    schema = {
        "type": "object",
        "required": [field],
        "properties": {field: {"type": "string", "format": "binary", "description": description}},
    }
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


def require_multipart(request: Request) -> None:
    """Check the content type of a request with files.

    Raises:
        InvalidData: the request has another content type.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MULTIPART:
        raise InvalidData(f"Invalid request: Expected content-type: '{MULTIPART}'")


@asynccontextmanager
async def read_sent_file(request: Request) -> AsyncIterator[SentFile]:
    """Yield the one file of the request; it is closed at the end of the block.

    Raises:
        InvalidData: the request has another content type, or no file.
    """
    require_multipart(request)
    async with request.form(max_files=1, max_fields=1, max_part_size=1024) as form:
        part = form.get(FILE)
        if not isinstance(part, UploadFile):
            raise InvalidData(f"Invalid request: Field '{FILE}' is required")
        yield SentFile(part.filename or "", part.size or 0, part.file)


async def read_spreadsheet(sent: SentFile, max_bytes: int) -> bytes:
    """Return the content of a sent spreadsheet.

    Raises:
        InvalidData: it has more than `max_bytes`.
    """
    if sent.size > max_bytes:
        raise InvalidData(f"The spreadsheet is larger than {max_bytes >> 20} MiB")
    sent.content.seek(0)
    return await asyncio.to_thread(sent.content.read)
