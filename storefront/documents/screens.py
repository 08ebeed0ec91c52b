"""What a screen of the office starts with in its document: what whoever is signed in may see there.

It is read for this one request by the screen's own `load`, which asks the cookie's session and the services who may see
what, as it does over the websocket.
"""

import logging

import reflex as rx
from reflex.istate.data import RouterData
from reflex_base.utils.format import json_dumps

from backend.staff.sessions import COOKIE
from storefront.documents.page_cache import as_element_text
from storefront.live.state_loss import KnownClientState
from storefront.office.state import OfficeScreen, StaffState

log = logging.getLogger(__name__)


async def first_state(screen: type[rx.State], url: str, cookie: str) -> bytes | None:
    """What the browser's state starts with (JSON, by state): the screen at `url`, and who sees it.

    None when nobody is signed in with these cookies, and when the screen could not be read: the websocket says more.
    """
    if not issubclass(screen, OfficeScreen) or COOKIE not in cookie:
        return None
    try:
        known = _nobodys_states(url, cookie)
        shown, staff = await known.get_state(screen), await known.get_state(StaffState)
        await shown.load()
    except Exception:
        log.exception("a screen of the office could not be read for its document: %s", screen.__name__)
        return None
    if staff.who is None or shown.problem == "failed":
        return None
    return as_element_text(json_dumps({**shown.dict(), **staff.dict()}).encode())


def _nobodys_states(url: str, cookie: str) -> KnownClientState:
    """The parent of the office's states, as a browser has it that came here with these cookies."""
    root = rx.State(init_substates=False, _reflex_internal_init=True)  # type: ignore[call-arg]
    root.router = RouterData.from_router_data(
        {"pathname": url.partition("?")[0], "asPath": url, "headers": {"cookie": cookie}}
    )
    known = KnownClientState(parent_state=root, _reflex_internal_init=True)  # type: ignore[call-arg]
    root.substates[known.get_name()] = known
    return known
