"""The staff member of a browser, by the session cookie. The database is queried again at every event.

As for shoppers (`storefront.state.session`), the cookie is sent in the websocket's handshake and is stored in no
variable of the state.
"""

import reflex as rx

from backend.app import current_shop
from backend.staff.rights import Actor
from backend.staff.sessions import COOKIE, actor_of_session
from storefront.reflex_ext.session_cookie import token_in


async def find_actor(state: rx.State) -> Actor | None:
    """Return the staff member who is signed in in this browser, or None without a valid session."""
    return await actor_of_session(current_shop().database, token_in(state, COOKIE))
