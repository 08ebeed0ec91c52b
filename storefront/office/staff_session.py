"""The staff member who is signed in in a browser, found by the session cookie. Every event queries the database again.

As for shoppers (`storefront.state.session`), the browser sends the cookie in the websocket's handshake. No variable
of the Reflex state contains it.
"""

import reflex as rx

from backend.app import current_shop
from backend.staff.rights import Actor
from backend.staff.sessions import COOKIE, actor_of_session
from storefront.reflex_ext.session_cookie import token_in


async def find_actor(state: rx.State) -> Actor | None:
    """Return the staff member who is signed in in this browser; None if there is no valid session."""
    return await actor_of_session(current_shop().database, token_in(state, COOKIE))
