"""Addresses of a former shop: find the page to redirect to, and count the visits of unknown addresses."""

import logging

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from backend.app import current_shop
from backend.catalog.redirects.lookup import find_former_address
from backend.core.outage import DatabaseUnavailable
from backend.edge.requests import client_address

log = logging.getLogger(__name__)


async def find_former_page(scope: Scope, path: bytes, *, has_page: bool = False) -> str:
    """Return the path of the page to which the requested former address redirects; empty if there is none.

    If the shop has neither a page nor a redirect for the address, count the visit, so that staff can add a
    redirect.

    Args:
        scope: the request.
        path: the encoded path.
        has_page: True if the shop has a page at this address.
    """
    shop = current_shop()
    try:
        found = await find_former_address(
            shop.database, shop.catalog_version, path, scope["query_string"], has_page=has_page
        )
    except DatabaseUnavailable:
        return ""  # the outage is logged once, not per page
    except Exception:
        log.exception("the former addresses could not be read")
        return ""
    if found is None:
        return ""
    if not (found.is_known or has_page) and scope["method"] == "GET":
        ip = client_address(HTTPConnection(scope), shop.settings.trusted_proxies)
        agent = Headers(scope=scope).get("user-agent", "")
        shop.unknown_addresses.count_visit(found.address, ip, agent)
    return found.page
