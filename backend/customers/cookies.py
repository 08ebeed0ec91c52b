"""The cookie of a signed-in browser, and the check that a request came from a page of ours.

`HttpOnly`: no script reads it. `SameSite=Lax`: no other site's request carries it, except for following a link here.
`Secure` under https. The check of `Origin` stands beside that: old browsers know no SameSite, and other shops may live
on sister hosts of the same site.
"""

from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import Response

from backend.customers.sessions import COOKIE, LIFETIME
from backend.errors import Forbidden
from backend.settings import Settings


def token_in(request: Request) -> str:
    """The session's token that the request brings; empty without one."""
    return request.cookies.get(COOKIE, "")


def give_cookie(response: Response, settings: Settings, token: str) -> None:
    """Sign this browser in."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(LIFETIME.total_seconds()),
        path="/",
        secure=is_secure(settings),
        httponly=True,
        samesite="lax",
    )


def take_cookie(response: Response, settings: Settings) -> None:
    """Sign this browser out."""
    response.delete_cookie(COOKIE, path="/", secure=is_secure(settings), httponly=True, samesite="lax")


def is_secure(settings: Settings) -> bool:
    """Whether the shop is reached by https, so that a cookie may refuse anything else."""
    return settings.base_url.startswith("https://")


def require_own_page(request: Request, settings: Settings) -> None:
    """Let pass only what a page of this shop sent.

    Raises:
        Forbidden: another site's page, or something that does not say where it came from.
    """
    if not is_from_own_page(request, settings):
        raise Forbidden("This can be done from the shop's own pages only")


def is_from_own_page(request: Request, settings: Settings) -> bool:
    """Whether a page of this shop sent the request. A browser tells the page's site, and no page can forge that."""
    origin = urlsplit(request.headers.get("origin", ""))
    own = {request.headers.get("host", ""), urlsplit(settings.base_url).netloc}
    return origin.netloc in own - {""} and request.headers.get("sec-fetch-site") != "cross-site"
