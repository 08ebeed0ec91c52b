"""What a screen of the office starts with in its document: what whoever is signed in may see there.

It is read for this one request by the screen's own `load`, which asks the cookie's session and the services who may see
what, as it does over the websocket.
"""

import logging

import reflex as rx

from backend.staff.sessions import COOKIE
from storefront.documents.page_cache import as_element_text
from storefront.office.state import OfficeScreen, StaffState
from storefront.reflex_ext.detached_states import create_detached_states, dump_states

log = logging.getLogger(__name__)


async def first_state(screen: type[rx.State], url: str, cookie: str) -> bytes | None:
    """What the browser's state starts with (JSON, by state): the screen at `url`, and who sees it.

    None when nobody is signed in with these cookies, and when the screen could not be read: the websocket says more.
    """
    if not issubclass(screen, OfficeScreen) or COOKIE not in cookie:
        return None
    try:
        known = create_detached_states(url, cookie)
        shown, staff = await known.get_state(screen), await known.get_state(StaffState)
        await shown.load()
    except Exception:
        log.exception("a screen of the office could not be read for its document: %s", screen.__name__)
        return None
    if staff.who is None or shown.problem == "failed":
        return None
    return as_element_text(dump_states(shown, staff))
