"""Requests with one file, for routes that receive spreadsheets or pictures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.core.errors import InvalidData
from backend.media.uploads import SentFile

MULTIPART = "multipart/form-data"
FILE = "file"


def describe_file_body(description: str) -> dict[str, Any]:
    """Return the OpenAPI description of a request body with one file."""
    schema = {
        "type": "object",
        "required": [FILE],
        "properties": {FILE: {"type": "string", "format": "binary", "description": description}},
    }
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


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
