"""What only the shop's own pages may do: a browser sends a cookie whoever made it ask."""

from urllib.parse import urlsplit

from fastapi import Request

from backend.core.config.origins import split_origin
from backend.core.config.settings import Settings
from backend.core.errors import Forbidden
from backend.edge.dependencies import ShopSettings
from backend.edge.middleware.cors import first_segment

MAX_FIELDS = 10
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing. A cookie counts for them from everywhere; for others only from a page of the shop."""


def is_from_own_page(request: Request, settings: Settings) -> bool:
    """Whether a page of this shop sent the request, by its `Origin`, which a page cannot forge."""
    origin = split_origin(request.headers.get("origin", ""))
    own = {request.headers.get("host", ""), urlsplit(settings.base_url).netloc}
    return origin.netloc in own - {""} and request.headers.get("sec-fetch-site") != "cross-site"


def is_from_known_page(request: Request, settings: Settings) -> bool:
    """Whether a page of this shop sent it, or one of a site that the settings list for this part of the API."""
    listed = settings.cross_origins.get(first_segment(request.scope))
    is_listed = listed is not None and listed.allow(request.headers.get("origin", ""))
    return is_listed or is_from_own_page(request, settings)


def may_use_cookie(request: Request, settings: Settings) -> bool:
    """Whether the request's cookie counts: it changes nothing, or comes from a page that is known."""
    return request.method in HARMLESS or is_from_known_page(request, settings)


def require_known_page(request: Request, settings: Settings) -> None:
    """Let pass only what a page of this shop sent, or one of a listed site.

    Raises:
        Forbidden: any other site's page, or something that does not say where it came from.
    """
    if not is_from_known_page(request, settings):
        raise Forbidden("This can be done from the shop's own pages only")


def require_own_page(request: Request, settings: Settings) -> None:
    """Let pass only what a page of this shop sent.

    Raises:
        Forbidden: another site's page, or something that does not say where it came from.
    """
    if not is_from_own_page(request, settings):
        raise Forbidden("This can be done from the shop's own pages only")


async def own_page(request: Request, settings: ShopSettings) -> None:
    """FastAPI dependency: see `require_own_page`."""
    require_own_page(request, settings)


async def form_fields(request: Request) -> dict[str, str]:
    """What a page's form submitted without scripts, by the names of its fields; it takes no files."""
    async with request.form(max_files=0, max_fields=MAX_FIELDS) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}
