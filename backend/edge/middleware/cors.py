"""Pages of other sites that may call the API: those that STORE_CORS, ADMIN_CORS and AUTH_CORS list, each for its part.

As on the platform (wire: commerce-api, Conventions): the origin is echoed, credentials are allowed. Nobody is listed
unless the settings say so.
"""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.core.config.origins import Origins
from backend.core.config.settings import Settings

METHODS = ("GET", "HEAD", "PUT", "PATCH", "POST", "DELETE")


class ListedOrigins(CORSMiddleware):
    """Starlette's middleware, for the pages of these origins."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        super().__init__(app, allow_methods=METHODS, allow_headers=["*"], allow_credentials=True)
        self._origins = origins

    def is_allowed_origin(self, origin: str) -> bool:
        """Whether pages of this origin may call."""
        return self._origins.allow(origin)


def with_cross_origin(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The app, whose parts answer the pages of the sites that are listed for them; as it is when none are."""
    listed = {
        segment: ListedOrigins(app, origins) for segment, origins in settings.cross_origins.items() if origins
    }
    if not listed:
        return app

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await listed.get(first_segment(scope), app)(scope, receive, send)

    return dispatch


def first_segment(scope: Scope) -> str:
    """What the path of a request begins with: `store` of `/store/carts`."""
    segment: str = scope.get("path", "").removeprefix("/").partition("/")[0]
    return segment
