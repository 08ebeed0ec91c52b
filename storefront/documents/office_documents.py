"""Initial state of an office screen for its document: the data that the signed-in staff member may see.

The screen's own `load` reads the data for this one request. It checks the session cookie and the rights of the
staff member, as it does for a websocket.
"""

import logging

import reflex as rx

from backend.staff.sessions import COOKIE
from storefront.documents.page_cache import escape_element_text
from storefront.office.state import OfficeScreen, StaffState
from storefront.reflex_ext.detached_states import create_detached_states, dump_states

log = logging.getLogger(__name__)


async def first_state(screen: type[rx.State], url: str, cookie: str) -> bytes | None:
    """Return the initial state (JSON by state name) of the screen at `url`, including the signed-in staff member.

    Return None if the cookies belong to no session, or if the data of the screen could not be read. In the second
    case the screen reports the error when it loads over the websocket.
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
    if staff.member is None or shown.problem == "failed":
        return None
    return escape_element_text(dump_states(shown, staff))
