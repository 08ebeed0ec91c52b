"""CORS: the pages of other sites that may call the API. STORE_CORS, ADMIN_CORS and AUTH_CORS list them for each part.

As on the platform (wire: commerce-api, Conventions), the response repeats the origin and allows credentials. By
default no site is listed.
"""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config.origins import Origins
from backend.core.config.settings import Settings

METHODS = ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE")


class ListedOrigins(CORSMiddleware):
    """Starlette's CORS middleware for these origins."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        super().__init__(app, allow_methods=METHODS, allow_headers=["*"], allow_credentials=True)
        self._origins = origins

    def is_allowed_origin(self, origin: str) -> bool:
        """Return True if pages of this origin may call the API."""
        return self._origins.is_allowed(origin)


def with_cross_origin(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Return the app, with each part of the API open to the sites that are listed for it.

    If no sites are listed, the app is returned unchanged.
    """
    listed = {
        segment: ListedOrigins(app, origins) for segment, origins in settings.cross_origins.items() if origins
    }
    if not listed:
        return app

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await listed.get(first_segment(scope), app)(scope, receive, send)

    return dispatch


def first_segment(scope: Scope) -> str:
    """Return the first segment of a request's path: `store` of `/store/carts`."""
    segment: str = scope.get("path", "").removeprefix("/").partition("/")[0]
    return segment
