"""The shop's pictures and videos over HTTP. Their address names their content, so browsers cache them for good.

A video is sent in the parts that the browser asks for, and never held whole in memory.
"""

import asyncio
import logging
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime
from mimetypes import guess_type

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from backend.core.outage import RETRY_AFTER
from backend.edge.etags import NotModified, is_known, tag_of
from backend.edge.ranges import Unsatisfiable, part_of
from backend.media.picture_store import URL, Found, PictureStore, PicturesUnavailable
from backend.media.videos import video_at

FOREVER = "public, max-age=31536000, immutable"
AT_ONCE = 32
"""Pictures that are read at the same time; more wait."""
WITHIN = 10.0
"""Seconds for one, waiting included."""

log = logging.getLogger(__name__)


class ServedPictures:
    """An ASGI app: the store's pictures, cached for good once they are found. 503 while the store does not answer."""

    def __init__(self, pictures: PictureStore) -> None:
        self._pictures = pictures
        self._places = asyncio.Semaphore(AT_ONCE)
        self._is_away = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._answer(
            scope, scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        )
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, name: str) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Method Not Allowed", 405, {"Allow": "GET, HEAD"})
        tag = tag_of(name.encode("utf-8", "replace")).removeprefix("W/")  # what a name holds never changes
        if is_known(scope, tag) and Headers(scope=scope).get("if-none-match", "").strip() != "*":
            return NotModified(Response(headers=_headers(tag)).raw_headers)  # only we can have told the tag
        answer = self._video if video_at(f"{URL}/{name}") else self._picture
        try:
            response = await answer(scope, name, tag)
        except (PicturesUnavailable, TimeoutError) as error:
            if not self._is_away:
                self._is_away = True
                log.error("%s; this is not told again until it answers", str(error) or "no picture in time")  # noqa: TRY400 - one line
            return PlainTextResponse(
                "Service Unavailable", 503, {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
            )
        if self._is_away:
            self._is_away = False
            log.warning("the store of pictures answers again")
        return response

    async def _picture(self, scope: Scope, name: str, tag: str) -> Response:
        found = await self._read(name)
        if found is None:
            return PlainTextResponse("Not Found", 404)
        headers = {**_headers(tag), "Last-Modified": format_datetime(found.changed_at, usegmt=True)}
        response = Response(
            found.content,
            media_type=_kind_of(name),
            headers=headers,
        )
        return (
            NotModified(response.raw_headers)
            if is_known(scope, tag) or _is_as_old(scope, found.changed_at)
            else response
        )

    async def _video(self, scope: Scope, name: str, tag: str) -> Response:
        asked = Headers(scope=scope)
        async with asyncio.timeout(WITHIN), self._places:
            found = await self._pictures.size_of(name)
            if found is None:
                return PlainTextResponse("Not Found", 404)
            changed = format_datetime(found.changed_at, usegmt=True)
            headers = {**_headers(tag), "Last-Modified": changed, "Accept-Ranges": "bytes"}
            if is_known(scope, tag) or _is_as_old(scope, found.changed_at):
                return NotModified(Response(headers=headers).raw_headers)
            is_head = scope["method"] == "HEAD"
            is_part = not is_head and asked.get("if-range", tag) in (tag, changed)
            try:
                part = part_of(asked.get("range", ""), found.size) if is_part else None
            except Unsatisfiable:
                of = {"Content-Range": f"bytes */{found.size}", "Cache-Control": "no-store"}
                return PlainTextResponse("Range Not Satisfiable", 416, of)
            start, end = (part.start, part.end) if part else (0, found.size)
            headers |= {"Content-Length": str(end - start), "Content-Type": _kind_of(name)}
            if is_head:
                return Response(headers=headers)
            if part:
                headers["Content-Range"] = part.header
            content = await self._pictures.part(name, start, end)
        return StreamingResponse(content, 206 if part else 200, headers)

    async def _read(self, name: str) -> Found | None:
        async with asyncio.timeout(WITHIN), self._places:
            return await self._pictures.get(name)


def _kind_of(name: str) -> str:
    if video := video_at(f"{URL}/{name}"):
        return video.media_type
    kind = guess_type(name)[0] or ""
    # a drawing may hold a script
    return kind if kind.startswith("image/") and "svg" not in kind else "application/octet-stream"


def _headers(tag: str) -> dict[str, str]:
    return {"Cache-Control": FOREVER, "ETag": tag}


def _is_as_old(scope: Scope, changed_at: datetime) -> bool:
    """Whether the browser has it by its date; a tag counts before that (RFC 9110, 13.1.3)."""
    headers = Headers(scope=scope)
    since = headers.get("if-modified-since", "")
    if not since or "if-none-match" in headers:
        return False
    try:
        return changed_at.replace(microsecond=0) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False
