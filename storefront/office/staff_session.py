"""Who of the staff is at this browser. The cookie says so, and the database is asked again at every event.

As for shoppers (`storefront.state.session`), the websocket's handshake brings the cookie along, and no variable of the
state holds it.
"""

import reflex as rx

from backend.app import current_shop
from backend.staff.rights import Actor
from backend.staff.sessions import COOKIE, actor_of_session
from storefront.reflex_ext.session_cookie import token_in


async def actor_at(state: rx.State) -> Actor | None:
    """The member of staff who is signed in at this browser now; None without a valid session."""
    return await actor_of_session(current_shop().database, token_in(state, COOKIE))
