"""Protection against requests from pages of other sites, because a browser sends the shop's cookies with them too."""

from urllib.parse import urlsplit

from fastapi import Request

from backend.core.config.origins import split_origin
from backend.core.config.settings import Settings
from backend.core.errors import Forbidden
from backend.edge.dependencies import ShopSettings
from backend.edge.middleware.cors import first_segment

MAX_FIELDS = 10
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing: the cookie is accepted from any page. Other methods need a known page."""


def is_from_own_page(request: Request, settings: Settings) -> bool:
    """Return True if a page of this shop sent the request.

    The header `Origin` shows this, and a page cannot forge it.
    """
    origin = split_origin(request.headers.get("origin", ""))
    own_hosts = {request.headers.get("host", ""), urlsplit(settings.base_url).netloc}
    return origin.netloc in own_hosts - {""} and request.headers.get("sec-fetch-site") != "cross-site"


def is_from_known_page(request: Request, settings: Settings) -> bool:
    """Return True if a page of this shop, or of a site listed for this part of the API, sent the request."""
    listed = settings.cross_origins.get(first_segment(request.scope))
    is_listed = listed is not None and listed.is_allowed(request.headers.get("origin", ""))
    return is_listed or is_from_own_page(request, settings)


def may_use_cookie(request: Request, settings: Settings) -> bool:
    """Return True if the request's cookie may be used: the request changes nothing, or a known page sent it."""
    return request.method in SAFE_METHODS or is_from_known_page(request, settings)


def require_known_page(request: Request, settings: Settings) -> None:
    """Check that a page of this shop or of a listed site sent the request.

    Raises:
        Forbidden: another site's page sent it, or its origin is unknown.
    """
    if not is_from_known_page(request, settings):
        raise Forbidden("This can be done from the shop's own pages only")


def require_own_page(request: Request, settings: Settings) -> None:
    """Check that a page of this shop sent the request.

    Raises:
        Forbidden: another site's page sent it, or its origin is unknown.
    """
    if not is_from_own_page(request, settings):
        raise Forbidden("This can be done from the shop's own pages only")


async def check_own_page(request: Request, settings: ShopSettings) -> None:
    """Check the request in a FastAPI dependency: see `require_own_page`."""
    require_own_page(request, settings)


async def read_form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form that a page submitted without scripts, by name; files are refused."""
    async with request.form(max_files=0, max_fields=MAX_FIELDS) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}
