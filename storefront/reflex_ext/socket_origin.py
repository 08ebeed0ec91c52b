"""Check that only the shop's own pages open the websocket, not the pages of other sites."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import reflex as rx
from reflex.utils.exec import is_prod_mode

from backend.app import current_shop
from backend.core.config.origins import split_origin


def accept_own_pages_only(app: rx.App) -> None:
    """Make the app's websocket refuse the pages of other sites.

    The browser sends the site of the page in the header `Origin`, which the page cannot forge. Without this check,
    any site could act on behalf of a visitor who is signed in to the shop.
    """
    if app.sio is not None:  # an app without any state has no websocket
        app.sio.eio.cors_allowed_origins = is_own_page


def is_own_page(origin: str, environ: Mapping[str, Any]) -> bool:
    """Return True if `origin` is the host of this request, or that of PUBLIC_URL.

    In development, pages come from Vite on another port of the same host.
    """
    own = split_origin(origin)
    if not own.netloc:  # malformed, or "null": a page without a site, such as a sandboxed frame
        return False
    hosts = [environ.get("HTTP_HOST", ""), environ.get("HTTP_X_FORWARDED_HOST", "")]
    if not is_prod_mode():
        return own.hostname in {host.rpartition(":")[0] for host in hosts}
    return own.netloc in {*hosts, urlsplit(current_shop().settings.base_url).netloc}
