"""The shop's pictures and videos over HTTP. The content of a file name never changes, so browsers cache it permanently.

A video is sent in the ranges that the browser requests, and is never held in memory as a whole.
"""

import asyncio
import logging
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime
from mimetypes import guess_type

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from backend.core.outage import RETRY_AFTER_S
from backend.edge.etags import NotModified, compute_etag, has_current_copy
from backend.edge.ranges import UnsatisfiableRange, parse_range
from backend.media.avif_pictures import avif_name
from backend.media.picture_store import URL, PictureContent, PictureStore, PicturesUnavailable
from backend.media.picture_widths import find_wider_name
from backend.media.videos import parse_video_url

PERMANENT_CACHING = "public, max-age=31536000, immutable"
CONCURRENCY = 32
"""Maximum number of pictures that are read at the same time; further requests wait."""
READ_TIMEOUT_S = 10.0
"""Timeout in seconds for one picture, including the wait."""

log = logging.getLogger(__name__)


class PictureServer:
    """An ASGI app that serves stored pictures and videos. It returns 503 while the picture store is unavailable."""

    def __init__(self, pictures: PictureStore) -> None:
        self._pictures = pictures
        self._slots = asyncio.Semaphore(CONCURRENCY)
        self._is_unavailable = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._answer(
            scope, scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        )
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, name: str) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Method Not Allowed", 405, {"Allow": "GET, HEAD"})
        tag = _compute_tag(name)
        if has_current_copy(scope, tag) and Headers(scope=scope).get("if-none-match", "").strip() != "*":
            # this server issued the tag, so the picture exists
            return NotModified(Response(headers=_cache_headers(tag)).raw_headers)
        try:
            response = await self._answer_file(scope, name, tag)
        except (PicturesUnavailable, TimeoutError) as error:
            if not self._is_unavailable:
                self._is_unavailable = True
                log.error(  # noqa: TRY400 - one line
                    "%s; this is logged once until the store answers",
                    str(error) or "a picture was not read in time",
                )
            return PlainTextResponse(
                "Service Unavailable", 503, {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
            )
        if self._is_unavailable:
            self._is_unavailable = False
            log.warning("the store of pictures answers again")
        return response

    async def _answer_file(self, scope: Scope, name: str, tag: str) -> Response:
        if parse_video_url(f"{URL}/{name}"):
            return await self._answer_video(scope, name, tag)
        response = await self._answer_best_format(scope, name, tag)
        wider = find_wider_name(name) if response.status_code == 404 else None
        return await self._answer_best_format(scope, wider, _compute_tag(wider)) if wider else response

    async def _answer_best_format(self, scope: Scope, name: str, tag: str) -> Response:
        """Answer with the AVIF file of this picture if it exists and the browser accepts AVIF, else with the file."""
        smaller = avif_name(name)
        if smaller is not None and "image/avif" in Headers(scope=scope).get("accept", ""):
            response = await self._answer_picture(scope, smaller, _compute_tag(smaller))
            if response.status_code != 404:
                return response
        return await self._answer_picture(scope, name, tag)

    async def _answer_picture(self, scope: Scope, name: str, tag: str) -> Response:
        found = await self._read(name)
        if found is None:
            return PlainTextResponse("Not Found", 404)
        headers = {**_cache_headers(tag), "Last-Modified": format_datetime(found.changed_at, usegmt=True)}
        kind = "image/webp" if found.content.startswith(b"RIFF") else _guess_media_type(name)
        response = Response(found.content, media_type=kind, headers=headers)
        return (
            NotModified(response.raw_headers)
            if has_current_copy(scope, tag) or _is_unmodified_since(scope, found.changed_at)
            else response
        )

    async def _answer_video(self, scope: Scope, name: str, tag: str) -> Response:
        request_headers = Headers(scope=scope)
        async with asyncio.timeout(READ_TIMEOUT_S), self._slots:
            found = await self._pictures.find_entry(name)
            if found is None:
                return PlainTextResponse("Not Found", 404)
            changed = format_datetime(found.changed_at, usegmt=True)
            headers = {**_cache_headers(tag), "Last-Modified": changed, "Accept-Ranges": "bytes"}
            if has_current_copy(scope, tag) or _is_unmodified_since(scope, found.changed_at):
                return NotModified(Response(headers=headers).raw_headers)
            is_head = scope["method"] == "HEAD"
            is_part = not is_head and request_headers.get("if-range", tag) in (tag, changed)
            try:
                part = parse_range(request_headers.get("range", ""), found.size) if is_part else None
            except UnsatisfiableRange:
                of = {"Content-Range": f"bytes */{found.size}", "Cache-Control": "no-store"}
                return PlainTextResponse("Range Not Satisfiable", 416, of)
            start, end = (part.start, part.end) if part else (0, found.size)
            headers |= {"Content-Length": str(end - start), "Content-Type": _guess_media_type(name)}
            if is_head:
                return Response(headers=headers)
            if part:
                headers["Content-Range"] = part.header
            content = await self._pictures.stream_range(name, start, end)
        return StreamingResponse(content, 206 if part else 200, headers)

    async def _read(self, name: str) -> PictureContent | None:
        async with asyncio.timeout(READ_TIMEOUT_S), self._slots:
            return await self._pictures.get(name)


def _guess_media_type(name: str) -> str:
    if video := parse_video_url(f"{URL}/{name}"):
        return video.media_type
    kind = guess_type(name)[0] or ""
    # an SVG may contain a script
    return kind if kind.startswith("image/") and "svg" not in kind else "application/octet-stream"


def _compute_tag(name: str) -> str:
    """Return the strong entity tag of a file. It is made from the name: the content under a name never changes."""
    return compute_etag(name.encode("utf-8", "replace")).removeprefix("W/")


def _cache_headers(tag: str) -> dict[str, str]:
    return {"Cache-Control": PERMANENT_CACHING, "ETag": tag, "Vary": "Accept"}


def _is_unmodified_since(scope: Scope, changed_at: datetime) -> bool:
    """Return True if the picture has not changed since the date that the browser sent (`If-Modified-Since`).

    If the browser also sent an entity tag, return False, because the tag takes precedence (RFC 9110, 13.1.3).
    """
    headers = Headers(scope=scope)
    since = headers.get("if-modified-since", "")
    if not since or "if-none-match" in headers:
        return False
    try:
        return changed_at.replace(microsecond=0) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False
