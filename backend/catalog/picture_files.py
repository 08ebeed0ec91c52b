"""The shop's picture files over HTTP. Their address names their content, so browsers cache them for good."""

from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from backend.edge.conditional import is_known

FOREVER = "public, max-age=31536000, immutable"
FOLDER = "pictures"
URL = "/pictures"


def pictures_folder(data_dir: Path) -> Path:
    """Where a shop with this data folder keeps its pictures. Replicas share it."""
    return data_dir / FOLDER


class ServedPictures(StaticFiles):
    """The folder's files, cached for good once they are found."""

    def __init__(self, data_dir: Path) -> None:
        folder = pictures_folder(data_dir)
        folder.mkdir(parents=True, exist_ok=True)  # there is nothing in it before the first import
        super().__init__(directory=folder)

    def is_not_modified(self, response_headers: Headers, request_headers: Headers) -> bool:
        """Whether the browser has the file, by its tag or else by its date."""
        if "if-none-match" in request_headers:
            return is_known({"method": "GET", "headers": request_headers.raw}, response_headers["etag"])
        return super().is_not_modified(response_headers, request_headers)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 404."""
        response = await super().get_response(path, scope)
        if response.status_code in {200, 304}:
            response.headers["Cache-Control"] = FOREVER
        return response
